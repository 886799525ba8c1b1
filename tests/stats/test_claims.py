from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solstat.errors import UsageError
from solstat.games import parse_rules
from solstat.stats.claims import OTHER, UNKNOWN, choose, read_claims

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "configs" / "claims"

WHOLE: dict[str, object] = {
    "id": "one",
    "game": "wasp",
    "rules": "wasp",
    "kind": "floor",
    "n": 1000,
    "budget": "250k",
    "won": 779,
    "lost": UNKNOWN,
    "unsettled": UNKNOWN,
    "share": "77.9",
    "half_width": UNKNOWN,
    "printed": "77.9% of 1,000 proved",
    "title": "A page",
    "publisher": UNKNOWN,
    "seen": "2026-11-29",
    "where": UNKNOWN,
    "comparable": True,
    "survey": "wasp-20000",
}


def toml(table: dict[str, Any]) -> str:
    def value(each: Any) -> str:
        return str(each).lower() if isinstance(each, bool | int | float) else f'"{each}"'

    return "".join(f"{key} = {value(each)}\n" for key, each in table.items())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "claims.toml"


def written(file: Path, *changes: dict[str, Any], without: str = "") -> Path:
    tables = [{k: v for k, v in (WHOLE | each).items() if k != without} for each in changes]
    file.write_text("".join(f"[[claim]]\n{toml(table)}" for table in tables))
    return file


class TestTheClaimsThatComeWithIt:
    def test_each_is_there(self) -> None:
        claims = read_claims(PUBLISHED)
        assert len(claims) == 73
        assert sum(claim.id.startswith("wave-grid-") for claim in claims) == 60
        assert {claim.kind for claim in claims} == {"floor", "share", "outcomes", "human"}

    def test_what_is_not_known_stays_unknown(self) -> None:
        [wasp, top] = choose(read_claims(PUBLISHED), ["wasp-563", "wave-top"])
        assert (wasp.won, wasp.lost, wasp.unsettled, wasp.half_width) == (None,) * 4
        assert (wasp.publisher, wasp.where) == (UNKNOWN, UNKNOWN)
        assert (wasp.n, wasp.budget, wasp.share) == (563, 1_000_000, "89")
        assert (top.n, top.won, top.budget) == (10_000_000, 3_525_755, None)

    def test_percentages_keep_the_digits_they_were_printed_with(self) -> None:
        claims = {claim.id: claim for claim in read_claims(PUBLISHED)}
        assert claims["wave-grid-4x5"].share == "0"
        assert claims["wave-grid-4x6"].share == "0.00"
        assert claims["wave-grid-11x10"].share == "100"
        assert claims["wisp-solvitaire"].share == "99.9240"

    def test_a_cell_is_of_the_layout_that_its_name_says(self) -> None:
        for claim in read_claims(PUBLISHED / "wave-grid.toml"):
            rules = parse_rules(claim.rules)
            layout = f"{rules.option('reserves')}x{rules.option('columns')}"
            assert claim.id == f"wave-grid-{layout}"

    def test_those_that_are_not_comparable_say_why(self) -> None:
        apart = [claim for claim in read_claims(PUBLISHED) if not claim.comparable]
        assert {claim.id for claim in apart} == {
            "wisp-solvitaire",
            "spiderette-solvitaire",
            "scorpion-20000",
        }
        assert all(claim.why for claim in apart)
        assert all(claim.rules == OTHER for claim in apart)


class TestReading:
    def test_a_whole_claim(self, file: Path) -> None:
        [claim] = read_claims(written(file, {}))
        assert claim.won == 779
        assert claim.budget == 250_000
        assert claim.source == "A page, publisher unknown"
        assert claim.why == ""

    def test_what_is_common_to_a_file_may_be_said_once(self, file: Path) -> None:
        common = {key: value for key, value in WHOLE.items() if key != "id"}
        tables = '[[claim]]\nid = "a"\n[[claim]]\nid = "b"\nn = 999\nwon = 778\n'
        file.write_text(f"[common]\n{toml(common)}{tables}")
        first, second = read_claims(file)
        assert (first.id, first.won) == ("a", 779)
        assert (second.id, second.won) == ("b", 778)

    def test_rules_are_made_canonical(self, file: Path) -> None:
        rules = "wasp( face_down_piles=3, empty_pile=king )"
        [claim] = read_claims(written(file, {"rules": rules}))
        assert claim.rules == "wasp(empty_pile=king,face_down_piles=3)"

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"hlaf_width": "1"}, "unknown key 'hlaf_width': did you mean half_width?"),
            ({"id": "a b"}, "id 'a b': letters, digits"),
            ({"id": 5}, "id = '5': write text in quotes"),
            ({"game": "waps"}, "unknown game 'waps': did you mean wasp?"),
            ({"rules": "scorpion"}, "rules scorpion are not of the game wasp"),
            ({"rules": "wasp(x=1)"}, "wasp has no option 'x'"),
            ({"kind": "flor"}, "unknown kind 'flor': did you mean floor?"),
            ({"n": 0}, "n = '0': write a whole number from 1 up, or \"unknown\""),
            ({"n": "1000"}, "n = '1000': write a whole number"),
            ({"n": True}, "n = 'True': write a whole number"),
            ({"won": -1}, "won = '-1': write a whole number from 0 up"),
            ({"won": 1001}, "won, lost and unsettled are 1001 deals, and n is 1000"),
            ({"lost": 1, "unsettled": 1}, "are 781 deals, and n is 1000"),
            ({"n": UNKNOWN}, "numbers of deals are given, and n is not known"),
            ({"budget": "much"}, "budget 'much': write a whole number of positions"),
            ({"share": 77.9}, "share = '77.9': write per cent as they are printed, in quotes"),
            ({"share": "101"}, "share = '101': write per cent"),
            ({"share": "7,9"}, "share = '7,9': write per cent"),
            ({"n": 3, "won": UNKNOWN, "share": "50"}, "50 % of 3 deals: no number of deals"),
            ({"won": 780}, "780 won of 1000 deals are not 77.9 %"),
            ({"kind": "share", "won": 500}, "500 won of 1000 deals are not 77.9 %"),
            (
                {"kind": "share", "won": 500, "unsettled": 278},
                "500 to 778 won of 1000 deals are not 77.9 %",
            ),
            ({"kind": "share", "won": 700, "lost": 222}, "700 to 778 won of 1000 deals are not"),
            (
                {"kind": "share", "won": UNKNOWN, "share": "100", "unsettled": 6},
                "100 % of 1000 deals are won, and 6 more lost or unsettled: together more than all",
            ),
            (
                {"kind": "share", "won": UNKNOWN, "unsettled": 222},
                "77.9 % of 1000 deals are won, and 222 more lost or unsettled",
            ),
            ({"won": UNKNOWN, "lost": 222}, "77.9 % of 1000 deals are won, and 222 more"),
            ({"won": UNKNOWN, "lost": 100, "unsettled": 100}, "800 won of 1000 deals are not"),
            ({"why": r"a\n# b"}, "why has U+000A in it: write a single line"),
            ({"title": r"a\r- b"}, "title has U+000D in it"),
            ({"publisher": r"\u001b[31mred"}, "publisher has U+001B in it"),
            ({"printed": r"a\u0000b"}, "printed has U+0000 in it"),
            ({"where": r"a\u202eb"}, "where has U+202E in it"),
            ({"title": r"a\u2028b"}, "title has U+2028 in it"),
            ({"title": r"a\u200bb"}, "title has U+200B in it"),
            ({"game": r"wasp\n"}, "game has U+000A in it"),
            ({"seen": r"2026-11-29\n"}, "seen has U+000A in it"),
            ({"printed": " "}, 'printed is empty: write "unknown" if it is not known'),
            ({"seen": "yesterday"}, "seen = 'yesterday': write a day"),
            ({"seen": "20261129"}, "seen = '20261129': write a day"),
            ({"comparable": "yes"}, "comparable = 'yes': write true or false"),
            ({"comparable": False}, "comparable is false: say why"),
            ({"survey": "../wasp"}, "survey '../wasp': letters, digits"),
            ({"rules": "other"}, "other rules: not comparable"),
            ({"kind": "outcomes"}, "outcomes need n, won and lost"),
            ({"won": UNKNOWN, "share": UNKNOWN}, "neither won nor share is known"),
        ],
    )
    def test_what_cannot_be_is_refused_in_a_line(
        self, file: Path, change: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(UsageError) as refused:
            read_claims(written(file, change))
        said = str(refused.value)
        which = "number 1" if "id" in change else "one"
        assert said.startswith(f"{file}, claim {which}: ")
        assert message in said
        assert "\n" not in said

    @pytest.mark.parametrize("key", [key for key in WHOLE if key not in ("id", "survey")])
    def test_a_key_that_is_missing_is_named(self, file: Path, key: str) -> None:
        with pytest.raises(UsageError, match=f'claim one: {key} is missing: write "unknown"'):
            read_claims(written(file, {}, without=key))

    def test_a_comparable_claim_names_a_survey(self, file: Path) -> None:
        with pytest.raises(UsageError, match="no survey is named"):
            read_claims(written(file, {}, without="survey"))

    def test_an_id_is_there_once(self, file: Path) -> None:
        with pytest.raises(UsageError, match="claim one: the id is twice in it"):
            read_claims(written(file, {}, {}))
        written(file.with_name("a.toml"), {})
        written(file, {})
        with pytest.raises(UsageError, match=r"claim one: the id is in .*a\.toml too"):
            read_claims(file.parent)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", r"no \[\[claim\]\] in it"),
            ("claims = 1", "unknown key 'claims'"),
            ("common = 1", "common is a table"),
            ("claim = 1", "a table of its own"),
            ("claim = [1]", "a table of its own"),
            ("[claim]\nid = 'x'", "a table of its own"),
            ("claim", "no TOML"),
        ],
    )
    def test_other_files_are_refused(self, file: Path, text: str, message: str) -> None:
        file.write_text(text)
        with pytest.raises(UsageError, match=message):
            read_claims(file)

    def test_files_that_are_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"none: no such file or directory"):
            read_claims(tmp_path / "none")
        with pytest.raises(UsageError, match="no claims here"):
            read_claims(tmp_path)
        (tmp_path / "latin.toml").write_bytes(b"\xe9")
        with pytest.raises(UsageError, match=r"latin\.toml: .*utf-8"):
            read_claims(tmp_path)


class TestChoose:
    def test_by_id_in_the_order_asked_for(self) -> None:
        claims = read_claims(PUBLISHED)
        found = choose(claims, ["wisp-606", "wasp-563", "wisp-606"])
        assert [claim.id for claim in found] == ["wisp-606", "wasp-563"]

    def test_unknown_ids_are_named(self) -> None:
        claims = read_claims(PUBLISHED)
        with pytest.raises(UsageError, match="unknown claim 'waps-563': did you mean wasp-563"):
            choose(claims, ["waps-563"])
        with pytest.raises(UsageError, match="unknown claim 'klondike': `solstat claims` lists"):
            choose(claims, ["klondike"])


class TestPublished:
    def test_counts_that_the_print_can_mean(self) -> None:
        claims = read_claims(PUBLISHED)
        by_id = {claim.id: claim.published() for claim in claims}
        floor, outcomes = by_id["wasp-563"], by_id["wasp-100"]
        assert floor is not None
        assert outcomes is not None
        assert floor.won == range(499, 504)
        assert (floor.lost, floor.budget, floor.n) == (None, 1_000_000, 563)
        assert (outcomes.won, outcomes.lost) == (range(82, 83), 13)
        assert by_id["wave-grid-8x7"] is None  # n is not known

    def test_of_a_share_what_is_not_won_or_open_is_lost(self) -> None:
        claims = {claim.id: claim for claim in read_claims(PUBLISHED)}
        top, study = claims["wave-top"].published(), claims["wisp-solvitaire"].published()
        assert top is not None
        assert study is not None
        assert top.lost == 10_000_000 - 3_525_755
        assert len(top.winnable) == 1
        assert study.won == range(9_992_300, 9_992_514)
        assert study.lost == 7487

    @pytest.mark.parametrize(
        ("changes", "won", "lost"),
        [
            ({"kind": "share", "won": 779}, range(779, 780), 221),
            ({"kind": "share", "won": 760, "unsettled": 38}, range(760, 799), 202),
            ({"kind": "share", "won": 760, "lost": 202}, range(760, 799), 202),
            ({"kind": "share", "lost": 202, "unsettled": 38}, range(760, 799), 202),
            ({"kind": "share", "share": "95", "unsettled": 50}, range(945, 1001), 0),
            ({"kind": "floor", "share": "95", "lost": 50}, range(945, 951), 50),
            ({"kind": "floor", "lost": 200, "unsettled": 21}, range(779, 780), 200),
        ],
    )
    def test_counts_that_agree_with_the_share(
        self, file: Path, changes: dict[str, Any], won: range, lost: int
    ) -> None:
        [claim] = read_claims(written(file, {"won": UNKNOWN} | changes))
        published = claim.published()
        assert published is not None
        assert (published.won, published.lost) == (won, lost)
        published.proved()

    def test_a_share_may_be_the_middle_of_no_whole_number(self, file: Path) -> None:
        counts = {"kind": "share", "n": 100, "won": 80, "unsettled": 5}
        [claim] = read_claims(written(file, counts | {"share": "82.50"}))
        published = claim.published()
        assert published is not None
        assert published.won == range(80, 86)

    def test_lost_deals(self, file: Path) -> None:
        [known, unknown] = read_claims(written(file, {"lost": 100}, {"id": "two"}))
        lost = known.published_lost()
        assert lost is not None
        assert lost.won == range(100, 101)
        assert unknown.published_lost() is None
