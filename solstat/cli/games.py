"""``solstat games``: what can be surveyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from solstat.cli.command import command
from solstat.cli.options import json_option
from solstat.cli.output import write, write_json

if TYPE_CHECKING:
    from solstat.games import Preset


@command("solstat games", "solstat games --json")
@json_option
def games(as_json: bool) -> None:
    """List the games, their options and sources."""
    from solstat.games import presets

    if as_json:
        write_json([_as_object(preset) for preset in presets()])
    else:
        write("\n\n".join(_as_text(preset) for preset in presets()))


def _as_object(preset: Preset) -> dict[str, Any]:
    from solstat.games import family_options

    return {
        "name": preset.name,
        "family": preset.family,
        "summary": preset.summary,
        "options": [
            {
                "name": option.name,
                "value": preset.options[option.name],
                "values": list(option.values),
                "help": option.help,
            }
            for option in family_options(preset.family)
        ],
        "sources": list(preset.sources),
    }


def _as_text(preset: Preset) -> str:
    from solstat.games import family_options, value_text

    lines = [f"{preset.name} (family {preset.family})", f"  {preset.summary}"]
    for option in family_options(preset.family):
        usual = value_text(preset.options[option.name])
        lines.append(f"  -r {option.name}={usual}  {option.help}: {option.values_text}")
    lines += [f"  source: {source}" for source in preset.sources]
    return "\n".join(lines)
