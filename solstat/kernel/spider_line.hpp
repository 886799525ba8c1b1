// Winning lines of family `spider`: a referee of its own, shortening.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "line.hpp"
#include "spider.hpp"

namespace solstat::spider {

/// The table as plain piles, sharing nothing with the search: it replays lines move by move.
/// Of a move it reads what the text of the move says; `from` it finds out for itself.
class Referee {
  public:
    Referee(const Rules& rules, std::span<const Card> deal) : rules_(rules) {
        std::size_t next = 0;
        for (int row = 1; row <= rules.depth; ++row) {
            const bool face_up = row == rules.depth;
            const int first = rules.triangle && !face_up ? row : 0;
            for (int p = first; p < rules.piles; ++p) piles_[p].push_back({deal[next++], face_up});
        }
        stock_.assign(deal.begin() + static_cast<std::ptrdiff_t>(next), deal.end());
        settle();
    }

    bool won() const {
        std::size_t home = 0;
        for (const auto& foundation : foundations_) home += foundation.size();
        return home == static_cast<std::size_t>(rules_.ranks * rules_.suits);
    }

    /// Whether the rules allow a move.
    bool allows(Move move) const {
        switch (move.kind) {
            case Kind::deal: return may_deal();
            case Kind::off: return may_go_off(move.card);
            case Kind::back: return may_come_back(move.card) && takes(move.to, move.card);
            case Kind::move: {
                const auto [from, height] = find(move.card);
                return from >= 0 && from != move.to && sequence(piles_[from], height) && takes(move.to, move.card);
            }
        }
        return false;
    }

    /// Plays a move if the rules allow it; false, and nothing changed, if they do not.
    bool play(Move move) {
        if (!allows(move)) return false;
        if (move.kind == Kind::deal) {
            const std::size_t row = std::min(stock_.size(), static_cast<std::size_t>(rules_.piles));
            for (std::size_t p = 0; p < row; ++p) piles_[p].push_back({stock_[p], true});
            stock_.erase(stock_.begin(), stock_.begin() + static_cast<std::ptrdiff_t>(row));
        } else if (move.kind == Kind::back) {
            foundations_[suit_of(move.card)].pop_back();
            piles_[move.to].push_back({move.card, true});
        } else {
            const auto [from, height] = find(move.card);
            if (move.kind == Kind::off) {
                take_off(piles_[from]);
            } else {
                const auto first = piles_[from].begin() + static_cast<std::ptrdiff_t>(height);
                piles_[move.to].insert(piles_[move.to].end(), first, piles_[from].end());
                piles_[from].erase(first, piles_[from].end());
            }
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

    /// Whether all cards from a height up are face up, of one suit and in sequence.
    static bool sequence(const Pile& pile, std::size_t height) {
        if (!pile[height].up) return false;
        for (std::size_t i = height + 1; i < pile.size(); ++i) {
            const Card low = pile[i].card, high = pile[i - 1].card;
            if (suit_of(low) != suit_of(high) || rank_of(low) + 1 != rank_of(high)) return false;
        }
        return true;
    }

    bool takes(int p, Card card) const {
        if (p >= rules_.piles) return false;
        return piles_[p].empty() || rank_of(piles_[p].back().card) == rank_of(card) + 1;
    }

    bool may_deal() const {
        const auto end = piles_.begin() + rules_.piles;
        const bool full = std::none_of(piles_.begin(), end, [](const Pile& pile) { return pile.empty(); });
        return !stock_.empty() && (full || rules_.onto_empty);
    }

    bool may_go_off(Card king) const {
        if (rules_.finished == Finished::leave) return false;
        const auto [from, height] = find(king);
        if (from < 0 || !finished(piles_[from])) return false;
        return piles_[from].size() - height == static_cast<std::size_t>(rules_.ranks);
    }

    bool may_come_back(Card card) const {
        if (rules_.finished != Finished::come_back || suit_of(card) >= rules_.suits) return false;
        const auto& foundation = foundations_[suit_of(card)];
        return !foundation.empty() && foundation.back() == card;
    }

    /// Whether the top cards of a pile are all cards of a suit, king to ace.
    bool finished(const Pile& pile) const {
        const auto n = static_cast<std::size_t>(rules_.ranks);
        return pile.size() >= n && rank_of(pile.back().card) == 0 && sequence(pile, pile.size() - n);
    }

    /// Moves the run on top of a pile to its foundation, king first.
    void take_off(Pile& pile) {
        const auto first = pile.end() - rules_.ranks;
        for (auto laid = first; laid != pile.end(); ++laid) foundations_[suit_of(laid->card)].push_back(laid->card);
        pile.erase(first, pile.end());
    }

    void settle() {
        for (Pile& pile : piles_) {
            if (!pile.empty()) pile.back().up = true;
            while (rules_.finished == Finished::leave && finished(pile)) {
                take_off(pile);
                if (!pile.empty()) pile.back().up = true;
            }
        }
    }

    Rules rules_;
    std::array<Pile, max_piles> piles_;
    std::array<std::vector<Card>, 4> foundations_;
    std::vector<Card> stock_;
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
    using Rules = spider::Rules;
    using Board = spider::Board<Key>;
    using Move = spider::Move;
    struct Link {
        Kind kind;
        Card card;
        int onto;  ///< a card or the symbol of an empty pile
    };

    explicit Game(Board& board) : board_(&board) {}

    void start(Opening<Move> from) { at_ = board_->start(from); }
    Key key() const { return at_.key; }
    const Position<Key>& at() const { return at_; }
    void all_moves(std::vector<Move>& moves) const { board_->all_moves(at_, moves); }
    void jumps(std::vector<Move>& moves) const { all_moves(moves); }

    bool allows(Move move) const {
        std::vector<Move> moves;
        all_moves(moves);
        return std::any_of(moves.begin(), moves.end(), [&](Move legal) { return same(move, legal); });
    }

    /// Plays a move of any line; where from is found out.
    void play(Move move) { board_->play(at_, board_->with_source(at_, move)); }

    /// Plays a move of `all_moves`, calls `visit()` and takes the move back.
    template <class Visit>
    void trying(Move move, Visit visit) {
        const Position<Key> before = at_;
        board_->play(at_, move);
        visit();
        at_ = before;
    }

    /// The key of the position that a move of `all_moves` leads to.
    Key key_after(Move move) const {
        Position<Key> after = at_;
        board_->play(after, move);
        return after.key;
    }

    Link link(Move move) const {
        if (move.kind == Kind::deal || move.kind == Kind::off) return {move.kind, move.card, 0};
        const Card top = at_.top[move.to];
        return {move.kind, move.card, top == no_card ? board_->pile_symbol(at_, move.to) : top};
    }

    Move move_of(Link link) const {
        Move move{link.kind, link.card, 0};
        if (move.kind == Kind::move || move.kind == Kind::back)
            while (this->link(move).onto != link.onto) ++move.to;
        return board_->with_source(at_, move);
    }

  private:
    /// Whether two moves are the same, wherever from.
    static bool same(Move a, Move b) {
        if (a.kind != b.kind) return false;
        if (a.kind == Kind::deal) return true;
        return a.card == b.card && (a.kind == Kind::off || a.to == b.to);
    }

    Board* board_;
    Position<Key> at_{};
};

/// Shortens a winning line; where its piles are numbered otherwise, what the cards land on counts.
template <class Key>
std::vector<Move> shorten(Board<Key>& board, Opening<Move> from, std::span<const Move> line) {
    return shortened(Game<Key>(board), from, line);
}

}  // namespace solstat::spider
