"""Run notebooks from top to bottom and write their outputs into them.

tools/notebooks.py notebooks/*.ipynb
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

SECONDS = 600
"""A cell that takes longer is an error."""


def executed(path: Path) -> Any:
    """The notebook with the outputs of a run in its own folder; nothing is written there.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        A cell raises.
    """
    notebook = nbformat.read(path, nbformat.NO_CONVERT)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as place:
        # Sockets are files, so that no port is opened; settings and history of the user stay out.
        sockets = {"transport": "ipc", "connection_file": f"{place}/kernel.json"}
        client = NotebookClient(
            notebook,
            config=Config({"KernelManager": sockets}),
            timeout=SECONDS,
            record_timing=False,
            coalesce_streams=True,  # what a cell prints may come in pieces
            resources={"metadata": {"path": str(path.parent)}},
        )
        client.execute(env={"IPYTHONDIR": place})
    return notebook


def main(paths: list[str]) -> None:
    """Run notebooks and write their outputs into them."""
    for path in map(Path, paths):
        notebook = executed(path)
        notebook.metadata["language_info"] = {"name": "python"}  # not of this Python's version
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main(sys.argv[1:])
