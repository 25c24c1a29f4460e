"""Build the release that murder_envs/__init__.py names, check it, and name the tag to set: `make release`.

Nothing is published and no tag is set. The first check that fails ends the program with a sentence that says what to
do.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"

MAKE_EVERY_GAME = "from murder_envs import GAMES, make_ruleset; print(*(make_ruleset(game).name for game in GAMES))"


def main() -> None:
    """Check the sources, build, check what was built, and say how to go on."""
    version = read(r'^__version__ = "(.+)"$', "murder_envs/__init__.py")
    check_sources(version)
    wheel, sdist = build(version)
    check_contents(wheel, sdist, version)
    check_import(wheel)
    print(f"\ndist/ holds {wheel.name} and {sdist.name}, checked. To release them:")
    print(f"\n    git tag -a v{version} -m 'murder_envs {version}'\n    git push origin v{version}")
    print("    python -m twine upload dist/*")


def read(pattern: str, file: str) -> str:
    """What stands in a file where the pattern has its group."""
    match = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    return match[1] if match else sys.exit(f"{file}: no line like {pattern}")


def git(*arguments: str) -> str:
    """The output of a git command."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def check_sources(version: str) -> None:
    """Everything is committed, and changelog, citation and tags agree with the version."""
    if changes := git("status", "--porcelain"):
        sys.exit(f"Commit these files first, or remove them:\n{changes}")
    read(rf"^## \[({re.escape(version)})\] - \d{{4}}-\d\d-\d\d$", "CHANGELOG.md")
    if (cited := read(r"^version: (.+)$", "CITATION.cff")) != version:
        sys.exit(f"CITATION.cff has version {cited}, murder_envs/__init__.py {version}: make them the same.")
    tag = f"v{version}"
    if git("tag", "--list", tag) and git("rev-list", "-n", "1", tag) != git("rev-parse", "HEAD"):
        sys.exit(f"The tag {tag} is on another commit: raise __version__ in murder_envs/__init__.py.")


def build(version: str) -> tuple[pathlib.Path, pathlib.Path]:
    """Wheel and source distribution, in an empty dist/; their metadata have passed twine's check."""
    shutil.rmtree(DIST, ignore_errors=True)
    run("build", "--no-isolation", "--outdir", str(DIST))
    wheel, sdist = DIST / f"murder_envs-{version}-py3-none-any.whl", DIST / f"murder_envs-{version}.tar.gz"
    run("twine", "check", "--strict", str(wheel), str(sdist))
    return wheel, sdist


def run(module: str, *arguments: str) -> None:
    """Run a Python program; where it fails, so does this one."""
    subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=True)


def check_contents(wheel: pathlib.Path, sdist: pathlib.Path, version: str) -> None:
    """The wheel holds the package, the source distribution all files under version control, and both nothing else."""
    committed = set(git("ls-files").splitlines())
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = {name for name in archive.namelist() if ".dist-info/" not in name}
    with tarfile.open(sdist) as archive:
        names = (member.name for member in archive if member.isfile())
        in_sdist = {name.removeprefix(f"murder_envs-{version}/") for name in names}
    package = {name for name in committed if name.startswith("murder_envs/")}
    for path, held, expected in ((wheel, in_wheel, package), (sdist, in_sdist, committed | {"PKG-INFO"})):
        if held != expected:
            missing, extra = sorted(expected - held), sorted(held - expected)
            sys.exit(f"{path.name} lacks {missing} and should not hold {extra}")


def check_import(wheel: pathlib.Path) -> None:
    """All games can be made from the wheel alone: no data file is left behind in the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        run("pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--target", folder, str(wheel))
        environment = {**os.environ, "PYTHONPATH": folder}
        subprocess.run([sys.executable, "-c", MAKE_EVERY_GAME], cwd=folder, env=environment, check=True)


if __name__ == "__main__":
    main()
