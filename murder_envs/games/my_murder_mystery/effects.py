"""What acts do to the table: a location is read, a card is taken, a statement goes on record.

Each of these is reported here at once: entered as a public event, and shown to whom it is shown.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, bit, has, popcount
from murder_envs.core.jit import inner, kernel
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery.deal import lay_before
from murder_envs.games.my_murder_mystery.knowledge import show_card, show_location
from murder_envs.games.my_murder_mystery.moves import COUNTED_BYTE, EVENT, NO_LOCATION, SUBJECT_BYTE
from murder_envs.games.my_murder_mystery.state import Rules, State, person_at, record_event

# -- Investigation ----------------------------------------------------------------------------------------------------


@kernel
def reveal(state: State, rules: Rules):
    """The chosen location is turned over and read aloud; the Leader takes the card that it names and reads it alone."""
    leader = state.leader
    location = state.chosen - 1
    state.chosen = NO_LOCATION
    state.revealed |= bit(location)
    state.order[location] = popcount(state.revealed)
    show_location(state, rules, location)
    record_event(state, rules, EVENT.reveal, leader, location + 1, 0, 0, COUNTED_BYTE.reveal)
    card = state.hands[location]
    if card != 0:
        record_event(state, rules, EVENT.hand, leader, card, 0, 0, COUNTED_BYTE.hand)
        lay_before(state, card, leader)
        show_card(state, rules, leader, card)


# -- Actions: taking a Top Secret card --------------------------------------------------------------------------------


@inner
def takeable(state: State, seat):
    """Set of the cards that a seat can take now: those before another player, if it has a token.

    A card in the stack, or on a location that is face down, can be taken by nobody.
    """
    return state.laid_out & ~state.cards_of[seat] if state.tokens[seat] > 0 else NONE


@kernel
def take(state: State, rules: Rules, seat, card):
    """A token buys a card from another player; the former holder remembers it, and cannot refuse.

    It is read in secret and then lies face down before the taker, from whom it can be taken in turn, for a token again.
    "At any time" means here: in one's own talk turns, and when one is asked about a veto. Who could do nothing but take
    is not asked for that alone, since each has a talk turn after each location.
    All see who takes which card from whom. Whoever has read it before learns nothing new.
    """
    record_event(state, rules, EVENT.take, seat, card, state.holder[card] + 1, 0, COUNTED_BYTE.take)
    state.tokens[seat] -= 1
    lay_before(state, card, seat)
    if not has(state.readers[card], seat):
        show_card(state, rules, seat, card)


# -- What may be said: you are free to talk about your cards, and to lie -----------------------------------------------


@kernel
def say(state: State, rules: Rules, seat, fact):
    """A statement, true or not, replaces the one before on the same subject: `is` and `not`, `has` and `lacks`.

    Nothing follows from it but that it is on record; the rulebook lets everybody lie, and a card is never shown.

    fact: the number of the statement in the block `say` of the actions: by question; then is, not of each person, as
    the speaker counts people; then has, lacks of each trait.
    """
    question = 0
    while fact >= rules.n_facts:
        fact -= rules.n_facts
        question += 1
    if fact < 2 * rules.n_people:
        kind = c.IS if fact < rules.n_people else c.NOT
        subject = person_at(rules, seat, fact - rules.n_people * kind)
        one = bit(question * rules.n_people + subject)
        if kind == c.IS:
            state.claims_is[seat] |= one
            state.claims_not[seat] &= ~one
        else:
            state.claims_not[seat] |= one
            state.claims_is[seat] &= ~one
        record_event(state, rules, EVENT.say, seat, question + 1, kind + 1, subject + 1, SUBJECT_BYTE)
        return
    subject = fact - 2 * rules.n_people
    kind = c.HAS if subject < rules.n_traits else c.LACKS
    one = bit(question * rules.n_traits + subject)
    if kind == c.HAS:
        state.claims_has[seat] |= one
        state.claims_lacks[seat] &= ~one
    else:
        subject -= rules.n_traits
        one >>= rules.n_traits
        state.claims_lacks[seat] |= one
        state.claims_has[seat] &= ~one
    record_event(state, rules, EVENT.say, seat, question + 1, kind + 1, subject + 1, 0)
