// Tests of the family `wave` that need the kernel's insides, or sanitizers: positions and moves, lines,
// and what the search of Flow rests on.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "../wave_solver.hpp"
#include "wave_walk.hpp"

using namespace solstat;
using namespace solstat::test;
using namespace solstat::wave;

namespace {

using Line = std::vector<Move>;

/// How many times as many deals as under sanitizers: the only argument.
int times = 1;

template <class Key>
bool walk(const Rules& rules, Draw& pick, int length) {
    const typename Board<Key>::Keys keys(static_cast<std::uint64_t>(pick(1000)));
    WaveWalk<Key> walk(rules, keys, some_deck(rules.ranks, rules.suits, pick));
    bool won = false;
    for (int step = 0; step < length; ++step) {
        walk.check();
        const auto moves = walk.moves();
        won |= walk.referee.won();
        if (moves.empty()) break;
        walk.play(some_move(walk.at(), moves, pick));
    }
    walk.check();
    return won;
}

void board_agrees_with_the_referee() {
    Draw pick{SplitMix64(21)};
    int won = 0;
    for (int i = 0; i < 2000 * times; ++i) {
        const Rules rules = some_wave_rules(pick, i % 4);
        won += i % 2 ? walk<Key64>(rules, pick, 40) : walk<Key128>(rules, pick, 40);
    }
    CHECK(won > 100);
}

/// The same for all positions that differ only by columns, or reserves, that change places.
std::string image(const Rules& rules, const Position<Key64>& at) {
    std::vector<std::string> piles;
    for (int p = 0; p < rules.piles(); ++p) {
        std::string& text = piles.emplace_back(rules.is_column(p) ? "c" : "r");
        for (const Card card : pile(at, p)) text += card_text(card);
    }
    std::sort(piles.begin(), piles.end());
    std::string all;
    for (const auto& text : piles) all += text;
    return all;
}

/// Positions have the same key if and only if they differ by like piles alone, and the distinct moves
/// lead to every position but the same one that all moves lead to, and to each of them once.
void like_piles_are_one() {
    Draw pick{SplitMix64(22)};
    const Board<Key64>::Keys keys(1);
    int several = 0;
    for (int i = 0; i < 60 * times; ++i) {
        const Rules rules = some_wave_rules(pick, true);
        WaveWalk<Key64> walk(rules, keys, some_deck(rules.ranks, rules.suits, pick));
        std::map<Key64, std::string> images;
        std::map<std::string, Key64> keys_of;
        for (int step = 0; step < 60; ++step) {
            const std::string here = image(rules, walk.at());
            CHECK(images.emplace(walk.at().key, here).first->second == here);
            CHECK(keys_of.emplace(here, walk.at().key).first->second == walk.at().key);
            Line distinct;
            walk.board.distinct_moves(walk.at(), distinct);
            const Line all = walk.moves();
            std::set<Key64> reached, listed;
            for (const Move move : all) reached.insert(walk.game.key_after(move));
            for (const Move move : distinct) {
                CHECK(std::find(all.begin(), all.end(), move) != all.end());
                CHECK(listed.insert(walk.game.key_after(move)).second);
            }
            reached.erase(walk.at().key);
            CHECK(reached == listed);
            several += listed.size() < all.size();
            if (all.empty()) break;
            walk.play(some_move(walk.at(), all, pick));
        }
    }
    CHECK(several > 100);
}

/// Whether a win can be reached, by visiting every position that can be.
Outcome truth(const Board<Key64>& board, const Position<Key64>& start, std::size_t limit) {
    std::unordered_set<Key64> seen{start.key};
    std::vector<Position<Key64>> todo{start};
    Line moves;
    while (!todo.empty()) {
        const Position<Key64> at = todo.back();
        todo.pop_back();
        if (board.won(at)) return Outcome::won;
        if (seen.size() > limit) return Outcome::unsettled;
        moves.clear();
        board.distinct_moves(at, moves);
        for (const Move move : moves) {
            Position<Key64> next = at;
            board.play(next, move);
            if (seen.insert(next.key).second) todo.push_back(next);
        }
    }
    return Outcome::lost;
}

Rules some_flow_rules(Draw& pick, int most_cards) {
    Rules rules;
    do rules = some_wave_rules(pick, true);
    while (rules.deck() > most_cards);
    rules.build = rules.runs = true;
    rules.fill_empty = pick(2);
    // Often so few columns that no deal, or hardly one, is won.
    if (pick(2)) rules.columns = std::max(1, rules.suits - pick(2));
    return rules;
}

/// What options allow more wins no less: runs of reserves, building on them, filling empty ones, columns.
void options_that_allow_more_lose_nothing() {
    Draw pick{SplitMix64(23)};
    const Board<Key64>::Keys keys(1);
    std::array<int, 4> gains{};
    for (int i = 0; i < 300 * times; ++i) {
        Rules rules = some_flow_rules(pick, 14);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        rules.build = rules.runs = rules.fill_empty = false;
        Outcome before = Outcome::lost;
        for (std::size_t step = 0; step < 5; ++step) {
            if (step == 1) rules.runs = true;
            if (step == 2) rules.build = true;
            if (step == 3) rules.fill_empty = true;
            if (step == 4) ++rules.columns;
            const Board<Key64> board(rules, keys);
            const Outcome now = truth(board, board.start(deal), 20'000);
            CHECK(!(before == Outcome::won && now == Outcome::lost));
            if (step > 0) gains[step - 1] += before == Outcome::lost && now == Outcome::won;
            before = now;
        }
    }
    for (const int gained : gains) CHECK(gained > 0);
}

/// In all positions of random walks: a card that begins a pile may be joined where it can be; so may any
/// card if empty reserves stay empty.  Won is won and lost is lost after it.
void joins_are_safe() {
    Draw pick{SplitMix64(24)};
    const Board<Key64>::Keys keys(1);
    int won = 0, lost = 0, harmful = 0;
    for (int i = 0; i < 400 * times; ++i) {
        const Rules rules = some_flow_rules(pick, 12);
        WaveWalk<Key64> walk(rules, keys, some_deck(rules.ranks, rules.suits, pick));
        for (int step = 0; step < 12; ++step) {
            const auto moves = walk.moves();
            if (moves.empty()) break;
            const Outcome here = truth(walk.board, walk.at(), 5000);
            for (const Move move : moves) {
                const Position<Key64>& at = walk.at();
                if (at.joined & bit(move.card) || at.top[move.to] != move.card + 1) continue;
                Position<Key64> next = at;
                walk.board.play(next, move);
                const Outcome then = truth(walk.board, next, 5000);
                if (here == Outcome::unsettled || then == Outcome::unsettled) continue;
                if (at.below[move.card] < column_base && rules.fill_empty) {
                    harmful += here != then;
                    continue;
                }
                CHECK(here == then);
                (here == Outcome::won ? won : lost)++;
            }
            walk.play(any_of(moves, pick));
        }
    }
    CHECK(won > 100 && lost > 100);
    if (times > 1) std::printf("%d joins of cards in place lose a deal where empty reserves are filled\n", harmful);
}

/// Every search of Flow, with each of its prunings and without, agrees with exhaustive search; its lines
/// win; and what is lost costs each position once where nothing is left out.
void searches_of_flow_tell_the_truth() {
    Draw pick{SplitMix64(25)};
    int won = 0, lost = 0, by_cyclic = 0;
    for (int i = 0; i < 600 * times; ++i) {
        const Rules rules = some_flow_rules(pick, 16);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        const Verdict plain = Solver<Key64>(rules, {.plain = true, .joined_stay = false, .sets = {}}, 1, i % 2).solve(deal, 100'000, {});
        if (plain.outcome == Outcome::unsettled) continue;
        (plain.outcome == Outcome::won ? won : lost)++;
        for (int flags = 0; flags < 8; ++flags) {
            Method method{.plain = false, .joined_stay = (flags & 1) != 0, .sets = {}};
            method.sets.closure = flags & 2;
            const bool backwards = flags & 4;
            const Verdict found = i % 2 ? Solver<Key64>(rules, method, 1, backwards).solve(deal, 1'000'000, {})
                                        : Solver<Key128>(rules, method, 1, backwards).solve(deal, 1'000'000, {});
            CHECK(found.outcome == plain.outcome);
            CHECK(found.line.empty() == (found.moves <= 0));
            by_cyclic += method.joined_stay && found.stage == 1 && found.outcome == Outcome::won;
            if (!method.joined_stay && found.outcome == Outcome::lost) CHECK(found.positions == plain.positions);
        }
    }
    CHECK(won > 100 && lost > 50 && by_cyclic > 0);
}

std::vector<Card> full_deal(std::uint64_t seed) {
    std::vector<Card> deal;
    for (const auto card : deal_solstat(seed)) deal.push_back(from_outside(card));
    return deal;
}

/// Lines from the search over sets cannot be shortened, so they need not be; others can.
void lines_are_short() {
    const Board<Key64>::Keys keys(1);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const Rules rules{.runs = true, .build = true, .fill_empty = seed % 2 == 0};
        const auto deal = full_deal(2'200'000 + seed);
        FlowSets<Key64> sets(rules, true, 1, false);
        if (sets.run(deal, 1'000'000, {}) != Outcome::won) continue;
        FlowTable table(rules);
        table.play(deal, sets.takes());
        const Board<Key64> board(rules, keys);
        CHECK(replays(rules, deal, table.line()));
        CHECK(shorten(board, deal, table.line()).size() == table.line().size());
        FlowCyclic<Key64> cyclic(rules, rules.fill_empty, 1, false);
        CHECK(cyclic.run(deal, 1'000'000, {}) == Outcome::won);
        CHECK(replays(rules, deal, cyclic.line()));
        const Line shorter = shorten(board, deal, cyclic.line());
        CHECK(replays(rules, deal, shorter) && shorter.size() <= cyclic.line().size());
    }
}

void sequences_of_the_referee(const Rules& rules, const Referee& referee, std::size_t ply,
                              std::vector<std::uint64_t>& counts) {
    for (const auto& [card, to] : allowed(rules, referee)) {
        ++counts[ply];
        if (ply + 1 == counts.size()) continue;
        Referee next = referee;
        CHECK(next.play({card, static_cast<std::uint8_t>(to)}));
        sequences_of_the_referee(rules, next, ply + 1, counts);
    }
}

/// Perft after random moves, against counts of what the referee allows; illegal lines are refused.
void perft_counts_what_the_referee_allows() {
    Draw pick{SplitMix64(26)};
    const Board<Key64>::Keys keys(1);
    for (int i = 0; i < 100; ++i) {
        const Rules rules = some_wave_rules(pick, i % 4);
        const auto deal = some_deck(rules.ranks, rules.suits, pick);
        WaveWalk<Key64> walk(rules, keys, deal);
        Line line;
        for (int step = pick(12); step > 0; --step) {
            const auto moves = walk.moves();
            if (moves.empty()) break;
            line.push_back(some_move(walk.at(), moves, pick));
            walk.play(line.back());
        }
        std::vector<std::uint64_t> counts(i % 4 ? 2 : 1);
        sequences_of_the_referee(rules, walk.referee, 0, counts);
        Perft perft(rules);
        CHECK(perft.count(deal, line, static_cast<int>(counts.size()), {}) == counts);
        line.push_back({0, max_piles});  // there is no such pile
        bool refused = false;
        try {
            perft.count(deal, line, 1, {});
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
}

/// Which card of a deal lies where, and what piles are called.
void layouts_are_as_described() {
    const auto deal = full_deal(2);
    const Board<Key64>::Keys keys(1);
    const Rules rules{.reserves = 10, .columns = 6};
    const auto at = Board<Key64>(rules, keys).start(deal);
    const auto places = [&](int p) {
        std::vector<int> found;
        for (const Card card : pile(at, p))
            found.push_back(static_cast<int>(std::find(deal.begin(), deal.end(), card) - deal.begin()));
        return found;
    };
    CHECK(places(0).empty() && places(5).empty());
    CHECK(places(6) == std::vector({0, 10, 20, 30, 40, 50}) && places(15) == std::vector({9, 19, 29, 39, 49}));
    CHECK(move_text(rules, {16 + 6, 2}) == "7S>c3" && move_text(rules, {32, 6}) == "AH>r1");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) times = std::atoi(argv[1]);
    int passed = 0;
    for (const auto test : {layouts_are_as_described, board_agrees_with_the_referee, like_piles_are_one,
                            options_that_allow_more_lose_nothing, joins_are_safe, searches_of_flow_tell_the_truth,
                            lines_are_short, perft_counts_what_the_referee_allows}) {
        test();
        ++passed;
    }
    std::printf("%d tests of family wave passed\n", passed);
}
