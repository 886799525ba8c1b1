"""``solstat completion``: a script that lets a shell complete commands, options and games."""

from __future__ import annotations

import click

from solstat.cli.command import command
from solstat.cli.output import write


@command(
    "solstat completion bash > solstat.bash",
    "solstat completion zsh > _solstat",
    "solstat completion fish > solstat.fish",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Write a script for completion in a shell.

    \b
    Write it to the file where the shell looks for it:
      bash  ~/.local/share/bash-completion/completions/solstat
            (of the package bash-completion), or any file that ~/.bashrc sources
      zsh   _solstat in a directory of $fpath, before compinit is called
      fish  ~/.config/fish/completions/solstat.fish
    """  # noqa: D301  (click's mark for lines that stay as they are)
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    assert complete is not None  # the choices above are click's own
    write(complete(ctx.find_root().command, {}, "solstat", "_SOLSTAT_COMPLETE").source())
