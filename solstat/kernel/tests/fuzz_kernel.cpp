// Fuzz target: any bytes are a small game, a deal and a line of moves, most of them illegal.
//
// Board and referee must agree on every move, and no byte string may do harm.  With clang:
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined fuzz_kernel.cpp && ./a.out
// Without libFuzzer, -DSTANDALONE feeds it random bytes.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../deal.hpp"
#include "../scorpion_solver.hpp"
#include "walk.hpp"

using namespace solstat;
using namespace solstat::scorpion;

namespace {

/// Numbers from the bytes of the input; zeros once they have run out.
struct Bytes {
    const std::uint8_t* data;
    std::size_t size, at = 0;
    int operator()(int n) { return at < size ? data[at++] % n : 0; }
    bool left() const { return at < size; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 16) return 0;
    Bytes pick{data, size};
    // Rules that no deal fits would be asked for again and again once the bytes have run out.
    Rules rules{2 + pick(5), 1 + pick(4), 1 + pick(7), 1, 0, pick(2) != 0};
    while (rules.ranks * rules.suits - rules.piles * rules.depth > rules.piles) ++rules.depth;
    if (rules.ranks * rules.suits < rules.piles * rules.depth) return 0;
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
    return 0;
}

#ifdef STANDALONE
int main() {
    SplitMix64 draw(4);
    int inputs = 0;
    for (; inputs < 20'000; ++inputs) {
        std::vector<std::uint8_t> bytes(16 + draw() % 400);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(draw());
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%d random inputs to the kernel did no harm\n", inputs);
}
#endif
