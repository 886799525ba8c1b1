// Tests of the kernel that need its insides, or sanitizers.  No Python, nothing to download.
#include <cstdio>
#include <set>
#include <vector>

#include "../deal.hpp"
#include "../scorpion_solver.hpp"
#include "prunings.hpp"
#include "walk.hpp"

using namespace solstat;
using namespace solstat::test;

namespace {

Set draw_set(Draw& pick) { return pick.next(); }

void board_agrees_with_the_referee_and_takes_moves_back() {
    Draw pick{SplitMix64(1)};
    for (int i = 0; i < 3000; ++i) {
        const auto rules = some_rules(pick);
        if (i % 2) walk<Key64>(rules, pick, 60);
        else walk<Key128>(rules, pick, 60);
    }
}

template <class Key>
void table_is_a_set_with_marks() {
    SplitMix64 draw(2);
    Table<Key> table;
    for (int round = 0; round < 3; ++round) {
        std::vector<Key> keys(5000 << round);
        for (Key& key : keys) key = (static_cast<Key>(draw()) << (sizeof(Key) > 8 ? 64 : 0)) ^ draw();
        std::size_t size = 0;
        for (const Key key : keys) {
            CHECK(!table.done(key));
            CHECK(table.insert(key, Seen::half) == Seen::no);
            CHECK(table.size() == ++size);
            CHECK(!table.done(key));
        }
        for (const Key key : keys) {
            CHECK(table.insert(key, Seen::half) == Seen::half);
            CHECK(table.insert(key, Seen::full) == Seen::half);
            CHECK(table.insert(key, Seen::half) == Seen::full);
            CHECK(table.done(key));
        }
        CHECK(table.size() == size);
        table.clear();
        CHECK(table.size() == 0 && !table.done(keys[0]));
    }
}

void keys_with_no_bits_are_kept_too() {
    Table<Key64> table;
    CHECK(table.insert(0, Seen::half) == Seen::no);
    CHECK(table.insert(0, Seen::full) == Seen::half);
    CHECK(table.insert(1, Seen::full) == Seen::full);  // the mark is no part of a key
}

/// Every verdict the same with every set of prunings; lines replay (solve throws if they do not).
void searches_agree() {
    Draw pick{SplitMix64(3)};
    int won = 0, lost = 0;
    for (int i = 0; i < 6000; ++i) {
        auto rules = some_rules(pick);
        if (rules.ranks * rules.suits > 16) continue;
        const auto deal = some_deal(rules, pick);
        std::set<Outcome> verdicts;
        for (int mask = 0; mask < 32; ++mask) {
            const scorpion::Prunings prunings{bool(mask & 1), bool(mask & 2), bool(mask & 4), bool(mask & 8), bool(mask & 16)};
            scorpion::Solver<Key64> solver(rules, prunings, 7);
            const Verdict verdict = solver.solve(deal, 2000, {});
            if (verdict.outcome != Outcome::unsettled) verdicts.insert(verdict.outcome);
        }
        CHECK(verdicts.size() <= 1);
        won += verdicts.contains(Outcome::won);
        lost += verdicts.contains(Outcome::lost);
    }
    CHECK(won > 1000 && lost > 500);
}

/// A position of a random game after random moves, joins before others so that piles empty.
template <class Key>
void wander(scorpion::Board<Key>& board, Draw& pick, int length) {
    std::vector<scorpion::Move> moves;
    for (int step = 0; step < length; ++step) {
        moves.clear();
        board.all_moves(moves);
        if (moves.empty() || board.won()) return;
        auto move = any_of(moves, pick);
        if (pick(4)) move = moves.front();
        typename scorpion::Board<Key>::Undo undo;
        board.play(move, undo);
    }
}

/// Every test of a pruning against its definition, at random positions of small and full games.
void prunings_are_as_defined() {
    using namespace scorpion;
    Draw pick{SplitMix64(5)};
    const Board<Key64>::Keys keys(1);
    int dead = 0, alone = 0, together = 0, futile_moves = 0, opening = 0, dependent = 0;
    for (int i = 0; i < 12'000; ++i) {
        const Rules rules = some_rules(pick);
        Board<Key64> board(rules, keys);
        board.start(some_deal(rules, pick));
        wander(board, pick, pick(60));
        if (board.won()) continue;

        const Set possible = joins(board);
        for (Card card = 0; card < 64; ++card) {
            bool legal = false;
            for (int p = 0; p < rules.piles; ++p)
                legal |= board.pile(p) && board.legal({card, static_cast<std::uint8_t>(p)});
            CHECK(legal == bool(possible & bit(card)));
        }

        const Set without = pick(2) ? 0 : possible & draw_set(pick);
        Closure<Key64, true> now(board, without);
        now.grow();
        const Set defined = closure_by_definition(board, without);
        CHECK(now.empties() == ((defined & board.bottoms()) != 0));
        CHECK(now.empties() || now.leaves() == defined);
        CHECK((now.leaves() & ~defined) == 0);
        dead += !now.empties() && now.stuck();
        if (now.empties()) {  // these joins alone suffice
            Closure<Key64> fewer(board, without | (possible & ~now.empties_by()));
            fewer.grow();
            CHECK(fewer.empties());
        }

        if (board.stock_left()) continue;
        each(possible, [&](Card card) {
            const Set movers = board.on_table() & ~board.kings() & ~bit(card) & (pick(3) ? draw_set(pick) : ~Set{0});
            const bool free = independent(board, card, movers);
            CHECK(free == independent_by_definition(board, card, movers));
            (free ? alone : dependent)++;
        });
        if (board.empty_piles() == 0) {
            Closure<Key64, true> all(board);
            all.grow();
            const Set set = persistent(board, possible, all, true);
            CHECK((set & ~possible) == 0 && std::popcount(set) <= 2);
            if (set) {
                Closure<Key64> rest(board, set);
                rest.grow();
                const Set movers = (rest.empties() ? board.unjoined() & ~set : rest.leaves()) & ~board.kings();
                each(set, [&](Card card) { CHECK(independent_by_definition(board, card, movers)); });
                together += std::popcount(set) == 2;
            }
        }
        if (board.empty_piles() != 1) continue;
        Closure<Key64> here(board);
        here.grow();
        int to = 0;
        while (board.pile(to)) ++to;
        each(board.up() & board.on_table() & ~board.bottoms(), [&](Card card) {
            const Move move{card, static_cast<std::uint8_t>(to)};
            const bool was_joined = board.joined() & bit(card), opened = opens(board, card);
            const bool useless = futile(card, here);
            Board<Key64>::Undo undo;
            const Set gone = board.gone();
            board.play(move, undo);
            if (board.gone() == gone) {
                const Set fresh = joins(board) & ~possible & ~(was_joined ? bit(card) : 0);
                CHECK(opened == (fresh != 0));
                const Set leaves = closure_by_definition(board, 0);
                const bool lost = !(leaves & board.bottoms()) && (board.unjoined() & ~board.kings() & ~leaves);
                CHECK(useless == lost);
                opening += opened;
                futile_moves += useless;
            }
            board.take_back(undo);
        });
    }
    CHECK(dead > 1000 && alone > 1000 && dependent > 1000 && together > 100 && futile_moves > 1000 && opening > 1000);
}

/// A line that goes round in circles is cut; what is left wins and is no longer than before.
void lines_lose_their_detours() {
    using namespace scorpion;
    Draw pick{SplitMix64(6)};
    const Board<Key64>::Keys keys(1);
    int detours = 0;
    for (int i = 0; i < 3000; ++i) {
        const Rules rules = some_rules(pick);
        if (rules.ranks * rules.suits > 20) continue;
        const auto deal = some_deal(rules, pick);
        Search<Key64> search(rules, {}, keys, false);
        if (search.run(deal, 2000, {}) != Outcome::won) continue;
        const auto straight = search.line();
        Board<Key64> board(rules, keys);
        const auto shortest = shorten(board, std::span<const Card>(deal), std::span<const Move>(straight));
        CHECK(replays(rules, deal, shortest) && shortest.size() <= straight.size());
        for (std::size_t at = 0; at < straight.size(); ++at) {
            board.start(deal);
            Board<Key64>::Undo undo;
            for (std::size_t k = 0; k < at; ++k) board.play(straight[k], undo);
            const Key64 here = board.key();
            std::vector<Move> away, back;
            board.all_moves(away);
            for (const Move move : away) {
                Board<Key64>::Undo first;
                board.play(move, first);
                back.clear();
                board.all_moves(back);
                for (const Move home : back) {
                    if (Game(board).key_after(home) != here) continue;
                    auto line = straight;
                    line.insert(line.begin() + static_cast<std::ptrdiff_t>(at), {move, home});
                    if (!replays(rules, deal, line)) continue;  // it comes back to an image of the position
                    Board<Key64> other(rules, keys);
                    const auto cut = shorten(other, std::span<const Card>(deal), std::span<const Move>(line));
                    CHECK(replays(rules, deal, cut) && cut.size() <= straight.size());
                    ++detours;
                }
                board.take_back(first);
            }
        }
    }
    CHECK(detours > 500);
}

void deals_are_permutations() {
    for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        std::set<int> cards;
        for (const auto card : deal_solstat(seed)) cards.insert(card);
        CHECK(cards.size() == 52 && *cards.begin() == 0 && *cards.rbegin() == 51);
    }
}

}  // namespace

int main() {
    int passed = 0;
    for (const auto test : {board_agrees_with_the_referee_and_takes_moves_back, table_is_a_set_with_marks<Key64>,
                            table_is_a_set_with_marks<Key128>, keys_with_no_bits_are_kept_too, searches_agree,
                            prunings_are_as_defined, lines_lose_their_detours, deals_are_permutations}) {
        test();
        ++passed;
    }
    std::printf("%d kernel tests passed\n", passed);
}
