"""The command that writes a page on a deal; tests/report looks at pages in a browser."""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path

import pytest

LOST, WON = 1, 24  # seeds of wasp


def page(cli, *arguments: object) -> str:
    """The page of a deal, as text without entities."""
    said = cli("show", *arguments, "-o", "page.html")
    assert said.stdout == ""
    text = html.unescape(Path("page.html").read_text())
    verdict, place = said.stderr.split(" The page is in ")
    assert place == "page.html\n"
    assert verdict in text
    return text


def solved(cli, *arguments: object) -> dict:
    return json.loads(cli("solve", *arguments, "--json").stdout)


def data(text: str) -> dict:
    return json.loads(
        re.findall('<script type="application/json" id="data">(.*?)</script>', text)[0]
    )


def survey(cli, place: str, *arguments: object, budget: str = "5k") -> None:
    cli("run", *arguments, "--budget", budget, "--workers", 1, "-o", place)


@pytest.fixture
def run(cli) -> str:
    survey(cli, "runs/wasp", "-g", "wasp", "--deals", "20:40")
    return "runs/wasp"


def test_shows_the_line_that_is_found(cli):
    found = solved(cli, "wasp", WON)
    text = page(cli, "wasp", WON)
    assert f"Won in {found['moves']} moves." in text
    assert f"The search took {found['positions']} positions." in text
    assert f'<pre tabindex="0">{found["line"]}</pre>' in text
    assert len(data(text)["steps"]) == found["moves"] + 1
    assert cli("deal", "wasp", WON).stdout.splitlines()[-1] in text
    assert page(cli, "wasp", WON) == text


def test_a_deal_without_a_line(cli):
    for arguments, verdict in (
        (("wasp", LOST), "Proved lost: no line wins this deal."),
        (("wasp", WON, "--budget", 9), "Unsettled within 9 positions: nobody knows yet."),
    ):
        text = page(cli, *arguments)
        assert verdict in text
        assert "<script" not in text
        assert "script-src 'none'" in text
        assert text.count('<li class="card') == 52


def test_a_line_that_is_given(cli):
    text = page(cli, "wasp", WON, "--line", " AC>5  8S>7 ")
    assert "Not won after 2 moves." in text
    assert '<pre tabindex="0">AC>5 8S>7</pre>' in text
    assert "The line was given, not searched for." in text
    found = solved(cli, "wasp", WON)
    assert f"Won in {found['moves']} moves." in page(cli, "wasp", WON, "--line", found["line"])
    assert "Not won after 0 moves." in page(cli, "wasp", WON, "--line", "")
    said = cli("show", "wasp", WON, "--line", "AC>5 AC>5", code=2).stderr
    assert said == "Error: move 2: AC>5: AC is in that pile already\n"


def test_a_deal_of_a_file(cli):
    Path("own.txt").write_text(cli("deal", "wasp", WON).stdout.replace(f"\n{WON}: ", "\nmine: "))
    text = page(cli, "wasp", "--deal", "own.txt")
    assert "<title>wasp, deal mine</title>" in text
    assert "A deal of a file." in text
    assert data(text) == data(page(cli, "wasp", WON))


def test_other_rules_and_schemes(cli):
    text = page(cli, "wave-motion", "ms7", "-r", "columns=12", "--scheme", "pysol")
    assert "<title>wave-motion(columns=12), deal ms7</title>" in text
    assert "Seed ms7 of scheme pysol." in text
    assert len(data(text)["piles"]) == 20


class TestARun:
    def test_its_rows_are_shown(self, cli, run):
        for row in map(json.loads, cli("export", run, "--format", "jsonl").stdout.splitlines()):
            text = page(cli, "wasp", row["seed"], "--run", run)
            assert f"From the run {run}; the search took " in text
            if row["outcome"] == "won":
                assert f"Won in {row['moves']} moves." in text
                assert f'<pre tabindex="0">{row["line"]}</pre>' in text
            else:
                assert row["outcome"] in text.lower()
                assert "<script" not in text

    def test_without_lines_it_is_searched_again(self, cli, run):
        words = ("-g", "wasp", "--deals", "20:30", "--no-lines", "--search", "plain")
        survey(cli, "bare", *words)
        found = solved(cli, "wasp", WON, "--search", "plain")
        text = page(cli, "wasp", WON, "--run", "bare")
        assert f'<pre tabindex="0">{found["line"]}</pre>' in text
        assert "keeps no lines, so the deal was searched again; the plain search took" in text

    def test_of_a_file_it_is_asked_by_id(self, cli):
        deals = "".join(
            cli("deal", "wasp", seed).stdout.replace(f"\n{seed}: ", f"\nd-{seed}: ")
            for seed in (LOST, WON)
        )
        Path("own.txt").write_text(deals)
        survey(cli, "own", "-g", "wasp", "--deals-file", "own.txt")
        assert "Won in " in page(cli, "wasp", f"d-{WON}", "--run", "own")
        assert "Proved lost" in page(cli, "wasp", f"d-{LOST}", "--run", "own")
        said = cli("show", "wasp", "d-7", "--run", "own", code=2).stderr
        assert said == "Error: deal 'd-7' is not among those that are solved in own\n"

    def test_it_is_found_among_others(self, cli, run):
        survey(cli, "runs/scorpion", "-g", "scorpion", "--deals", "20:22", budget="9")
        assert "Won in " in page(cli, "wasp", WON, "--run", "runs")
        said = cli("show", "spiderette", WON, "--run", "runs", code=2).stderr
        assert said == "Error: no run of spiderette is there: there are runs of scorpion, wasp\n"
        said = cli("show", "scorpion", WON, "--run", "runs", code=2).stderr
        assert said.endswith("is not among those that are solved in runs/scorpion\n")
        said = cli("show", "wasp", "x", "--run", "runs", code=2).stderr
        assert said.endswith("deal 'x' is not among those that are solved in runs/wasp\n")
        said = cli("show", "wasp", WON, "--scheme", "pysol", "--run", "runs", code=2).stderr
        assert said.endswith(f"deal '{WON}' is not among those that are solved in scheme 'pysol'\n")
        survey(cli, "runs/more", "-g", "wasp", "--deals", "24:25")
        said = cli("show", "wasp", WON, "--run", "runs", code=2).stderr
        assert said == f"Error: deal '{WON}' is in several runs: name one of runs/more, runs/wasp\n"

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ("AC>5 AC>5", "move 2: AC>5: AC is in that pile already"),
            ("AC>5", "legal, but the game is not won after its 1 moves"),
        ],
    )
    def test_a_line_that_does_not_hold(self, cli, run, rewritten, line, why):
        rewritten(run, line=line)
        said = cli("show", "wasp", WON, "--run", run, code=1).stderr
        assert said == f"Error: {run}: the line of deal '{WON}' does not hold: {why}\n"

    def test_an_error(self, cli, run, rewritten):
        rewritten(run, outcome="error", reason="crash:<b>", line=None)
        text = page(cli, "wasp", WON, "--run", run)
        assert "The solver failed over this deal (crash:<b>): nothing is known of it." in text
        assert "crash:&lt;b&gt;" in Path("page.html").read_text()

    def test_what_it_says_is_text(self, cli, run, rewritten):
        rewritten(run, seed="<script>alert(1)</script>")
        cli("report", run, "--show", 1, "-o", "r.html")
        for file in ("r.html", "r-deals/run1-0.html"):
            assert "<script>alert" not in Path(file).read_text()
        assert "<script>alert" not in Path("r.md").read_text()


def test_json(cli):
    found = solved(cli, "wasp", WON)
    said = cli("show", "wasp", WON, "--json")
    assert not Path("show.html").exists()
    told = json.loads(said.stdout)
    assert said.stderr == ""
    assert (told["rules"], told["scheme"], told["seed"]) == ("wasp", "solstat", str(WON))
    assert (told["outcome"], told["line"]) == ("won", found["line"])
    assert " ".join(step["move"] for step in told["steps"][1:]) == found["line"]
    first, *_, last = told["steps"]
    table = json.loads(cli("deal", "wasp", WON, "--json").stdout)["table"]
    assert first["piles"] == [pile for pile in table if pile["pile"] != "stock"]
    assert first["stock"] == table[-1]["cards"]
    assert [len(run) for run in last["finished"]] == [13] * 4
    cli("show", "wasp", WON, "--json", "-o", "both.html")
    assert Path("both.html").exists()


def test_where_it_goes(cli, run):
    won = cli("solve", "wasp", WON, "--json").stdout
    told = f"Won in {json.loads(won)['moves']} moves. The page is in show.html\n"
    assert cli("show", "wasp", WON).stderr == told
    assert cli("show", "wasp", LOST).stderr.startswith("Proved lost: no line wins this deal. The ")
    right = "name a file that ends in .html or .htm\n"
    for out in ("-", "page", "page.txt", "page.md"):
        said = cli("show", "wasp", WON, "-o", out, code=2).stderr
        assert said == f"Error: -o {out}: {right}"
    said = cli("show", "wasp", WON, "-o", f"{run}/a.html", code=2).stderr
    assert said == f"Error: -o {run}/a.html: wasp is the directory of a run; name another place\n"
    said = cli("show", "wasp", WON, "-o", "nowhere/a.html", code=1).stderr
    assert said == "Error: cannot write nowhere/a.html: No such file or directory\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--line", "deal", "--budget", "9"], "--run RUN, --line LINE and --budget: give one"),
        (["--run", "runs/wasp", "--line", "deal"], "--run RUN, --line LINE and --budget: give one"),
        (["--run", "runs/wasp", "--deal", "own.txt"], "--run RUN takes SEED, the seed of the deal"),
        (["--deal", "own.txt"], "name one deal: either SEED, or --deal FILE"),
    ],
)
def test_what_does_not_go_together(cli, run, arguments, why):
    said = cli("show", "wasp", WON, *arguments, code=2).stderr
    assert why in said
    assert said.count("\n") == 1


def test_a_report_links_to_pages(cli, run):
    cli("report", run, "--show", 3, "-o", "my rep.html")
    report, markdown = (Path(f"my rep.{kind}").read_text() for kind in ("html", "md"))
    links = re.findall('<li><a href="(my%20rep-deals/run1-[0-9]+.html)">(.*?)</a>', report)
    rows = [json.loads(row) for row in cli("export", run, "--format", "jsonl").stdout.splitlines()]
    won = [row for row in rows if row["outcome"] == "won"][:3]
    assert links == [
        (
            f"my%20rep-deals/run1-{row['index']}.html",
            f"Deal {row['seed']}: Won in {row['moves']} moves.",
        )
        for row in won
    ]
    for (href, name), row in zip(links, won, strict=True):
        assert f"- [{name}]({href})" in markdown
        text = Path(href.replace("%20", " ")).read_text()
        assert html.escape(row["line"]) in text
    assert len(list(Path("my rep-deals").iterdir())) == 3
    cli("report", run, "-o", "plain.html")
    assert "to step through" not in Path("plain.html").read_text()
    assert not Path("plain-deals").exists()


def test_without_jinja(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for module in ("show", "environment"):
        monkeypatch.delitem(sys.modules, f"solstat.report.{module}", raising=False)
    said = cli("show", "wasp", WON, code=1).stderr
    assert said == "Error: jinja2 is not installed: pip install 'solstat[report]'\n"
    assert json.loads(cli("show", "wasp", WON, "--json").stdout)["outcome"] == "won"
