"""What mkdocs does beside its plugins: pages of the repository that lie outside docs/ are pages of the site too.

They keep their place: `benchmarks/exact.md` is the page of that name, and `docs/search.md` is `search.md`. Links are
written as they work in the repository, and are turned here into links of the site. A link to a function in the code of
a game (`play.py#legal_play`) leads to its entry on the game's page of reference, which is made here as well.
"""

from __future__ import annotations

import pathlib
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = pathlib.Path(__file__).parents[1]
LINK = re.compile(r'(?<=\]\()(?![a-z]+:|#)([^)\s#]+)(#[^)\s]+)?(?=\))|(?<=src=")(?![a-z]+:)([^"]+)(?=")')
"""The target and the fragment of a link in Markdown; or the source of an image in HTML."""
REFERENCE = "reference/"
IN_REFERENCE = ("cards", "moves", "state", "config", "deal", "generator", "knowledge", "effects", "play", "series")
"""The files of a game that its page of reference has, where the game has them."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of `nav` that lie outside docs/, those of reference, and what pages link to beside pages."""
    for uri in pages_of(config.nav):
        if uri.startswith(REFERENCE):
            files.append(File.generated(config, uri, content=reference(pathlib.PurePath(uri).stem)))
        elif not files.get_file_from_path(uri) and (ROOT / uri).exists():
            files.append(File.generated(config, uri, abs_src_path=str(ROOT / uri)))
    for file in [*files.documentation_pages()]:
        for match in LINK.finditer(file.content_string):
            target = repository_path(file.src_uri, match[1] or match[3])
            path, uri = ROOT / target, site_uri(target)
            if path.is_file() and path.suffix not in (".md", ".py") and not files.get_file_from_path(uri):
                files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the links of the repository into those of the site; a link to what is not there loses its target."""
    uri = page.file.src_uri

    def turned(match: re.Match[str]) -> str:
        fragment = match[2] or ""
        to, fragment = in_reference(repository_path(uri, match[1] or match[3]), fragment)
        return posixpath.relpath(site_uri(to), posixpath.dirname(uri) or ".") + fragment

    return LINK.sub(turned, markdown)


def pages_of(nav: Any) -> Iterator[str]:
    """The pages that a navigation names, in order."""
    if isinstance(nav, str):
        yield nav
    for entry in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from pages_of(entry)


def repository_path(uri: str, link: str) -> str:
    """Where a link of a page leads to in the repository."""
    source = uri if (ROOT / uri).exists() and not (ROOT / "docs" / uri).exists() else f"docs/{uri}"
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def site_uri(path: str) -> str:
    """The place on the site of what lies here in the repository."""
    return path.removeprefix("docs/")


def in_reference(path: str, fragment: str) -> tuple[str, str]:
    """The entry of a function of a game on its page of reference; all else as it is."""
    found = re.fullmatch(r"murder_envs/games/(\w+)/(\w+)\.py", path)
    if not found:
        return path, fragment
    return (
        f"docs/{REFERENCE}{found[1]}.md",
        f"#{path.removesuffix('.py').replace('/', '.')}{fragment.replace('#', '.')}",
    )


def reference(game: str) -> str:
    """The page of reference of a game: its own files, with their source."""
    title = re.search(r'^TITLE = "(.+)"$', (ROOT / "murder_envs/games" / game / "__init__.py").read_text("utf-8"), re.M)
    assert title, f"{game} has no TITLE"
    parts = [
        f"# {title[1]}: code",
        "The parts of the game in which the rules are written, with their source. Kernels are compiled; `state` and "
        "`rules` are records of the types `State` and `Rules`.",
    ]
    for file in IN_REFERENCE:
        if (ROOT / "murder_envs/games" / game / f"{file}.py").exists():
            name = f"murder_envs.games.{game}.{file}"
            options = "show_root_heading: false, show_root_toc_entry: false, show_source: true"
            parts += [f"## {file} {{ #{name} }}", f"::: {name}\n    options: {{ {options} }}"]
    return "\n\n".join(parts) + "\n"
