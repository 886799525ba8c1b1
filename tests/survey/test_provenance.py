from __future__ import annotations

import getpass
import json
import os
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

from solstat import __version__
from solstat.survey import provenance as module
from solstat.survey.provenance import command_text, commit, provenance


class TestProvenance:
    def test_says_what_made_the_rows(self) -> None:
        found = provenance()
        assert found["versions"]["solstat"] == __version__
        assert found["versions"]["pyarrow"] == metadata.version("pyarrow")
        assert "pebble" not in found["versions"]
        assert provenance(["pebble"])["versions"]["pebble"] == metadata.version("pebble")
        machine = found["machine"]
        assert machine["cores"] == os.cpu_count()
        assert machine["memory_bytes"] > 2**20
        assert machine["os"].startswith("Linux ")
        assert machine["cpu"]

    def test_names_neither_host_nor_user_nor_folder(self) -> None:
        text = json.dumps(provenance())
        for secret in (os.uname().nodename, f'"{getpass.getuser()}"', str(Path.home())):
            assert secret not in text

    def test_a_machine_without_cpuinfo(self, monkeypatch) -> None:
        def none(_: Path) -> str:
            raise FileNotFoundError

        monkeypatch.setattr(Path, "read_text", none)
        assert module._cpu_model() in (module.platform.processor() or None, None)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["solstat", "run", "-g", "wasp"], "solstat run -g wasp"),
        (["/opt/bin/solstat", "run", "/home/me/a.toml"], "solstat run a.toml"),
        (["solstat", "--out=/home/me/a b"], "solstat '--out=a b'"),
        (["solstat", "-r", "face_down_piles=3", "~me/x"], "solstat -r face_down_piles=3 x"),
        (["solstat", "-o", "runs/a"], "solstat -o runs/a"),
    ],
)
def test_command_has_no_absolute_paths(words: list[str], text: str) -> None:
    assert command_text(words) == text


class TestCommit:
    @pytest.fixture
    def origin(self, tmp_path: Path, monkeypatch):
        """Make solstat seem to be installed from somewhere."""

        class Distribution:
            text: str | None = None

            def read_text(self, name: str) -> str | None:
                assert name == "direct_url.json"
                return self.text

        found = Distribution()
        monkeypatch.setattr(module.metadata, "distribution", lambda _: found)

        def origin(content: object) -> None:
            found.text = None if content is None else json.dumps(content)

        return origin

    @pytest.fixture
    def clone(self, tmp_path: Path) -> Path:
        """A repository with one commit of a folder `solstat`."""
        folder = tmp_path / "a clone"
        (folder / "solstat").mkdir(parents=True)
        (folder / "solstat" / "a.py").write_text("1")
        for words in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a"],
        ):
            subprocess.run(["git", "-C", folder, *words], check=True)
        return folder

    def head(self, clone: Path) -> str:
        command = ["git", "-C", clone, "rev-parse", "HEAD"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def test_of_a_clone_with_and_without_changes(self, origin, clone: Path) -> None:
        origin({"url": clone.as_uri(), "dir_info": {"editable": True}})
        assert commit() == self.head(clone)
        (clone / "solstat" / "a.py").write_text("2")
        assert commit() == self.head(clone) + "+"

    def test_of_a_repository(self, origin) -> None:
        origin({"url": "https://example.org/x.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}})
        assert commit() == "abc"

    @pytest.mark.parametrize("how", ["release", "folder", "gone", "no git", "broken"])
    def test_unknown(self, origin, clone: Path, tmp_path: Path, monkeypatch, how: str) -> None:
        origin({"url": clone.as_uri()})
        if how == "release":
            origin(None)
        elif how == "folder":  # inside somebody else's clone, maybe
            origin({"url": (clone / "solstat").as_uri()})
        elif how == "gone":
            origin({"url": (tmp_path / "none").as_uri()})
        elif how == "no git":
            monkeypatch.setenv("PATH", str(tmp_path))
        else:
            (clone / ".git" / "HEAD").unlink()
        assert commit() is None
