"""Print requirements of pyproject.toml, one a line: of `build`, of `run`, or of an extra.

tools/requirements.py run test
"""

import sys
import tomllib
from pathlib import Path

with (Path(__file__).parent.parent / "pyproject.toml").open("rb") as file:
    pyproject = tomllib.load(file)

sets = {
    "build": pyproject["build-system"]["requires"],
    "run": pyproject["project"]["dependencies"],
    **pyproject["project"]["optional-dependencies"],
}
print("\n".join(line for name in sys.argv[1:] or sets for line in sets[name]))
