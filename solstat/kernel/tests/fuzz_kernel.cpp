// Fuzz target: any bytes are a small game, a deal and a line of moves, most of them illegal.
//
// Board and referee must agree on every move, and no byte string may do harm.  With clang:
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined fuzz_kernel.cpp && ./a.out
// Without libFuzzer, -DSTANDALONE feeds it random bytes.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../deal.hpp"
#include "../scorpion_solver.hpp"
#include "../spider_solver.hpp"
#include "../spider_weights.hpp"
#include "../wave_solver.hpp"
#include "spider_walk.hpp"
#include "walk.hpp"
#include "wave_walk.hpp"

using namespace solstat;

namespace {

/// Numbers from the bytes of the input; zeros once they have run out.
struct Bytes {
    const std::uint8_t* data;
    std::size_t size, at = 0;
    int operator()(int n) { return at < size ? data[at++] % n : 0; }
    bool left() const { return at < size; }
};

template <class Move>
std::span<const Move> first_half(const std::vector<Move>& line) {
    return std::span(line).first(line.size() / 2);
}

void scorpion_input(Bytes& pick) {
    using namespace scorpion;
    // Rules that no deal fits would be asked for again and again once the bytes have run out.
    Rules rules{2 + pick(5), 1 + pick(4), 1 + pick(7), 1, 0, pick(2) != 0};
    while (rules.ranks * rules.suits - rules.piles * rules.depth > rules.piles) ++rules.depth;
    if (rules.ranks * rules.suits < rules.piles * rules.depth) return;
    rules.face_down_piles = pick(rules.piles + 1);
    const std::vector<Card> deal = test::some_deal(rules, pick);

    const Board<Key64>::Keys keys(1);
    Board<Key64> board(rules, keys);
    board.start(deal);
    Referee referee(rules, deal);
    std::vector<Move> line;
    while (pick.left()) {
        const Move move{static_cast<Card>(pick(256)), static_cast<std::uint8_t>(pick(256))};
        CHECK(board.legal(move) == referee.allows(move));
        if (!board.legal(move)) continue;
        Board<Key64>::Undo undo;
        const auto before = test::state(board);
        board.play(move, undo);
        board.take_back(undo);
        CHECK(test::state(board) == before);
        board.play(move, undo);
        CHECK(referee.play(move));
        CHECK(board.won() == referee.won());
        line.push_back(move);
    }
    if (board.won()) {  // any winning line can be shortened, and still wins
        const auto shorter = shorten(board, deal, line);
        CHECK(shorter.size() <= line.size());
        CHECK(replays(rules, deal, shorter));
    }
    const Verdict found = Solver<Key64>(rules, {}, 1).solve(deal, 500, {});
    CHECK(found.positions <= 500);
    const Verdict later = Solver<Key64>(rules, {}, 1).solve({deal, first_half(line)}, 500, {});
    CHECK(later.positions <= 500 && !(board.won() && later.outcome == Outcome::lost));
}

/// Every second move is one of the legal ones, or few lines would get anywhere.
void spider_input(Bytes& pick) {
    using namespace spider;
    Rules rules{2 + pick(5), 1 + pick(4), 1 + pick(7), 1, pick(2) != 0, pick(2) != 0, static_cast<Finished>(pick(3))};
    rules.depth += pick(rules.piles);
    while (rules.depth > 1 && test::laid(rules).all > rules.deck()) --rules.depth;
    if (test::laid(rules).all > rules.deck()) return;
    const std::vector<Card> deal = test::some_deck(rules.ranks, rules.suits, pick);

    const Board<Key64>::Keys keys(1);
    test::Walk<Key64> walk(rules, keys, deal);
    test::Met met;
    std::vector<Move> line, legal;
    while (pick.left() && !walk.referee.won()) {
        Move move{static_cast<Kind>(pick(4)), static_cast<Card>(pick(256)), static_cast<std::uint8_t>(pick(256))};
        if (pick(2)) {
            legal.clear();
            walk.game.all_moves(legal);
            if (!legal.empty()) move = test::any_of(legal, pick);
        }
        CHECK(walk.game.allows(move) == walk.referee.allows(move));
        if (!walk.referee.allows(move)) continue;
        walk.play(move, met);
        walk.check();
        line.push_back(move);
    }
    CHECK(Perft(rules).count(deal, line, 1, {})[0] == walk.moves().size());
    for (const bool plain : {false, true}) {
        Solver<Key64> solver(rules, {plain, true, tuned_weights}, 1, false);
        const Verdict later = solver.solve({deal, first_half(line)}, 500, {});
        CHECK(later.positions <= 500 && !(walk.referee.won() && later.outcome == Outcome::lost));
    }
    if (walk.referee.won()) {
        const auto shorter = shorten(walk.board, deal, line);
        CHECK(shorter.size() <= line.size());
        CHECK(replays(rules, deal, shorter));
    }
}

/// The same for the family wave, whose searches must agree as well.
void wave_input(Bytes& pick) {
    using namespace wave;
    const Rules rules = test::some_wave_rules(pick, true);
    const std::vector<Card> deal = test::some_deck(rules.ranks, rules.suits, pick);
    const Board<Key64>::Keys keys(1);
    test::WaveWalk<Key64> walk(rules, keys, deal);
    std::vector<Move> line, legal;
    while (pick.left() && !walk.referee.won()) {
        Move move{static_cast<Card>(pick(256)), static_cast<std::uint8_t>(pick(256))};
        if (pick(2)) {
            legal.clear();
            walk.game.all_moves(legal);
            if (!legal.empty()) move = test::any_of(legal, pick);
        }
        CHECK(walk.game.allows(move) == walk.referee.allows(move));
        if (!walk.referee.allows(move)) continue;
        walk.play(move);
        walk.check();
        line.push_back(move);
    }
    for (const Opening<Move> from : {Opening<Move>(deal), Opening<Move>(deal, first_half(line))}) {
        const Verdict full = Solver<Key64>(rules, {}, 1, false).solve(from, 500, {});
        const Verdict plain = Solver<Key64>(rules, {.plain = true, .sets = {}}, 1, false).solve(from, 500, {});
        CHECK(full.positions <= 500 && plain.positions <= 500);
        CHECK(full.outcome == plain.outcome || full.outcome == Outcome::unsettled || plain.outcome == Outcome::unsettled);
        CHECK(!(walk.referee.won() && full.outcome == Outcome::lost));
    }
    if (walk.referee.won()) {
        const auto shorter = shorten(walk.board, deal, line);
        CHECK(shorter.size() <= line.size());
        CHECK(replays(rules, deal, shorter));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 16) return 0;
    Bytes pick{data, size};
    switch (pick(3)) {
        case 0: scorpion_input(pick); break;
        case 1: spider_input(pick); break;
        default: wave_input(pick);
    }
    return 0;
}

#ifdef STANDALONE
int main() {
    SplitMix64 draw(4);
    int inputs = 0;
    for (; inputs < 40'000; ++inputs) {
        std::vector<std::uint8_t> bytes(16 + draw() % 400);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(draw());
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%d random inputs to the kernel did no harm\n", inputs);
}
#endif
