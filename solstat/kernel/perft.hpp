// Perft of every family: counts of move sequences, which other programs can count as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "cards.hpp"
#include "line.hpp"
#include "outcome.hpp"

namespace solstat {

/// Numbers of move sequences of length 1..depth, after `line`, from the unpruned move list.
template <class Game>
class PerftOf {
  public:
    using Move = typename Game::Move;

    explicit PerftOf(const typename Game::Rules& rules)
        : keys_(std::make_unique<typename Game::Board::Keys>(0)), board_(rules, *keys_) {}

    std::vector<std::uint64_t> count(std::span<const Card> deal, std::span<const Move> line, int depth,
                                     const Cancelled& cancelled) {
        Game game(board_);
        game.start(deal);
        for (const Move move : line) {
            if (!game.allows(move)) throw std::invalid_argument("illegal move: " + text_of(board_.rules(), move));
            game.play(move);
        }
        counts_.assign(static_cast<std::size_t>(depth), 0);
        cancelled_ = &cancelled;
        played_ = 0;
        if (!counts_.empty()) descend(game, 0);
        return counts_;
    }

  private:
    void descend(Game& game, std::size_t ply) {
        std::vector<Move> moves;
        game.all_moves(moves);
        counts_[ply] += moves.size();
        if (ply + 1 == counts_.size()) return;
        if (++played_ % (1 << 14) == 0 && (*cancelled_)()) throw CancelledError{};
        for (const Move move : moves) game.trying(move, [&] { descend(game, ply + 1); });
    }

    std::unique_ptr<typename Game::Board::Keys> keys_;
    typename Game::Board board_;
    std::vector<std::uint64_t> counts_;
    std::uint64_t played_ = 0;
    const Cancelled* cancelled_ = nullptr;
};

}  // namespace solstat
