"""Pictures: nothing overlaps or is cut, nothing hidden shows, and every interface gives what its modes promise."""

from __future__ import annotations

import copy
import itertools
import pickle
import sys
import types
import xml.etree.ElementTree as ET

import gymnasium
import numpy as np
import pettingzoo.utils.wrappers
import pytest
from gymnasium.error import DependencyNotInstalled
from pettingzoo.test import render_test
from PIL import ImageFont

from murder_envs.api import aec, sb3
from murder_envs.api.pictures import MOST_TILES, RENDER_MODES
from murder_envs.api.seat import SeatEnv
from murder_envs.api.vector import SeatVectorEnv
from murder_envs.picture import measure, pixels, window
from murder_envs.picture.drawing import Drawing
from murder_envs.picture.palette import N_HUES, THEMES
from murder_envs.picture.scene import WIDTH, Box, Rect, Scene, Text
from murder_envs.registry import GAMES
from tests import sample_pictures
from tests.support import CASES, THIN, Table, games, reported, rows, ruleset_of, with_config

FIRST = next(iter(GAMES))
every_game = pytest.mark.parametrize("game", GAMES)
every_config = pytest.mark.parametrize("case", CASES, ids="-".join)

FONT = ImageFont.load_default(100)

CHECKED = 4 // THIN
"""Decisions of each configuration at which the pictures of all readers are checked."""


@every_game
def test_the_pictures_of_the_pages_are_not_stale(game):
    file = sample_pictures.FOLDER / f"{game}.svg"
    assert file.read_text(encoding="utf-8") == sample_pictures.scene_of(game).svg(), "`make pictures` writes them anew"
    assert f"docs/pictures/{game}.svg" in (sample_pictures.ROOT / "README.md").read_text(encoding="utf-8")


# -- The tables -------------------------------------------------------------------------------------------------------


def overlap(a: Box, b: Box) -> bool:
    """Do two boxes share more than a hair?"""
    hair = 0.6
    wide = min(a.right, b.right) - max(a.x, b.x)
    return wide > hair and min(a.bottom, b.bottom) - max(a.y, b.y) > hair


def letters(text: Text) -> Box:
    """The box that a text's letters fill, without what is left free between lines."""
    covers = text.covers
    return Box(covers.x, covers.y + 0.08 * text.size, covers.w, covers.h - 0.12 * text.size)


def check_scene(scene: Scene) -> None:
    """Every text is in its box and on the canvas, large enough, whole, and apart from every other text."""
    canvas = Box(0, 0, WIDTH, scene.height)
    texts = [shape for shape in scene.shapes if isinstance(shape, Text)]
    for text in texts:
        assert text.size >= measure.SMALLEST, text
        assert not text.text.endswith("..."), f"{text.text!r} is cut"
        drawn = FONT.getlength(text.text) / 100 * text.size
        assert drawn <= text.within.w + 0.6, f"{text.text!r} is wider than its box"
        for box in (text.within, canvas):
            inside = box.x - 0.1 <= text.x and text.x + drawn <= box.right + 0.6
            assert inside and box.y - 1 <= letters(text).y and letters(text).bottom <= box.bottom + 1, text
    boxes = sorted(((letters(text), text.text) for text in texts), key=lambda pair: pair[0].y)
    for i, (a, text) in enumerate(boxes):
        for b, other in boxes[i + 1 :]:
            if b.y >= a.bottom:
                break
            assert not overlap(a, b), f"{text!r} and {other!r} overlap"
    for shape in scene.shapes:
        if isinstance(shape, Rect):
            box = shape.box
            assert box.x >= 0 and box.right <= WIDTH and box.y >= 0 and box.bottom <= scene.height, shape
            assert box.w > 0 and box.h > 0, shape


def whole_words(monkeypatch) -> None:
    """From here on, a word that has to be broken fails the test."""
    wrapped = measure.wrapped

    def strictly(text: str, size: float, most: float, bold: bool = False) -> list[str]:
        if size <= measure.SMALLEST:
            long = [word for word in text.split() if measure.width(word, size, bold) > most]
            assert not long, f"{long[0]!r} is broken"
        return wrapped(text, size, most, bold)

    monkeypatch.setattr(measure, "wrapped", strictly)


def positions(ruleset, n: int):
    """About n positions of random games, spread over these, with the end of each game."""
    for table, rng in games(ruleset, 2):
        with reported(table):
            gap = 1
            for k, _ in enumerate(table.play_on(rng)):
                if table.over or k % gap == 0:
                    yield table, rng
                if k == gap * n // 2:
                    gap *= 3


@pytest.mark.nojit
@every_config
def test_nothing_overlaps_or_is_cut(case, monkeypatch):
    whole_words(monkeypatch)
    ruleset = ruleset_of(*case)
    heights = set()
    for table, rng in positions(ruleset, CHECKED):
        for reader in (None, rng.randrange(ruleset.n_seats), table.seat if not table.over else 0):
            scene = table.cursor.scene(reader)
            check_scene(scene)
            heights.add(scene.height)
    assert len(heights) == 1, "pictures of one configuration have one size"


CASES_WORKED = [
    (game, entry) for game, entry in rows("rulings.toml", "ruling") if "setup" in entry and "error" not in entry
]


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("game", "entry"), CASES_WORKED, ids=[f"{game}-{entry['name']}" for game, entry in CASES_WORKED]
)
def test_worked_cases_are_drawn_as_well(game, entry, monkeypatch):
    """Positions of every kind, crowded hands and rare phases among them."""
    whole_words(monkeypatch)
    ruleset = with_config(game, entry.get("config", {}))
    table = Table(ruleset, 0, entry["setup"])
    for k in range(len(entry.get("play", [])) + 1):
        for reader in (None, *range(min(3, ruleset.n_seats))):
            with reported(table):
                check_scene(table.cursor.scene(reader))
        if k < len(entry.get("play", [])):
            table.act(ruleset.actions.id(entry["play"][k].split(" ", 1)[1]))


@pytest.mark.kernels
@every_config
def test_pictures_keep_secrets(case):
    """A picture is a function of what its seat knows: it is the same in a world that the seat cannot tell from this."""
    ruleset = ruleset_of(*case)
    for table, rng in positions(ruleset, CHECKED):
        if not table.over:
            seat = rng.randrange(ruleset.n_seats)
            other = table.redealt(seat, rng.randrange(2**62))
            assert table.cursor.scene(seat).svg() == other.cursor.scene(seat).svg(), (
                f"seat {seat} sees something hidden"
            )


@every_game
@pytest.mark.fast
def test_pictures_from_above_show_what_is_hidden(game):
    """Whatever a redeal changes can be seen from above."""
    for table, rng in games(ruleset_of(game), 3):
        for _ in table.play_on(rng, 12):
            if table.over:
                break
        other = table.redealt(0, 5)
        if not table.over and other.snapshot() != table.snapshot():
            assert other.cursor.scene(None).svg() != table.cursor.scene(None).svg()


@every_game
@pytest.mark.fast
def test_pictures_say_what_is_asked_of_whom(game):
    for table, rng in games(ruleset_of(game), 2):
        for k, _ in enumerate(table.play_on(rng)):
            if k % 7 and not table.over:
                continue
            for reader in (None, 0, 1):
                scene = table.cursor.scene(reader)
                texts = [shape.text for shape in scene.shapes if isinstance(shape, Text)]
                asked = measure.plain(table.cursor.asked(reader))
                assert asked in " ".join(texts) and scene.description.startswith(table.cursor.asked(reader))
                assert texts.count("to decide") == (not table.over)
                assert ruleset_of(game).title == texts[0] == scene.title


@every_game
@pytest.mark.fast
def test_svg_is_whole_in_itself(game):
    """It is XML, names nothing outside, and has a title and a description for people who hear it."""
    scene = Table(ruleset_of(game), 4).cursor.scene(0)
    assert scene._repr_svg_() == scene.svg() == scene.svg("light") != scene.svg("dark")
    for theme in THEMES:
        document = scene.svg(theme)
        root = ET.fromstring(document)
        assert root.tag.endswith("}svg") and root.get("viewBox").startswith(f"0 0 {WIDTH} ")
        assert [child.tag.rpartition("}")[2] for child in root][:2] == ["title", "desc"]
        assert root[0].text and root[1].text
        assert "href" not in document and "url(" not in document and document.count("http") == 1
        assert len(document) < 80_000


@every_game
@pytest.mark.fast
def test_pixels(game):
    scene = Table(ruleset_of(game), 4).cursor.scene(0)
    drawn = {}
    for width, theme in itertools.product((480, 960), THEMES):
        picture = drawn[width, theme] = scene.pixels(width, theme)
        assert picture.dtype == np.uint8 and picture.flags.writeable
        assert picture.shape == (pixels.height_of(scene, width), width, 3) and not picture.shape[0] % 2
        assert np.array_equal(picture, scene.pixels(width, theme))
    assert drawn[480, "light"].mean() > 128 > drawn[480, "dark"].mean()
    assert np.array_equal(scene.pixels(), drawn[960, "light"])


# -- Without a game ---------------------------------------------------------------------------------------------------


def test_widths_are_those_of_the_font():
    for number in range(32, 127):
        assert abs(measure.width(chr(number), 100) - FONT.getlength(chr(number))) <= 0.5, chr(number)


def test_texts_without_a_glyph_have_a_stand_in():
    assert measure.plain("Señor Müller’s “Café”, weiß…") == 'Senor Muller\'s "Cafe", weiss...'
    assert measure.plain("犯人 ok") == "?? ok"
    assert measure.width("é", 10) == measure.width("e", 10) and measure.width("犯", 10) == 10


def test_wrapping():
    assert measure.wrapped("", 10, 50) == []
    assert measure.wrapped("one two three", 10, measure.width("one two", 10)) == ["one two", "three"]
    broken = measure.wrapped("a pneumonoultramicroscopic word", 10, 40)
    assert "".join(broken).replace(" ", "") == "apneumonoultramicroscopicword"
    assert all(measure.width(line, 10) <= 40 for line in broken)
    assert measure.shortened("one two three", 10, 50) == "one two..."
    assert measure.shortened("one", 10, 50) == "one"


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", THEMES)
def test_texts_stand_out(theme):
    """By the rule of WCAG 2 for texts of any size."""
    colours = THEMES[theme]
    grounds = {
        "ink": ("table", "panel", "card", "faint"), "muted": ("table", "panel", "card", "faint"),
        "on_banner": ("banner",), "on_call": ("call",), "on_back": ("back",),
        **{f"on{i}": (f"hue{i}",) for i in range(N_HUES)},
    }  # fmt: skip
    for ink, ground in ((ink, ground) for ink, all_grounds in grounds.items() for ground in all_grounds):
        light, dark = sorted((luminance(colours[ink]), luminance(colours[ground])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)
    assert THEMES[theme].keys() == THEMES["light"].keys()


def test_a_drawing_fits_its_texts():
    drawing = Drawing(200, "A <game> & more", 'It says: "x < y".')
    drawing.frame("turn 1", "A question that is long enough to need several lines, again and again " * 3, 11)
    panel = drawing.panel(Box(10, 90, 100, 100), "Title")
    drawing.sentences(panel, [f"Sentence {i} is of some length." for i in range(9)], "nothing")
    texts = [shape for shape in drawing.scene.shapes if isinstance(shape, Text)]
    assert texts[-1].text.endswith("length.") and "8" in "".join(text.text for text in texts[-3:])
    assert all(text.size >= measure.SMALLEST and text.width <= text.within.w + 0.1 for text in texts)
    root = ET.fromstring(drawing.scene.svg())
    assert root[0].text == "A <game> & more" and root[1].text == 'It says: "x < y".'


@pytest.mark.parametrize(
    "call, names",
    [
        (lambda scene: scene.svg("blue"), "^theme: one of 'light', 'dark', not 'blue'"),
        (lambda scene: scene.pixels(480, None), "^theme: "),
        (lambda scene: scene.pixels(0), "^width: "),
        (lambda scene: scene.pixels(10_000), "^width: "),
        (lambda scene: scene.pixels("480"), "^width: "),
    ],
)
def test_wrong_arguments_are_named(call, names):
    with pytest.raises(ValueError, match=names):
        call(Scene(100, "t", "d"))


def test_mosaic():
    frames = [np.full((30, 20, 3), i, np.uint8) for i in range(1, 6)]
    whole = pixels.mosaic(frames)
    assert whole.shape == (60, 60, 3) and whole.dtype == np.uint8
    for i, frame in enumerate(frames):
        y, x = 30 * (i // 3), 20 * (i % 3)
        assert np.array_equal(whole[y : y + 30, x : x + 20], frame)
    assert not whole[30:, 40:].any()
    assert np.array_equal(pixels.mosaic(frames[:1]), frames[0])


# -- Interfaces -------------------------------------------------------------------------------------------------------


@pytest.fixture
def screen(monkeypatch):
    """A screen that nobody looks at."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    yield pygame
    pygame.display.quit()


@every_game
@pytest.mark.fast
def test_pettingzoo_renders(game, screen):
    render_test(lambda render_mode: aec.env(game, render_mode=render_mode), {"svg": lambda svg: "<svg" in svg})


@every_game
@pytest.mark.fast
def test_modes_of_an_environment(game):
    ruleset = ruleset_of(game)
    for mode in RENDER_MODES[1:]:
        for seat in (None, 1):
            env = aec.raw_env(game, render_mode=mode, render_seat=seat)
            env.reset(seed=3)
            state, rules = env.position()
            text, scene = ruleset.text(rules, state, seat), env.scene(seat)
            expected = {"ansi": text, "svg": scene.svg(), "rgb_array": scene.pixels()}[mode]
            assert np.array_equal(env.render(), expected)
            assert env.metadata["render_modes"] == list(RENDER_MODES) and env.metadata["render_fps"] == 1
    with pytest.raises(ValueError, match="^seat: "):
        env.scene(99)
    with pytest.raises(AssertionError, match="reset"):
        aec.raw_env(game).scene()


@pytest.mark.fast
def test_modes_of_a_seat_and_of_many(screen):
    ruleset = ruleset_of(FIRST)
    for mode in RENDER_MODES:
        one, many = SeatEnv(ruleset, seat=1, render_mode=mode), SeatVectorEnv(ruleset, 3, seat=1, render_mode=mode)
        one.reset(seed=1)
        many.reset(seed=[1, 2, 3])
        if mode == "human":
            assert one.render() is None and many.render() is None
        else:
            first, *others = many.render()
            assert np.array_equal(one.render(), first) and len(others) == 2
            assert not np.array_equal(first, others[0])
        one.close()
        many.close()
    above = SeatEnv(ruleset, seat=1, render_mode="svg", render_seat=0)
    above.reset(seed=1)
    assert above.render() == ruleset.scene(above.batch.rules_of(0), above.batch.states[:1], 0).svg()


@pytest.mark.fast
def test_modes_of_a_vec_env(screen):
    ruleset = ruleset_of(FIRST)
    env = sb3.BatchVecEnv(ruleset, 3, seed=1, seat=0, render_mode="rgb_array")
    env.reset()
    whole, images = env.render(), env.get_images()
    assert whole.dtype == np.uint8 and whole.ndim == 3 and whole.shape[1] <= pixels.MOSAIC_WIDTH
    assert len(images) == 3 and all(image.shape[1] == 2 * WIDTH for image in images)
    env.set_attr("render_mode", "svg")
    assert all(svg.startswith("<svg") for svg in env.render()) and env.get_images() == [None] * 3
    env.set_attr("render_mode", "human")
    assert env.render() is None and screen.display.get_surface() is not None
    env.close()
    assert screen.display.get_surface() is None
    many = sb3.BatchVecEnv(ruleset, MOST_TILES + 1, seed=1, render_mode="rgb_array")
    many.reset()
    assert many.render().shape[1] <= pixels.MOSAIC_WIDTH


@pytest.fixture
def films(monkeypatch):
    """Stands for MoviePy, which encodes videos; gets the frames of each."""
    taken = []

    class Clip:
        def __init__(self, frames, fps):
            self.frames, self.fps = frames, fps

        def write_videofile(self, path, **_):
            taken.append((self.frames, self.fps))

    module = types.ModuleType("moviepy.video.io.ImageSequenceClip")
    module.ImageSequenceClip = Clip
    for name in ("moviepy", "moviepy.video", "moviepy.video.io"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return taken


def check_film(film, shape) -> None:
    frames, fps = film
    assert fps == 1 and len(frames) > 1 and all(frame.shape == shape and frame.dtype == np.uint8 for frame in frames)


@pytest.mark.fast
@pytest.mark.filterwarnings("ignore:.*Vector environment's autoreset mode is same-step:UserWarning")
def test_videos(films, tmp_path):
    game = FIRST
    shape = Table(ruleset_of(game), 1).cursor.scene(None).pixels().shape
    env = pettingzoo.utils.wrappers.RecordVideo(aec.env(game, render_mode="rgb_array"), str(tmp_path / "aec"))
    env.reset(seed=1)
    for _ in range(4):
        env.step(env.unwrapped.legal_actions()[0])
    env.close()
    check_film(films.pop(), shape)

    name = f"murder_envs/{game.replace('_', '-')}-v0"
    one = gymnasium.make(name, render_mode="rgb_array")
    one = gymnasium.wrappers.RecordVideo(one, str(tmp_path / "seat"), episode_trigger=lambda _: True)
    one.reset(seed=1)
    one.step(one.unwrapped.legal_actions()[0])
    one.close()
    check_film(films.pop(), shape)

    many = gymnasium.make_vec(name, num_envs=4, render_mode="rgb_array")
    many = gymnasium.wrappers.vector.RecordVideo(many, str(tmp_path / "many"), episode_trigger=lambda _: True)
    many.reset(seed=1)
    many.step(many.unwrapped.action_masks().argmax(-1))
    many.close()
    check_film(films.pop(), (2 * shape[0], 2 * shape[1], 3))


# -- The window, and what may be missing ------------------------------------------------------------------------------


def test_window(screen):
    shown = window.Window("A game")
    picture = np.zeros((40, 30, 3), np.uint8)
    picture[5, 7] = (10, 20, 30)
    shown.show(picture)
    assert screen.display.get_surface().get_at((7, 5))[:3] == (10, 20, 30)
    assert screen.display.get_caption()[0] == "A game"
    shown.show(np.zeros((50, 30, 3), np.uint8))
    assert screen.display.get_surface().get_size() == (30, 50)
    screen.event.post(screen.event.Event(screen.QUIT))
    shown.show(picture)
    assert screen.display.get_surface() is None and shown.is_closed
    shown.show(picture)
    assert screen.display.get_surface() is None
    shown.close()


def test_copies_open_windows_of_their_own(screen):
    env = aec.raw_env(FIRST, render_mode="human")
    env.reset(seed=1)
    env.render()
    for other in (copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env.redeal(0, 1)):
        assert other._window is not env._window and other._window._screen is None
        other.close()
    assert screen.display.get_surface() is not None
    env.close()
    assert screen.display.get_surface() is None


def test_without_a_display(monkeypatch):
    for name in ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    import pygame

    pygame.display.quit()
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    env = aec.env(FIRST, render_mode="human")
    env.reset(seed=1)
    with pytest.raises(window.NoDisplay, match='no display here: render_mode="rgb_array" .* "svg"'):
        env.render()
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")
    with pytest.raises(window.NoDisplay, match='cannot open a window .*"rgb_array"'):
        env.render()
    assert env.legal_actions()
    env.close()


def test_without_the_libraries(monkeypatch):
    """SVG needs neither; the others say how to get what they need."""
    env = aec.env(FIRST, render_mode="svg")
    env.reset(seed=1)
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(DependencyNotInstalled, match=r"pip install 'murder_envs\[play\]'.*\"rgb_array\".*\"svg\""):
        window.Window("x").show(np.zeros((9, 9, 3), np.uint8))
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert env.render().startswith("<svg")
    with pytest.raises(DependencyNotInstalled, match=r"pip install 'murder_envs\[pictures\]'.*\"svg\""):
        env.scene().pixels()
