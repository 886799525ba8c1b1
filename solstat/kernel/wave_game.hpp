// Family `wave`: a table that moves are played on, for perft and for shortening lines.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "line.hpp"
#include "wave.hpp"

namespace solstat::wave {

template <class Key>
class Game {
  public:
    using Rules = wave::Rules;
    using Board = wave::Board<Key>;
    using Move = wave::Move;
    struct Link {
        Card card;
        int onto;  ///< a card or the symbol of an empty pile
    };

    explicit Game(const Board& board) : board_(&board) {}

    void start(Opening<Move> from) { at_ = board_->start(from); }
    Key key() const { return at_.key; }
    const Position<Key>& at() const { return at_; }
    void all_moves(std::vector<Move>& moves) const { board_->all_moves(at_, moves); }
    void jumps(std::vector<Move>& moves) const { board_->distinct_moves(at_, moves); }

    bool allows(Move move) const {
        std::vector<Move> moves;
        all_moves(moves);
        return std::find(moves.begin(), moves.end(), move) != moves.end();
    }

    void play(Move move) { board_->play(at_, move); }

    /// Plays a legal move, calls `visit()` and takes the move back.
    template <class Visit>
    void trying(Move move, Visit visit) {
        const Position<Key> before = at_;
        board_->play(at_, move);
        visit();
        at_ = before;
    }

    Key key_after(Move move) const { return board_->key_after(at_, move); }
    Link link(Move move) const { return {move.card, board_->symbol_or_top(at_, move.to)}; }

    Move move_of(Link link) const {
        Move move{link.card, 0};
        while (board_->symbol_or_top(at_, move.to) != link.onto) ++move.to;
        return move;
    }

  private:
    const Board* board_;
    Position<Key> at_{};
};

/// Shortens a winning line; where its piles are numbered otherwise, what the cards land on counts.
template <class Key>
std::vector<Move> shorten(const Board<Key>& board, Opening<Move> from, std::span<const Move> line) {
    return shortened(Game<Key>(board), from, line);
}

}  // namespace solstat::wave
