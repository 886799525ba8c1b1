"""What import-linter does not see: who may import the compiled kernel."""

from __future__ import annotations

import ast
from pathlib import Path

import solstat

PACKAGE = Path(solstat.__file__).parent


def imported_names(path: Path) -> set[str]:
    """Full names of all that a module imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_the_solver_is_the_only_door_to_the_kernel():
    """It has the kernel from `families`, which knows nothing but how it is told rules."""
    importing = {
        name: {
            path.relative_to(PACKAGE).as_posix()
            for path in PACKAGE.rglob("*.py")
            if any(name in each for each in imported_names(path))
        }
        for name in ("_kernel", "solstat.families")
    }
    assert importing == {"_kernel": {"families.py"}, "solstat.families": {"solver.py"}}
