// One solver per rules and search, used for many deals.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "line.hpp"
#include "outcome.hpp"
#include "perft.hpp"
#include "plain.hpp"
#include "spider.hpp"
#include "spider_dead.hpp"
#include "spider_line.hpp"
#include "spider_search.hpp"

namespace solstat::spider {

/// Raised whenever an outcome, a count or a line of any deal can change.
inline constexpr int search_version = 3;

/// How to search: the staged search or the plain one.
struct Method {
    bool plain, dead_test;
    Weights weights;
};

template <class Key>
class Solver {
  public:
    Solver(const Rules& rules, const Method& method, std::uint64_t key_seed, bool backwards)
        : method_(method),
          keys_(std::make_unique<typename Board<Key>::Keys>(key_seed)),
          board_(rules, *keys_),
          cyclic_(board_, backwards ? opposite(method.weights) : method.weights, method.dead_test),
          plain_(board_, backwards) {}

    using Move = spider::Move;

    Verdict solve(Opening<Move> from, std::int64_t budget, const Cancelled& cancelled, bool lines = true) {
        return method_.plain ? verdict(plain_, Stage::dfs, from, budget, cancelled, lines)
                             : verdict(cyclic_, Stage::cyclic, from, budget, cancelled, lines);
    }

  private:
    /// Numbered as in solver.STAGES.
    enum class Stage : std::uint8_t { cyclic, dfs };

    static Weights opposite(Weights weights) {
        for (auto& phase : weights.phase)
            for (int& weight : phase) weight = -weight;
        return weights;
    }

    template <class Search>
    Verdict verdict(Search& search, Stage stage, Opening<Move> from, std::int64_t budget,
                    const Cancelled& cancelled, bool lines) {
        Verdict verdict;
        verdict.outcome = search.run(from, budget, cancelled);
        verdict.stage = static_cast<std::uint8_t>(stage);
        verdict.positions = search.positions();
        if (verdict.outcome == Outcome::won) prove(verdict, board_, from, search.line(), lines);
        return verdict;
    }

    Method method_;
    std::unique_ptr<typename Board<Key>::Keys> keys_;
    Board<Key> board_;
    CyclicSearch<Key> cyclic_;
    PlainSearch<Board<Key>, Move> plain_;
};

using Perft = PerftOf<Game<Key64>>;

/// What the dead-position test says of each position along a legal line, for tests.
inline std::vector<bool> dead_along(const Rules& rules, std::span<const Card> deal, std::span<const Move> line) {
    const Board<Key64>::Keys keys(1);
    Board<Key64> board(rules, keys);
    Game<Key64> game(board);
    DeadTest<Key64> test(board);
    game.start(deal);
    std::vector<bool> dead{test(game.at())};
    for (const Move move : line) {
        game.play(move);
        dead.push_back(test(game.at()));
    }
    return dead;
}

}  // namespace solstat::spider
