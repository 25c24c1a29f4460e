"""A scripted player, compiled: it sees an observation, a legal set and public rules, no more.

It pools facts on the murder fast, tests everybody's words against public places and against each other, lies about what
it hides and only where it could know, uses tokens on cards that others have read, and mistrusts silence.

Three notions carry it. A player is *caught* on a question if a statement of that player cannot be right, or if two more
players deny it. The *belief* that a person is the answer adds up what players who are not caught say for and against; a
statement about a trait weighs more with *grounds*, if the speaker has read a card that I have not. The *scapegoat* of
whoever hides something is another person who fits what is public, and most of what others say.

All people are counted as the looker counts them, itself 0. Sets of people and of traits are bitmasks.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import NONE, bit, count, full, get_bits, has, is_in, kth, kth_of, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.rng import stream_below
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery.moves import PASS, PHASE, PHASES, VETO
from murder_envs.games.my_murder_mystery.state import Rules, State, of_question

# Marks in the belief.
CAUGHT = 1.0  # for a player who is caught, being the answer
SAID_IS = 0.5
SAID_NOT, SAID_NOT_ME = -1.0, -0.2  # about another, about oneself
WITH_GROUNDS, WITHOUT_GROUNDS = 1.0, 0.25  # a statement about a trait
SUSPECTED_BY = 0.5
SILENT = 2.0
DENIED = 2  # further players who contradict a statement: then it counts as false

# Worth of a location by its theme: what helps oneself least is opened last.
OWN_SECRET, NO_USE, OTHER, ASKED_OF_ME, OPEN_MURDER = -1, 0, 1, 3, 4


@kernel
def heuristic(row, legal_set, rules: Rules, stream):
    """The scripted player's action.

    Args:
        row: the observation of the seat to act, int8.
        legal_set: what it may do, uint64 words.
        rules: of which it uses sizes, starts of blocks and pools, all public.
        stream: its own random numbers, uint64[1]: for ties.
    """
    if count(legal_set) == 1:
        return kth_of(legal_set, 0)
    phase = lowest_of(row, rules.obs_phase, len(PHASES))
    if phase == PHASE.talk:
        return choose_talk(row, legal_set, rules, stream)
    if phase == PHASE.reply:
        question = lowest_of(row, rules.obs_question, rules.n_questions)
        return choose_words(row, legal_set, rules, stream, bit(question), False)
    if phase == PHASE.visit:
        return choose_visit(row, legal_set, rules, stream)
    if phase == PHASE.veto_location:
        theme = theme_of(row, rules, lowest_of(row, rules.obs_chosen, rules.n_locations))
        vetoes = is_own(row, rules, theme) and (theme == c.MURDER or row[rules.obs_tokens] > 1)
        return VETO if vetoes else PASS
    if phase == PHASE.leader:
        return rules.do_leader + choose_leader(row, legal_set, rules, stream) - 1
    if phase == PHASE.veto_leader:
        nominee = get_bits(row, rules.obs_nominee, rules.n_portraits)
        vetoes = not is_own(row, rules, c.MURDER) and candidates(row, rules, c.MURDER) == nominee
        return VETO if vetoes else PASS
    if phase == PHASE.accuse:
        if is_own(row, rules, c.MURDER):
            return rules.do_accuse + scapegoat(row, rules, c.MURDER)
        return rules.do_accuse + best(row, rules, stream, c.MURDER, candidates(row, rules, c.MURDER))
    if phase == PHASE.answer:
        question = lowest_of(row, rules.obs_question, rules.n_questions)
        return rules.do_answer + best(row, rules, stream, question, candidates(row, rules, question))
    return rules.do_condemn + choose_condemned(row, legal_set, rules, stream)


# -- Reading the observation ------------------------------------------------------------------------------------------


@kernel
def lowest_of(row, at, n):
    """Which of n bytes is the first that is not 0; n if all are."""
    for i in range(n):
        if row[at + i] != 0:
            return i
    return n


@kernel
def n_players(row, rules: Rules):
    """How many players there are."""
    return popcount(get_bits(row, rules.obs_players, rules.n_portraits))


@kernel
def is_own(row, rules: Rules, question):
    """Am I the answer?"""
    return row[rules.obs_role + question] != 0


@kernel
def theme_of(row, rules: Rules, location):
    """The question on a location's front."""
    return lowest_of(row, rules.obs_theme + location * rules.n_questions, rules.n_questions)


@kernel
def candidates(row, rules: Rules, question):
    """Who may be the answer, as far as I was shown."""
    return get_bits(row, rules.obs_candidates + question * rules.n_people, rules.n_people)


@kernel
def bearers(row, rules: Rules, trait):
    """The people who have a trait."""
    people = NONE
    for person in range(rules.n_people):
        if row[rules.obs_traits + person * rules.n_traits + trait] != 0:
            people |= bit(person)
    return people


@kernel
def about_person(row, rules: Rules, offset, question, person):
    """A player's statement: 1 is, -1 is not, 0 none."""
    return row[rules.obs_claims_who + (offset * rules.n_questions + question) * rules.n_people + person]


@kernel
def about_trait(row, rules: Rules, offset, question, trait):
    """A player's statement: 1 has, -1 lacks, 0 none."""
    return row[rules.obs_claims_trait + (offset * rules.n_questions + question) * rules.n_traits + trait]


@kernel
def is_public(row, rules: Rules, question, trait):
    """What a revealed location says: 1 has, -1 lacks, 0 nothing."""
    for location in range(rules.n_locations):
        at = rules.obs_location_facts + (location * rules.n_questions + question) * rules.n_traits + trait
        if row[at] != 0:
            return row[at]
    return 0


@kernel
def has_read(row, rules: Rules, card, offset):
    """Has a player read a card?"""
    return row[rules.obs_card_read + (card - 1) * rules.n_portraits + offset] != 0


@kernel
def has_grounds(row, rules: Rules, offset):
    """Has a player read a card about traits that I have not read?

    A fact that is new to me can only come from there, so such a player has grounds for what it says.
    """
    for card in range(1, c.FIRST_SETUP_CARD):
        if has_read(row, rules, card, offset) and not has_read(row, rules, card, 0):
            return True
    return False


@kernel
def n_others_saying(row, rules: Rules, question, trait, sign):
    """How many other players state that the answer has (1) or lacks (-1) a trait."""
    n = 0
    for offset in range(1, n_players(row, rules)):
        n += about_trait(row, rules, offset, question, trait) == sign
    return n


@kernel
def speaks_of_others(row, rules: Rules, offset):
    """Has a player a statement on record about anything but its own character?"""
    for question in range(rules.n_questions):
        for person in range(rules.n_people):
            if person != offset and about_person(row, rules, offset, question, person) != 0:
                return True
        for trait in range(rules.n_traits):
            if about_trait(row, rules, offset, question, trait) != 0:
                return True
    return False


# -- Belief -----------------------------------------------------------------------------------------------------------


@kernel
def is_caught(row, rules: Rules, question, offset):
    """Can something that a player says on a question not be right, or do two further players deny it?

    A statement cannot be right if none of my candidates fits it. One player's denial is no proof: that one may lie.
    """
    people = candidates(row, rules, question)
    n = n_players(row, rules)
    for person in range(rules.n_people):
        sign = about_person(row, rules, offset, question, person)
        if sign != 0:
            if (people & bit(person) if sign > 0 else people & ~bit(person)) == NONE:
                return True
            denied = 0
            for other in range(1, n):
                denied += other != offset and about_person(row, rules, other, question, person) == -sign
            if denied >= DENIED:
                return True
    for trait in range(rules.n_traits):
        sign = about_trait(row, rules, offset, question, trait)
        if sign != 0:
            fitting = bearers(row, rules, trait)
            if (people & fitting if sign > 0 else people & ~fitting) == NONE:
                return True
            if n_others_saying(row, rules, question, trait, -sign) >= DENIED:
                return True
    return False


@kernel
def most_speak(row, rules: Rules):
    """Have more than half of all players a statement on record about others?"""
    n = n_players(row, rules)
    speakers = 0
    for offset in range(n):
        speakers += speaks_of_others(row, rules, offset)
    return 2 * speakers > n


@kernel
def best(row, rules: Rules, stream, question, people):
    """The person of a set of whom I believe most that it is the answer; ties at random."""
    return extreme(row, rules, stream, question, people, 1.0)


@kernel
def extreme(row, rules: Rules, stream, question, people, sign):
    """The person of a set with the greatest belief (sign 1) or the least (sign -1); ties at random."""
    tied = tied_for(row, rules, question, people, sign)
    n = popcount(tied)
    return kth(tied, stream_below(stream, n) if n > 1 else 0)


EXCLUDED = -1e6


@kernel
def tied_for(row, rules: Rules, question, people, sign):
    """The people of a set with the greatest (sign 1) or the least belief (sign -1).

    Those whom facts exclude are below all others. Once most players have said something about others, whoever has not
    is believed to hide something.
    """
    n = n_players(row, rules)
    fitting = candidates(row, rules, question)
    silence_counts = question == c.MURDER and most_speak(row, rules)
    tied = NONE
    most = -np.inf
    trusted = NONE
    grounded = NONE
    silent = NONE
    for offset in range(1, n):
        if not is_caught(row, rules, question, offset):
            trusted |= bit(offset)
        if has_grounds(row, rules, offset):
            grounded |= bit(offset)
        if silence_counts and not speaks_of_others(row, rules, offset):
            silent |= bit(offset)
    for person in range(rules.n_people):
        if has(people, person):
            score = EXCLUDED
            if has(fitting, person):
                score = belief(row, rules, question, person, n, trusted, grounded)
                if has(silent, person):
                    score += SILENT
            score = np.round(score * 100.0) * sign
            if score > most:
                most = score
                tied = NONE
            if score == most:
                tied |= bit(person)
    return tied


@kernel
def belief(row, rules: Rules, question, person, n, trusted, grounded):
    """What others say for and against a person being the answer."""
    score = 0.0
    for offset in range(1, n):
        if not has(trusted, offset):
            score += CAUGHT if person == offset else 0.0
            continue
        sign = about_person(row, rules, offset, question, person)
        if sign > 0:
            score += SAID_IS
        elif sign < 0:
            score += SAID_NOT_ME if person == offset else SAID_NOT
        weight = WITH_GROUNDS if has(grounded, offset) else WITHOUT_GROUNDS
        for trait in range(rules.n_traits):
            sign = about_trait(row, rules, offset, question, trait)
            if sign != 0:
                has_it = row[rules.obs_traits + person * rules.n_traits + trait] != 0
                score += weight if has_it == (sign > 0) else -weight
        if question == c.MURDER and row[rules.obs_suspicions + offset * rules.n_people + person] != 0:
            score += SUSPECTED_BY
    return score


# -- What I hide ------------------------------------------------------------------------------------------------------


@kernel
def scapegoat(row, rules: Rules, question):
    """Another who fits all public facts, and most of what others say of the question that I am the answer to.

    If public facts leave nobody of the pool but me, any other player has to do.
    """
    n = n_players(row, rules)
    people = rules.pool[question] & ~bit(0)
    for trait in range(rules.n_traits):
        public = is_public(row, rules, question, trait)
        if public != 0:
            fitting = bearers(row, rules, trait)
            people &= fitting if public > 0 else ~fitting
    if people == NONE:
        people = full(n) & ~bit(0)
    most = -10_000
    best_fit = 0
    for person in range(rules.n_people):
        if has(people, person):
            fit = fitness(row, rules, question, person, n)
            if fit > most:
                most = fit
                best_fit = person
    return best_fit


@kernel
def fitness(row, rules: Rules, question, person, n):
    """How many statements of others fit a person, less those that do not; and suspicions, of the murder."""
    fit = 0
    for offset in range(1, n):
        for other in range(rules.n_people):
            sign = about_person(row, rules, offset, question, other)
            if sign != 0:
                fit += 1 if (other == person) == (sign > 0) else -1
        for trait in range(rules.n_traits):
            sign = about_trait(row, rules, offset, question, trait)
            if sign != 0:
                has_it = row[rules.obs_traits + person * rules.n_traits + trait] != 0
                fit += 1 if has_it == (sign > 0) else -1
        if question == c.MURDER:
            fit += row[rules.obs_suspicions + offset * rules.n_people + person]
    return fit


@kernel
def say_person(rules: Rules, question, kind, person):
    """The action of a statement about a person."""
    return rules.do_say + question * rules.n_facts + (person if kind == c.IS else rules.n_people + person)


@kernel
def say_trait(rules: Rules, question, kind, trait):
    """The action of a statement about a trait."""
    start = rules.do_say + question * rules.n_facts + 2 * rules.n_people
    return start + (trait if kind == c.HAS else rules.n_traits + trait)


NOTHING_TO_SAY = -1


@kernel
def take_back(row, rules: Rules, questions):
    """A false statement of mine about my own secret, if its opposite is public or stated by two others."""
    for question in range(rules.n_questions):
        if has(questions, question) and is_own(row, rules, question):
            for trait in range(rules.n_traits):
                sign = about_trait(row, rules, 0, question, trait)
                mine = row[rules.obs_traits + trait] != 0
                if sign != 0 and (sign > 0) != mine:
                    known = is_public(row, rules, question, trait) == -sign
                    if known or n_others_saying(row, rules, question, trait, -sign) >= DENIED:
                        return say_trait(rules, question, c.HAS if sign < 0 else c.LACKS, trait)
    return NOTHING_TO_SAY


@kernel
def may_lie(row, rules: Rules):
    """Have I said less about my own secrets than I could have read on cards?"""
    stated = 0
    for question in range(rules.n_questions):
        if is_own(row, rules, question):
            for trait in range(rules.n_traits):
                stated += about_trait(row, rules, 0, question, trait) != 0
    read = 0
    for card in range(1, c.FIRST_SETUP_CARD):
        read += has_read(row, rules, card, 0)
    return stated < read


@kernel
def lie(row, rules: Rules, questions):
    """A trait that tells the scapegoat from me, the least denied first."""
    if not may_lie(row, rules):
        return NOTHING_TO_SAY
    least = DENIED
    action = NOTHING_TO_SAY
    for question in range(rules.n_questions):
        if has(questions, question) and is_own(row, rules, question) and action == NOTHING_TO_SAY:
            other = scapegoat(row, rules, question)
            for trait in range(rules.n_traits):
                goat_has = row[rules.obs_traits + other * rules.n_traits + trait]
                new = is_public(row, rules, question, trait) == 0 and about_trait(row, rules, 0, question, trait) == 0
                if goat_has != row[rules.obs_traits + trait] and new:
                    denied = n_others_saying(row, rules, question, trait, -1 if goat_has != 0 else 1)
                    if denied < least:
                        least = denied
                        action = say_trait(rules, question, c.HAS if goat_has != 0 else c.LACKS, trait)
    return action


# -- Talk -------------------------------------------------------------------------------------------------------------


@kernel
def clears(row, rules: Rules, question, person):
    """Does a card of mine, or one that I have read, clear a person?"""
    at = question * rules.n_people + person
    if row[rules.obs_story + at] != 0:
        return True
    for k in range(c.N_SETUP_CARDS):
        if row[rules.obs_card_clears + k * rules.n_questions * rules.n_people + at] != 0:
            return True
    return False


@kernel
def share(row, rules: Rules, questions):
    """A fact that I was shown and the others were not, not said yet, and not about me or my secrets: traits first."""
    for question in range(rules.n_questions):
        if has(questions, question) and not is_own(row, rules, question):
            for trait in range(rules.n_traits):
                known = row[rules.obs_known_traits + question * rules.n_traits + trait]
                if known != 0 and is_public(row, rules, question, trait) == 0:
                    if about_trait(row, rules, 0, question, trait) != known:
                        return say_trait(rules, question, c.HAS if known > 0 else c.LACKS, trait)
    for question in range(rules.n_questions):
        if has(questions, question) and not is_own(row, rules, question):
            for person in range(1, rules.n_people):
                if clears(row, rules, question, person) and about_person(row, rules, 0, question, person) >= 0:
                    return say_person(rules, question, c.NOT, person)
    return NOTHING_TO_SAY


@kernel
def can_say(legal_set, action):
    """Is there something to say, and may it be said?"""
    return action != NOTHING_TO_SAY and action < 64 * legal_set.shape[0] and is_in(legal_set, action)


@kernel
def choose_talk(row, legal_set, rules: Rules, stream):
    """Take cards that I have not read, then speak."""
    card = wanted_card(row, legal_set, rules, stream)
    if card != 0:
        return rules.do_take + card - 1
    if not is_in(legal_set, rules.do_suspect):
        return PASS
    return choose_words(row, legal_set, rules, stream, full(rules.n_questions), True)


@kernel
def wanted_card(row, legal_set, rules: Rules, stream):
    """From round 2 on any card unread; the murderer keeps its tokens while a place of the murder is face down."""
    if row[rules.obs_round] < 2:
        return 0
    if is_own(row, rules, c.MURDER):
        for location in range(rules.n_locations):
            if theme_of(row, rules, location) == c.MURDER and row[rules.obs_location + 3 * location] == 0:
                return 0
    cards = NONE
    for card in range(1, c.N_CARDS + 1):
        if is_in(legal_set, rules.do_take + card - 1) and not has_read(row, rules, card, 0):
            cards |= bit(card)
    n = popcount(cards)
    if n == 0:
        return 0
    return kth(cards, stream_below(stream, n) if n > 1 else 0)


@kernel
def choose_words(row, legal_set, rules: Rules, stream, questions, may_suspect):
    """What to say on some questions: for the murderer and for all others, in the order of what serves each best."""
    murderer = is_own(row, rules, c.MURDER)
    action = take_back(row, rules, questions)
    if can_say(legal_set, action):
        return action
    if murderer:
        action = lie(row, rules, questions)
        if can_say(legal_set, action):
            return action
        if not speaks_of_others(row, rules, 0):
            action = share(row, rules, questions)
            if can_say(legal_set, action):
                return action
        if may_suspect:
            action = suspect(row, rules, bit(scapegoat(row, rules, c.MURDER)), stream)
            if can_say(legal_set, action):
                return action
    else:
        action = share(row, rules, questions & bit(c.MURDER))
        if can_say(legal_set, action):
            return action
        action = lie(row, rules, questions)
        if can_say(legal_set, action):
            return action
    action = share(row, rules, questions)
    if can_say(legal_set, action):
        return action
    if may_suspect and not murderer:
        people = tied_for(row, rules, c.MURDER, candidates(row, rules, c.MURDER), 1.0)
        action = suspect(row, rules, people, stream)
        if can_say(legal_set, action):
            return action
    return PASS


@kernel
def suspect(row, rules: Rules, people, stream):
    """Name one of some people, unless I have named one of them last."""
    if get_bits(row, rules.obs_suspicions, rules.n_people) & people != NONE:
        return NOTHING_TO_SAY
    n = popcount(people)
    return rules.do_suspect + kth(people, stream_below(stream, n) if n > 1 else 0)


# -- Places, Leaders, and the tie -------------------------------------------------------------------------------------


@kernel
def worth(row, rules: Rules, location):
    """What opening a location is worth to me."""
    theme = theme_of(row, rules, location)
    if is_own(row, rules, theme):
        return OWN_SECRET
    is_open = popcount(candidates(row, rules, theme)) > 1
    if theme == c.MURDER:
        return OPEN_MURDER if is_open else NO_USE
    return ASKED_OF_ME if is_open and row[rules.obs_objective_answer + theme] != 0 else OTHER


@kernel
def choose_visit(row, legal_set, rules: Rules, stream):
    """The location of greatest worth."""
    most = -100
    tied = NONE
    for location in range(c.MAX_LOCATIONS):
        if location < rules.n_locations and is_in(legal_set, rules.do_visit + location):
            value = worth(row, rules, location)
            if value > most:
                most = value
                tied = NONE
            if value == most:
                tied |= bit(location)
    return rules.do_visit + kth(tied, stream_below(stream, popcount(tied)))


@kernel
def choose_leader(row, legal_set, rules: Rules, stream):
    """The player whom I believe least to be the murderer; as the murderer, anybody."""
    people = NONE
    for offset in range(1, n_players(row, rules)):
        if is_in(legal_set, rules.do_leader + offset - 1):
            people |= bit(offset)
    if is_own(row, rules, c.MURDER):
        return kth(people, stream_below(stream, popcount(people)))
    return extreme(row, rules, stream, c.MURDER, people, -1.0)


@kernel
def choose_condemned(row, legal_set, rules: Rules, stream):
    """Of the tied, without me, the one whom I believe most to be the murderer; as the murderer, the first."""
    people = NONE
    for person in range(1, rules.n_people):
        if is_in(legal_set, rules.do_condemn + person):
            people |= bit(person)
    if is_own(row, rules, c.MURDER):
        return kth(people, 0)
    return best(row, rules, stream, c.MURDER, people)


# -- Whom to believe --------------------------------------------------------------------------------------------------


@kernel
def is_consistent(state: State, rules: Rules, seat):
    """Is all true that other players than `seat` have on record about secrets that are not their own? Scripted players
    lie about these alone."""
    for other in range(rules.n_seats):
        if other != seat:
            for question in range(rules.n_questions):
                answer = state.solution[question]
                if answer != other and not is_true_of(state, rules, other, question, answer):
                    return False
    return True


@kernel
def is_true_of(state: State, rules: Rules, speaker, question, answer):
    """Is everything that a player has on record on a question true of `answer`?"""
    n_people, n_traits = rules.n_people, rules.n_traits
    traits = of_question(state.traits, answer, n_traits)  # laid out by person as the other sets are by question
    return (
        of_question(state.claims_is[speaker], question, n_people) & ~bit(answer) == NONE
        and not has(of_question(state.claims_not[speaker], question, n_people), answer)
        and of_question(state.claims_has[speaker], question, n_traits) & ~traits == NONE
        and of_question(state.claims_lacks[speaker], question, n_traits) & traits == NONE
    )
