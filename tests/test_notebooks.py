"""Notebooks run from top to bottom, and are committed as nobody has run them."""

from __future__ import annotations

import pytest

from tests.support import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SECONDS_A_CELL = 600


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=4)


def test_there_is_a_quick_start():
    assert "quickstart.ipynb" in [path.name for path in NOTEBOOKS]


def test_a_notebook_is_committed_without_outputs(notebook):
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.slow
def test_a_notebook_runs(notebook):
    """In a process of its own, from the checkout; a cell that raises fails the test with its traceback."""
    client = nbclient.NotebookClient(
        notebook, timeout=SECONDS_A_CELL, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    )
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs), "no figure was drawn"
