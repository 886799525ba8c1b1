"""``python -m solstat`` is the command ``solstat``."""

from solstat.cli import main

main()
