// Family `spider` (will-o-the-wisp, spiderette): positions, moves, keys.
//
// docs/rules.md is the definition.  A position is a handful of words and links `below[card]`; moving
// a sequence changes one link, whatever its length.  Positions are copied, not taken back.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cards.hpp"
#include "keys.hpp"
#include "opening.hpp"
#include "table.hpp"

namespace solstat::spider {

inline constexpr int max_piles = 7;

enum class Finished : std::uint8_t { leave, optional, come_back };

struct Rules {
    int ranks = 13, suits = 4, piles = 7, depth = 3;
    bool triangle = false;  ///< layout: piles of 1, 2, ... cards instead of equal ones
    bool onto_empty = false;  ///< the stock is dealt onto empty piles too
    Finished finished = Finished::leave;

    int deck() const { return ranks * suits; }
};

enum class Kind : std::uint8_t { move, deal, off, back };

/// A move of any kind; `off` names the king of the run, `back` the card that comes back.
struct Move {
    Kind kind;
    Card card;
    std::uint8_t to;
    std::uint8_t from = 0;  ///< of `move` and `off`: the pile that the card is in
    bool operator==(const Move&) const = default;
};

inline std::string move_text(Move move) {
    switch (move.kind) {
        case Kind::deal: return "deal";
        case Kind::off: return std::string("off:") + "CSHD"[suit_of(move.card)];
        case Kind::back: return "back:" + card_text(move.card) + ">" + std::to_string(move.to + 1);
        default: return card_text(move.card) + ">" + std::to_string(move.to + 1);
    }
}

/// What a card lies on if it lies on no other: an empty pile, which may be like others or not.
inline constexpr int base = 64;
inline constexpr int gone_symbol = base + 1 + max_piles;

/// All that changes in a game.  The cards still in the stock are the last of Board::stock.
template <class Key>
struct Position {
    Key key = 0;
    Set up = 0;      ///< face up on the table
    Set gone = 0;    ///< on the foundations
    Set stock = 0;   ///< not dealt yet
    Set tops = 0;    ///< of every pile
    Set bases = 0;   ///< at the bottom of a pile
    Set joined = 0;  ///< on the next higher card of their suit, both face up
    Set hosted = 0;  ///< on a card of the next higher rank, face up or not
    Set hosts = 0;   ///< what those lie on
    std::array<Card, max_piles> top{};
    std::uint8_t dealt = 0;  ///< stock cards dealt
    std::array<Card, 64> below;
    bool operator==(const Position&) const = default;
};

template <class Key>
class Board {
  public:
    using Keys = LinkKeys<Key, max_piles + 2>;
    using At = Position<Key>;

    Board(const Rules& rules, const Keys& keys) : rules_(rules), keys_(&keys) {
        for (int suit = 0; suit < rules.suits; ++suit) {
            suit_sets_[suit] = ((Set{1} << rules.ranks) - 1) << (16 * suit);
            deck_ |= suit_sets_[suit];
            kings_ |= bit(king(suit));
        }
    }

    const Rules& rules() const { return rules_; }
    const std::vector<Card>& stock() const { return stock_; }
    Set suit_set(int suit) const { return suit_sets_[suit]; }
    Set deck() const { return deck_; }
    Set kings() const { return kings_; }
    bool is_king(Card card) const { return rank_of(card) == rules_.ranks - 1; }
    Card king(int suit) const { return static_cast<Card>(16 * suit + rules_.ranks - 1); }
    Set on_table(const At& at) const { return deck_ & ~at.gone & ~at.stock; }
    bool won(const At& at) const { return at.gone == deck_; }
    int stock_left(const At& at) const { return static_cast<int>(stock_.size()) - at.dealt; }

    int empty_piles(const At& at) const { return rules_.piles - std::popcount(at.tops); }

    /// Whether a pile can be told from other piles by stock cards it will get.
    bool marked(const At& at, int p) const { return p < stock_left(at); }

    /// Lays out a deal and plays what was played; where from is found out.
    At start(Opening<Move> from) {
        const auto deal = from.deal;
        At at;
        at.top.fill(no_card);
        at.below.fill(no_card);
        const int rows = rules_.depth * rules_.piles;
        const int laid = rules_.triangle ? rows - rules_.depth * (rules_.depth - 1) / 2 : rows;
        stock_.assign(deal.begin() + laid, deal.end());
        for (const Card card : stock_) at.stock |= bit(card);
        std::size_t next = 0;
        for (int row = 1; row <= rules_.depth; ++row) {
            const bool last = row == rules_.depth;
            for (int p = rules_.triangle && !last ? row : 0; p < rules_.piles; ++p) lay(at, deal[next++], p, last);
        }
        if (rules_.finished == Finished::leave)
            for (int p = 0; p < rules_.piles; ++p) leave(at, p);
        for (const Move move : from.played) play(at, with_source(at, move));
        return at;
    }

    /// The pile that a card on the table is in.
    int pile_of(const At& at, Card card) const {
        for (int p = 0; p < rules_.piles; ++p)
            for (Card c = at.top[p]; c != no_card; c = under(at, c))
                if (c == card) return p;
        return -1;
    }

    /// A move with the pile that it comes from.
    Move with_source(const At& at, Move move) const {
        if (move.kind == Kind::move || move.kind == Kind::off)
            move.from = static_cast<std::uint8_t>(pile_of(at, move.card));
        return move;
    }

    /// The card a card lies on; no_card at the bottom of a pile.
    static Card under(const At& at, Card card) { return at.below[card] == base ? no_card : at.below[card]; }

    /// The cards that may be moved off a pile, from its top down, with what lies on them.
    template <class Visit>
    void each_movable(const At& at, int p, Visit visit) const {
        for (Card card = at.top[p]; card != no_card; card = at.below[card]) {
            visit(card);
            if (!(at.joined & bit(card))) return;
        }
    }

    /// Whether a card may be put onto a pile.
    bool takes(const At& at, int p, Card card) const {
        return at.top[p] == no_card || rank_of(at.top[p]) == rank_of(card) + 1;
    }

    bool may_deal(const At& at) const {
        return at.stock && (rules_.onto_empty || empty_piles(at) == 0);
    }

    /// The suit of the finished run on top of a pile, or -1.
    int finished(const At& at, int p) const {
        const Card top = at.top[p];
        if (top == no_card || rank_of(top) != 0) return -1;
        const int suit = suit_of(top);
        const Set run = suit_sets_[suit];
        return (at.joined & run) == (run & ~bit(king(suit))) && (at.up & run) == run ? suit : -1;
    }

    /// Whether a move from pile to pile completes a run that leaves.
    bool completes(const At& at, Move move) const {
        Card card = at.top[move.to];
        if (rules_.finished != Finished::leave || card != move.card + 1 || rank_of(at.top[move.from]) != 0) return false;
        while (at.joined & bit(card)) ++card;
        return is_king(card);
    }

    /// Whether a move leaves a card that would take its group back, and no run.
    bool undoable(const At& at, Move move) const {
        return move.kind == Kind::move && at.hosted & bit(move.card) && at.up & bit(at.below[move.card]) &&
               !completes(at, move);
    }

    /// Every legal move; each empty pile counts on its own.
    void all_moves(const At& at, std::vector<Move>& moves) const {
        for (int p = 0; p < rules_.piles; ++p)
            each_movable(at, p, [&](Card card) { add_targets(at, moves, {Kind::move, card, 0, static_cast<std::uint8_t>(p)}, p); });
        if (may_deal(at)) moves.push_back({Kind::deal, no_card, 0});
        if (rules_.finished == Finished::leave) return;
        for (int p = 0; p < rules_.piles; ++p)
            if (const int suit = finished(at, p); suit >= 0)
                moves.push_back({Kind::off, king(suit), 0, static_cast<std::uint8_t>(p)});
        if (rules_.finished == Finished::come_back)
            each_returning(at, [&](Card card) { add_targets(at, moves, {Kind::back, card, 0}, -1); });
    }

    /// The legal moves but for those that lead to the same position up to piles that are alike.
    void distinct_moves(const At& at, std::vector<Move>& moves) const {
        const auto first = moves.size();
        all_moves(at, moves);
        int empty = -1;  // the first of the empty piles that are alike
        for (int p = rules_.piles; p-- > 0;)
            if (at.top[p] == no_card && !marked(at, p)) empty = p;
        const auto same = [&](Move move) {
            if (move.kind != Kind::move && move.kind != Kind::back) return false;
            if (at.top[move.to] != no_card || marked(at, move.to)) return false;
            if (move.to != empty) return true;
            return move.kind == Kind::move && at.below[move.card] == base && !marked(at, move.from);
        };
        moves.erase(std::remove_if(moves.begin() + static_cast<std::ptrdiff_t>(first), moves.end(), same), moves.end());
    }

    /// The top card of each foundation that holds any.
    template <class Visit>
    void each_returning(const At& at, Visit visit) const {
        for (int suit = 0; suit < rules_.suits; ++suit)
            if (const Set held = at.gone & suit_sets_[suit]) visit(lowest(held));
    }

    /// Plays a legal move.
    void play(At& at, Move move) const {
        switch (move.kind) {
            case Kind::move: {
                const Card old = at.below[move.card];
                unlink(at, move.card, move.from);
                const Card head_top = at.top[move.from];
                at.top[move.from] = old == base ? no_card : old;
                if (old != base) at.tops |= bit(old);
                link(at, move.card, at.top[move.to] == no_card ? base : at.top[move.to], move.to);
                at.top[move.to] = head_top;
                turn_up(at, move.from);
                if (rules_.finished == Finished::leave) leave(at, move.to);
                break;
            }
            case Kind::deal: deal_out(at); break;
            case Kind::off: take_off(at, move.from, suit_of(move.card)); break;
            case Kind::back:
                at.gone ^= bit(move.card);
                at.key ^= keys_->link(move.card, gone_symbol);
                lay(at, move.card, move.to, true);
        }
    }

    /// The key computed from nothing, for tests.
    Key recomputed_key(const At& at) const {
        Key key = 0;
        each(on_table(at), [&](Card card) {
            key ^= keys_->link(card, at.below[card] == base ? pile_symbol(at, pile_of(at, card)) : at.below[card]);
        });
        each(at.up, [&](Card card) { key ^= keys_->up(card); });
        each(at.gone, [&](Card card) { key ^= keys_->link(card, gone_symbol); });
        return key;
    }

    /// What a card lies on in a key if it is the bottom card of a pile.
    int pile_symbol(const At& at, int p) const { return marked(at, p) ? base + 1 + p : base; }
    const Keys& keys() const { return *keys_; }

  private:
    void add_targets(const At& at, std::vector<Move>& moves, Move move, int from) const {
        for (int p = 0; p < rules_.piles; ++p)
            if (p != from && takes(at, p, move.card)) {
                move.to = static_cast<std::uint8_t>(p);
                moves.push_back(move);
            }
    }

    /// Puts a single card on a pile.
    void lay(At& at, Card card, int p, bool face_up) const {
        if (face_up) {
            at.up |= bit(card);
            at.key ^= keys_->up(card);
        }
        link(at, card, at.top[p] == no_card ? base : at.top[p], p);
        at.top[p] = card;
        at.tops |= bit(card);
    }

    /// A card, with all on it, comes to lie on another or at the bottom of pile p.
    void link(At& at, Card card, int onto, int p) const {
        at.below[card] = static_cast<Card>(onto);
        if (onto == base) {
            at.bases |= bit(card);
            at.key ^= keys_->link(card, pile_symbol(at, p));
            return;
        }
        const auto under = static_cast<Card>(onto);
        at.tops &= ~bit(under);
        at.key ^= keys_->link(card, under);
        if (rank_of(under) != rank_of(card) + 1) return;
        at.hosted |= bit(card);
        at.hosts |= bit(under);
        if (under == card + 1 && (at.up & bit(card)) && (at.up & bit(under))) at.joined |= bit(card);
    }

    void unlink(At& at, Card card, int p) const {
        const Card old = at.below[card];
        if (old == base) {
            at.key ^= keys_->link(card, pile_symbol(at, p));
            at.bases ^= bit(card);
            return;
        }
        at.key ^= keys_->link(card, old);
        if (at.hosted & bit(card)) {
            at.hosted ^= bit(card);
            at.hosts ^= bit(old);
            at.joined &= ~bit(card);
        }
    }

    void turn_up(At& at, int p) const {
        const Card top = at.top[p];
        if (top == no_card || at.up & bit(top)) return;
        at.up |= bit(top);
        at.key ^= keys_->up(top);
    }

    void deal_out(At& at) const {
        const int row = std::min(stock_left(at), rules_.piles);
        const At before = at;
        at.dealt = static_cast<std::uint8_t>(at.dealt + row);
        for (int p = 0; p < rules_.piles; ++p) {  // piles may become alike
            if (before.top[p] == no_card || marked(before, p) == marked(at, p)) continue;
            const Card bottom = bottom_of(at, p);
            at.key ^= keys_->link(bottom, base) ^ keys_->link(bottom, base + 1 + p);
        }
        for (int p = 0; p < row; ++p) {
            const Card card = stock_[static_cast<std::size_t>(before.dealt + p)];
            at.stock ^= bit(card);
            lay(at, card, p, true);
        }
        if (rules_.finished == Finished::leave)
            for (int p = 0; p < row; ++p) leave(at, p);
    }

    Card bottom_of(const At& at, int p) const {
        Card card = at.top[p];
        while (at.below[card] != base) card = at.below[card];
        return card;
    }

    /// Takes off the finished runs on top of a pile.
    void leave(At& at, int p) const {
        for (int suit; (suit = finished(at, p)) >= 0;) take_off(at, p, suit);
    }

    void take_off(At& at, int p, int suit) const {
        const Set run = suit_sets_[suit];
        const Card k = king(suit);
        const Card old = at.below[k];
        at.tops &= ~run;
        unlink_run(at, run, p);
        at.top[p] = old == base ? no_card : old;
        if (old != base) at.tops |= bit(old);
        at.up &= ~run;
        at.gone |= run;
        turn_up(at, p);
    }

    void unlink_run(At& at, Set run, int p) const {
        each(run, [&](Card card) {
            const Card old = at.below[card];
            at.key ^= keys_->link(card, old == base ? pile_symbol(at, p) : old) ^ keys_->up(card) ^
                      keys_->link(card, gone_symbol);
            if (at.hosted & bit(card)) at.hosts &= ~bit(old);
            at.below[card] = no_card;
        });
        at.hosted &= ~run;
        at.joined &= ~run;
        at.bases &= ~run;
    }

    Rules rules_;
    const Keys* keys_;
    std::array<Set, 4> suit_sets_{};
    Set deck_ = 0, kings_ = 0;
    std::vector<Card> stock_;
};

}  // namespace solstat::spider
