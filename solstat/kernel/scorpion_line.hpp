// Winning lines of family `scorpion`: a referee of its own, shortening.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "line.hpp"
#include "scorpion.hpp"

namespace solstat::scorpion {

/// The table as plain piles, sharing nothing with the search: it replays lines move by move.
class Referee {
  public:
    Referee(const Rules& rules, std::span<const Card> deal) : rules_(rules) {
        const int laid = rules.piles * rules.depth;
        for (int i = 0; i < laid; ++i) {
            const int p = i % rules.piles;
            piles_[p].push_back({deal[i], i / rules.piles >= 3 || p >= rules.face_down_piles});
        }
        stock_.assign(deal.begin() + laid, deal.end());
        settle();
    }

    bool won() const { return left_ == rules_.suits; }

    /// Whether the rules allow a move.
    bool allows(Move move) const {
        if (move.card == deal_stock) return !stock_.empty();
        const auto [from, height] = find(move.card);
        if (from < 0 || move.pile >= rules_.piles || from == move.pile) return false;
        if (!piles_[from][height].up) return false;
        const Pile& to = piles_[move.pile];
        if (!to.empty()) return to.back().card == move.card + 1;
        if (!rules_.any_to_empty && rank_of(move.card) != rules_.ranks - 1) return false;
        return height > 0 || !stock_.empty();
    }

    /// Plays a move if the rules allow it; false, and nothing changed, if they do not.
    bool play(Move move) {
        if (!allows(move)) return false;
        if (move.card == deal_stock) {
            for (std::size_t i = 0; i < stock_.size(); ++i) piles_[i].push_back({stock_[i], true});
            stock_.clear();
        } else {
            const auto [from, height] = find(move.card);
            const auto first = piles_[from].begin() + static_cast<std::ptrdiff_t>(height);
            Pile& to = piles_[move.pile];
            to.insert(to.end(), first, piles_[from].end());
            piles_[from].erase(first, piles_[from].end());
        }
        settle();
        return true;
    }

  private:
    struct Laid {
        Card card;
        bool up;
    };
    using Pile = std::vector<Laid>;
    struct Place {
        int pile;  ///< -1: not on the table
        std::size_t height;
    };

    Place find(Card card) const {
        for (int p = 0; p < rules_.piles; ++p)
            for (std::size_t i = 0; i < piles_[p].size(); ++i)
                if (piles_[p][i].card == card) return {p, i};
        return {-1, 0};
    }

    bool finished(const Pile& pile) const {
        const auto n = static_cast<std::size_t>(rules_.ranks);
        if (pile.size() < n) return false;
        for (std::size_t i = 0; i < n; ++i) {
            const Laid& laid = pile[pile.size() - 1 - i];
            if (!laid.up || rank_of(laid.card) != static_cast<int>(i) ||
                suit_of(laid.card) != suit_of(pile.back().card))
                return false;
        }
        return true;
    }

    void settle() {
        for (int p = 0; p < rules_.piles; ++p) {
            Pile& pile = piles_[p];
            for (;;) {
                if (!pile.empty()) pile.back().up = true;
                if (!finished(pile)) break;
                pile.resize(pile.size() - static_cast<std::size_t>(rules_.ranks));
                ++left_;
            }
        }
    }

    Rules rules_;
    std::array<Pile, max_piles> piles_;
    std::vector<Card> stock_;
    int left_ = 0;
};

/// Whether a line wins, by the referee.
inline bool replays(const Rules& rules, Opening<Move> from, std::span<const Move> line) {
    Referee referee(rules, from.deal);
    for (const auto moves : {from.played, line})
        for (const Move move : moves)
            if (!referee.play(move)) return false;
    return referee.won();
}

/// A table that moves are played on, for shortening and perft.
template <class Key>
class Game {
  public:
    using Rules = scorpion::Rules;
    using Board = scorpion::Board<Key>;
    using Move = scorpion::Move;
    struct Link {
        Card card;
        int onto;  ///< a card or the symbol of an empty pile
    };

    explicit Game(Board& board) : board_(&board) {}

    void start(Opening<Move> from) { board_->start(from); }
    Key key() const { return board_->key(); }
    bool allows(Move move) const { return board_->legal(move); }
    void all_moves(std::vector<Move>& moves) const { board_->all_moves(moves); }

    void play(Move move) {
        typename Board::Undo undo;
        board_->play(move, undo);
    }

    /// Plays a move, calls `visit()` and takes the move back.
    template <class Visit>
    void trying(Move move, Visit visit) {
        typename Board::Undo undo;
        board_->play(move, undo);
        visit();
        board_->take_back(undo);
    }

    /// The key of the position that a legal move leads to.
    Key key_after(Move move) {
        if (move.card != deal_stock)
            if (const auto key = board_->key_after(move)) return *key;
        Key key{};
        trying(move, [&] { key = board_->key(); });
        return key;
    }

    /// What a move of the line to be shortened does.
    Link link(Move move) {
        const Link link{move.card, move.card == deal_stock ? 0 : board_->lands_on(move)};
        if (link.onto >= base) to_empty_ |= bit(move.card);
        return link;
    }

    Move move_of(Link link) const {
        return link.card == deal_stock ? Move{deal_stock, 0} : board_->move_onto(link.card, link.onto);
    }

    /// Moves that may lead to a position of the line.
    void jumps(std::vector<Move>& moves) const { board_->all_moves(moves, to_empty_); }

  private:
    Board* board_;
    Set to_empty_ = 0;  ///< cards the line puts on empty piles
};

template <class Key>
std::vector<Move> shorten(Board<Key>& board, Opening<Move> from, std::span<const Move> line) {
    return shortened(Game<Key>(board), from, line);
}

}  // namespace solstat::scorpion
