"""The command that writes a page on runs, and what stands on it."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

CLAIM = """
[[claim]]
id = "high"
game = "wasp"
rules = "wasp"
kind = "floor"
n = 10000
budget = "unknown"
won = "unknown"
lost = "unknown"
unsettled = "unknown"
share = "99.9"
half_width = "unknown"
printed = "99.9 %"
title = "<b>A page</b> | of *claims*"
publisher = "unknown"
seen = "unknown"
where = "unknown"
comparable = true
survey = "wasp"
"""


def made(cli, *arguments: object) -> tuple[str, str]:
    """The page and the Markdown of a report."""
    cli("report", *arguments)
    return Path("report.html").read_text(), Path("report.md").read_text()


def solve(cli, place: str, *arguments: object, budget: str = "300") -> None:
    cli("run", *arguments, "--budget", budget, "--workers", 1, "-o", place)


@pytest.fixture
def run(cli) -> str:
    """A run that leaves some deals open."""
    solve(cli, "runs/wasp", "-g", "wasp", "--deals", "0:200")
    return "runs/wasp"


def unbroken(page: str) -> str:
    """A page with blanks for all that a line may not be broken at."""
    return page.replace("\N{NO-BREAK SPACE}", " ")


def cells(page: str) -> list[list[str]]:
    """The rows of all tables of a page."""
    return [
        [html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    ]


def test_says_what_stats_says(cli, run):
    (figures,) = json.loads(cli("stats", run, "--json").stdout)
    page, markdown = made(cli, run)
    floor, low, high = (f"{100 * figures[name]:.2f}" for name in ("floor", "low", "high"))
    answer = (
        f"At least {floor} % of the deals can be won, a floor since {figures['unsettled']} of 200 "
        "are unsettled at 300 positions a deal; the share of all deals that can be won is between "
        f"{low} and {high} % (95 % interval)."
    )
    assert f'<p class="answer">{answer}</p>' in unbroken(page)
    wraps = re.sub(r"<(style|svg|table)\b.*?</\1>|<[^>]*>", "", page, flags=re.DOTALL)
    assert re.findall("[0-9]+ %", wraps) == []
    assert f"**{answer}**" in markdown
    assert ["unsettled", str(figures["unsettled"]), "", "", ""] in cells(page)
    assert f"| won | {figures['won']} | {floor} | " in markdown


def test_open_deals_are_named_up_to_fifty(cli, run):
    rows = [
        json.loads(line) for line in cli("export", run, "--format", "jsonl").stdout.splitlines()
    ]
    seeds = [row["seed"] for row in rows if row["outcome"] == "unsettled"]
    assert 0 < len(seeds) <= 50
    for text in made(cli, run):
        assert f"{len(seeds)} unsettled, 0 in error:" in text
        assert " ".join(seeds) in text
    solve(cli, "one", "-g", "wasp", "--deals", "0:200", budget="1")
    page, markdown = made(cli, "one")
    seeds = re.findall(r"class=\"seeds\">(.*?)<", page)[0].split()
    assert len(seeds) == 50
    assert "; the first 50 of them:" in page
    assert "; the first 50 of them:" in markdown
    assert " ".join(seeds) in markdown


def test_the_same_run_gives_the_same_page(cli, run):
    assert made(cli, run) == made(cli, run)


def test_figures_stand_for_their_tables(cli, run):
    page, _ = made(cli, run)
    drawn = [ElementTree.fromstring(each) for each in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]
    assert len(drawn) == 4  # two figures, each wide and narrow
    labels = [each.attrib["aria-label"] for each in drawn]
    assert labels[0] == labels[1] != labels[2] == labels[3]
    (at,) = json.loads(cli("curve", run, "--budgets", 300, "--json").stdout)
    shares = [
        f"{100 * at['curve'][0][floor]:.2f} % {what}"
        for floor, what in (("settled_floor", "settled"), ("floor", "won"), ("lost_floor", "lost"))
    ]
    assert f"at 300 positions {', '.join(shares)}" in labels[0]
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))


def test_what_is_redone_is_the_same(cli, run):
    page, markdown = made(cli, run)
    redo = html.unescape(re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)[0])
    assert f"```sh\n{redo}\n```" in markdown
    again, verify = redo.replace("\\\n", "").splitlines()
    cli(*shlex.split(again)[1:])
    assert figures(cli, f"again/{run}") == figures(cli, run)
    assert "0 bad" in cli(*shlex.split(verify)[1:]).stdout


def figures(cli, run: str) -> dict[str, Any]:
    (found,) = json.loads(cli("stats", run, "--json").stdout)
    assert found.pop("run") == run
    return found


def redone(cli, run: str) -> str:
    """What a report says of redoing a run, once that was done and gave the same figures."""
    _, markdown = made(cli, run)
    what, block = markdown.split("How to redo it\n\n")[1].split("\n\n```sh\n")
    for line in block.partition("\n```")[0].replace("\\\n", "").splitlines():
        head, pipe, command = line.rpartition(" | ")
        lines = None
        if pipe:
            _, _, count, name = head.split()
            lines = "".join(Path(run, name).read_text().splitlines(True)[: int(count)])
        said = cli(*shlex.split(command)[1:], stdin=lines)
    checked = re.match("([0-9]+) deals solved again, 0 with other results", said.stdout)
    assert int(checked[1]) > 50 if checked else "0 bad" in said.stdout
    assert figures(cli, f"again/{run}") == figures(cli, run)
    return what


class TestARunThatStopped:
    RULE = ("--until", "half-width=10%")

    def test_is_redone_by_its_rule(self, cli):
        solve(cli, "a", "-g", "wasp", "--deals", "7:3k", *self.RULE, budget="3k")
        (figures,) = json.loads(cli("stats", "a", "--json").stdout)
        assert 110 < figures["n"] < 2000
        assert figures["interval"] == "sequence"
        page, _ = made(cli, "a")
        assert f"--deals 7:{7 + figures['n']} --scheme" in page
        assert "--until half-width=10%" in page
        assert "; intervals are made as 95 % sequence<" in unbroken(page)
        assert "It did not look" not in redone(cli, "a")

    def test_is_redone_if_it_looked_late(self, cli):
        solve(cli, "a", "-g", "wasp", "--deals", "0:900", budget="3k")
        solve(cli, "a", "-g", "wasp", "--deals", "0:900", *self.RULE, "--lines", budget="3k")
        said = redone(cli, "a")
        assert re.search("it would have stopped at [1-8][0-9]{2} deals", said)

    def test_is_redone_with_what_was_searched_again(self, cli):
        solve(cli, "a", "-g", "wasp", "--deals", "0:900", *self.RULE, budget="300")
        cli("run", "--retry", "unsettled", "--budget", "3k", "-o", "a")
        _, markdown = made(cli, "a")
        assert "solstat run --retry unsettled --budget 3k -o again/a" in markdown
        assert "It did not look" not in redone(cli, "a")

    def test_is_redone_of_a_file(self, cli):
        deals = "\n".join(f"d.{seed}: {deal(seed)}" for seed in range(130))
        Path("own.txt").write_text(deals)
        rule = ("--until", "half-width=20%")
        solve(cli, "a", "-g", "wasp", "--deals-file", "own.txt", *rule, budget="3k")
        (figures,) = json.loads(cli("stats", "a", "--json").stdout)
        assert figures["n"] < 130
        redone(cli, "a")


def test_what_is_redone_of_a_run_that_is_not_complete(cli, run):
    page, _ = made(cli, run)
    assert "planned;" not in page
    (part,) = Path(run).glob("*.parquet")
    kept = Path("kept")
    part.rename(kept)
    page, markdown = made(cli, run)
    for text in (page, markdown):
        assert "the same rows" not in text
        assert "they solve all 200 planned deals" in text
        assert "of now" not in text
        assert "seeds 0 to 199 of scheme solstat planned; 0 of 200 solved" in text
    kept.rename(part)
    record = json.loads(Path(run, "run.json").read_text()) | {"deals": 500}
    Path(run, "run.json").write_text(json.dumps(record))
    page, _ = made(cli, run)
    assert "they solve all 500 planned deals" in page
    assert "The 200 rows of now are among theirs." in page


def test_what_is_redone_of_other_schemes(cli):
    solve(cli, "pysol", "-g", "wasp", "--scheme", "pysol", "--deals", "ms7:ms27", "--no-lines")
    page, _ = made(cli, "pysol")
    assert "--deals ms7:ms27 --scheme pysol" in page
    assert "--no-lines" in page
    assert "seeds ms7 to ms26 of scheme pysol" in page
    deals = "\n".join(f"d.{seed}: {deal(seed)}" for seed in range(3))
    Path("own.txt").write_text(deals)
    solve(cli, "file", "-g", "wasp", "--deals-file", "own.txt", budget="1")
    page, markdown = made(cli, "file")
    assert "--deals-file deals.txt" in page
    assert "random sample" in page
    assert "d.0" in markdown


def deal(seed: int) -> str:
    from solstat.cards import card_text
    from solstat.solver import deal_many

    return " ".join(map(card_text, deal_many("solstat", [str(seed)])[0].tolist()))


def test_several_runs_have_a_section_each(cli, run):
    solve(cli, "runs/three", "-g", "wasp(face_down_piles=3)", "--deals", "0:30")
    page, markdown = made(cli, "runs")
    assert page.count('<p class="answer">') == 2
    assert "How many deals can be won? 2 surveys" in page
    assert re.findall(r'href="#(\w+)"', page)[:2] == re.findall(r'<section id="(\w+)"', page)
    assert markdown.count("\n## ") == 2
    assert markdown.endswith(" from the rows of these runs: runs/three, runs/wasp.\n")
    assert " from the rows of these runs: runs/three, runs/wasp.</footer>" in page
    assert "face_down_piles = 3 (changed)" in page


def test_published_shares_stand_beside(cli, run):
    Path("published").mkdir()
    Path("published/wasp.toml").write_text(CLAIM)
    page, markdown = made(cli, run, "--claims", "published")
    assert "Against what is published" not in "".join(made(cli, run))
    (row,) = (row for row in cells(page) if row[0] == "high")
    assert row[3] == "too high"
    assert "(<b>A page</b> | of *claims*, publisher unknown)" in row[4]
    assert "<b>" not in page
    assert r"&lt;b&gt;A page&lt;/b&gt; \| of \*claims\*" in markdown
    Path("configs").mkdir()
    Path("published").rename("configs/claims")
    assert made(cli, run) == (page, markdown)  # found there if not said
    assert "nowhere" in cli("report", run, "--claims", "nowhere", code=2).stderr


def test_all_errors(cli, run, rewritten):
    rewritten(run, outcome="error", reason="crash:SIGSEGV", line=None, positions=0, stage=None)
    page, markdown = made(cli, run)
    assert (
        "At least 0.00 % of the deals can be won, a floor since 200 of 200 are in error"
        in unbroken(page)
    )
    assert "0 unsettled, 200 in error; the first 50 of them" in markdown
    assert ["error", "200", "", "", ""] in cells(page)
    assert "<svg" not in page


def test_one_deal_of_each_kind(cli, run, rewritten):
    for outcome, answer in (
        ("won", "100.00 % of the deals can be won, 200 of 200, and none is unsettled"),
        ("lost", "0.00 % of the deals can be won, 0 of 200, and none is unsettled"),
        ("unsettled", "At least 0.00 % of the deals can be won, a floor since 200 of 200 are"),
    ):
        rewritten(run, outcome=outcome, positions=300)
        page, markdown = made(cli, run)
        assert answer in unbroken(page)
        assert answer in markdown


def test_a_run_without_rows(cli, run):
    for part in Path(run).glob("*.parquet"):
        part.unlink()
    page, markdown = made(cli, run)
    for text in (page, markdown):
        assert "Nothing is known yet, since no deal is solved." in text
        assert "The run is not complete: 0 of 200 planned deals are solved." in text
    assert "<svg" not in page


def test_what_others_wrote_is_text(cli, run):
    record = json.loads(Path(run, "run.json").read_text())
    evil = "</pre><script>alert(1)</script> | `` \n# \x1b[1m <img src=x onerror=alert(1)>"
    record["history"][0] |= {"command": evil, "commit": evil, "workers": evil, "machine": evil}
    Path(run, "run.json").write_text(json.dumps(record))
    name = "runs/<img src=x onerror=alert(1)> \"&' `*_$x$"
    Path(run).rename(name)
    page, markdown = made(cli, name)
    assert "<script" not in page
    assert "<img" not in page
    assert html.escape(name, quote=False).replace("'", "&#39;").replace('"', "&#34;") in page
    assert "\x1b" not in page + markdown
    code = markdown[markdown.index("```sh") :]
    assert "<img" not in markdown.replace(code[: code.index("\n```\n")], "")
    assert "\n# \\x1b" not in markdown


@pytest.mark.parametrize(
    ("out", "files"),
    [
        ("a.html", ["a.html", "a.md"]),
        ("a.md", ["a.html", "a.md"]),
        ("R.HTM", ["R.HTM", "R.md"]),
        ("R.Md", ["R.html", "R.Md"]),
        ("none/a.b.html", ["none/a.b.html", "none/a.b.md"]),
        ("runs", ["runs/report.html", "runs/report.md"]),
        ("there.d", ["there.d/report.html", "there.d/report.md"]),
        ("some/where", ["some/where/report.html", "some/where/report.md"]),
    ],
)
def test_where_it_goes(cli, run, out, files):
    Path("there.d").mkdir()
    said = cli("report", run, "-o", out)
    assert said.stderr.startswith(f"The report is in {files[0]}, as Markdown in {files[1]}\n")
    assert said.stdout == ""
    assert all(Path(file).stat().st_size > 1000 for file in files)


def test_where_it_cannot_go(cli, run):
    Path("file").touch()
    said = cli("report", run, "-o", "file/there", code=1).stderr
    assert said == "Error: cannot make file/there: Not a directory\n"
    right = "name a file that ends in .html, .htm or .md, or a directory\n"
    for out in ("-", "r.txt", "new/r.pdf"):
        said = cli("report", run, "-o", out, code=2).stderr
        assert said == f"Error: -o {out}: {right}"
    said = cli("report", run, "-o", "file", code=2).stderr
    assert said == f"Error: -o file: it is there and no directory; {right}"
    Path("link").symlink_to(run)
    for out in (run, f"{run}/a.html", f"{run}/deeper/a.md", "link", "link/a.html"):
        said = cli("report", run, "-o", out, code=2).stderr
        assert said == f"Error: -o {out}: wasp is the directory of a run; name another place\n"
    assert sorted(os.listdir()) == ["file", "link", "runs"]
    assert not [each for each in Path("runs").rglob("*") if "a." in each.name or each.is_dir()][1:]
    assert Path("file").read_bytes() == b""


def test_says_that_there_are_no_claims(cli, run):
    said = cli("report", run).stderr
    assert said.splitlines()[1:] == [
        "Nothing published stands in it, there is no configs/claims here: --claims DIR says where"
    ]
    Path("own").mkdir()
    Path("own/wasp.toml").write_text(CLAIM)
    assert cli("report", run, "--claims", "own").stderr.count("\n") == 1


def test_no_run(cli):
    assert "no run here" in cli("report", "nowhere", code=2).stderr


def test_without_jinja(cli, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for module in ("page", "environment"):
        monkeypatch.delitem(sys.modules, f"solstat.report.{module}", raising=False)
    said = cli("report", run, code=1).stderr
    assert said == "Error: jinja2 is not installed: pip install 'solstat[report]'\n"
