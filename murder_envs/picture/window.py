"""A window that shows pictures, with pygame-ce."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled

INSTEAD = 'render_mode="rgb_array" gives pixels and "svg" a picture without one'
NOT_SHOWN = ("offscreen", "dummy")
"""Drivers of SDL that show nothing; it takes one by itself where there is no display."""


class NoDisplay(RuntimeError):
    """A window was asked for, and there is no screen for it."""


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise DependencyNotInstalled(
            f"render_mode=\"human\" opens a window with pygame-ce: pip install 'murder_envs[play]'; {INSTEAD}"
        ) from error
    return pygame


class Window:
    """Opens with the first picture. If somebody closes it, it stays closed, and further pictures are not shown.

    Args:
        title: what stands above it.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.is_closed = False
        self._screen: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is another window, which is not open yet."""
        return Window, (self.title,)

    def show(self, picture: np.ndarray) -> None:
        """Show pixels, uint8[height, width, 3].

        Raises:
            DependencyNotInstalled: pygame-ce is missing; the text says how to get it.
            NoDisplay: there is no screen; the text says what to use instead.
        """
        if self.is_closed:
            return
        pygame = _pygame()
        size = (picture.shape[1], picture.shape[0])
        if self._screen is None or self._screen.get_size() != size:
            self._screen = _opened(pygame, size, self.title)
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            return
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.display.flip()

    def close(self) -> None:
        """Close the window, if it is open."""
        self.is_closed = True
        if self._screen is not None:
            self._screen = None
            _pygame().display.quit()


def _opened(pygame: Any, size: tuple[int, int], title: str) -> Any:
    """A window of this size."""
    try:
        pygame.display.init()
        chosen = os.environ.get("SDL_VIDEODRIVER") or os.environ.get("SDL_VIDEO_DRIVER")
        if pygame.display.get_driver() in NOT_SHOWN and not chosen:
            pygame.display.quit()
            raise NoDisplay(f'render_mode="human" opens a window, and there is no display here: {INSTEAD}')
        pygame.display.set_caption(title)
        return pygame.display.set_mode(size)
    except pygame.error as error:
        raise NoDisplay(f'render_mode="human" cannot open a window ({error}): {INSTEAD}') from error
