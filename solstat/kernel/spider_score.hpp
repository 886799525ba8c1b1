// How promising a position of family `spider` looks: a weighted sum that orders the search.
//
// It proves nothing, so any weights are sound.  A move's score is that of the position it leads to,
// told from the table before the move: what the move changes is added to the sum, and the position
// itself is not made.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "spider.hpp"

namespace solstat::spider {

/// What is counted.  A group is a sequence as long as it can be: cards joined one on the other.
enum Feature : int {
    face_down,         ///< face-down cards
    joined,            ///< cards on the next higher of their suit
    off_suit,          ///< cards on the next higher rank of another suit
    two_apart,         ///< cards on another suit two ranks higher
    higher,            ///< ... more than two ranks higher
    lower,             ///< ... of the same rank or a lower one
    on_face_down,      ///< cards on a face-down card
    king_on,           ///< kings on a card
    same_higher,       ///< cards on a higher card of their suit that is not the next
    same_lower,        ///< cards on a lower card of their suit
    inverted,          ///< cards with a higher card of their suit somewhere on them
    empty_pile,        ///< empty piles
    king_base,         ///< kings at the bottom of a pile
    other_base,        ///< other face-up cards at the bottom of a pile
    suit_off,          ///< finished runs that have left
    join_ready,        ///< joins that are possible now
    movable,           ///< cards that can be moved now with what lies on them
    cover_waiting,     ///< groups on a card that could join one on the table
    cover_wanted,      ///< groups on a card that one on the table could join
    cover_face_down,   ///< groups on a face-down card
    lands_off_suit,    ///< cards of the next deal that will land on the next higher rank
    lands_joined,      ///< ... of their own suit
    features
};

inline constexpr std::array<const char*, features> feature_names{
    "face_down", "joined", "off_suit", "two_apart", "higher", "lower", "on_face_down", "king_on", "same_higher", "same_lower", "inverted", "empty_pile", "king_base", "other_base", "suit_off", "join_ready", "movable", "cover_waiting", "cover_wanted", "cover_face_down", "lands_off_suit", "lands_joined"};

/// A weight for each feature: while there is stock left, and after the last deal.
struct Weights {
    std::array<std::array<int, features>, 2> phase;
};

template <class Key>
class Score {
  public:
    Score(const Board<Key>& board, const Weights& weights) : board_(board), weights_(weights) {}

    /// Takes up a position and returns its score; `after` then scores moves from it.
    int operator()(const Position<Key>& at) {
        at_ = &at;
        w_ = weights_.phase[at.stock ? 0 : 1].data();
        const Set table = board_.on_table(at);
        waiting_ = table & ~at.joined & ~board_.kings() & (table >> 1);
        wanted_ = table & ~(at.joined << 1) & (table << 1);
        heads_ = 0;
        score_ = w_[face_down] * std::popcount(table & ~at.up) + w_[empty_pile] * board_.empty_piles(at) +
                 w_[suit_off] * (std::popcount(at.gone) / board_.rules().ranks);
        for (int p = 0; p < board_.rules().piles; ++p) {
            score_ += walk(p) + landing(p, at.top[p]);
            heads_ |= pile_[p].heads;
        }
        ready_ = ready(heads_, at.joined, at.tops);
        return score_ += w_[join_ready] * ready_ + w_[movable] * std::popcount(heads_);
    }

    /// The score after a move.
    ///
    /// A run that leaves is looked at as if it stayed, and as off besides.
    int after(Move move) const {
        switch (move.kind) {
            case Kind::deal: return after_dealing();
            case Kind::off: return after_off(move);
            case Kind::back: return score_ + laid(move.card, move.to) - (rank_of(move.card) == 0 ? w_[suit_off] : 0);
            default: return after_moving(move) + (board_.completes(*at_, move) ? run_off() : 0);
        }
    }

  private:
    struct Pile {
        Set cards, inverted;
        Set heads;       ///< cards that can be moved: the top group
        Set rest_heads;  ///< those that could be moved if the top group were gone
        int waiting, wanted, down, inverted_by_group;
    };

    static Set set_of(Card card) { return card == no_card ? 0 : bit(card); }

    /// What a pile is like once a card has left it with what lies on it.
    struct Left {
        int change;  ///< of the score
        Card bared;
        Set heads;
    };

    /// The score after a move from pile to pile, a run that it completes left lying.
    int after_moving(Move move) const {
        const Position<Key>& at = *at_;
        const Pile& from = pile_[move.from];
        const Pile& to = pile_[move.to];
        const Card card = move.card, target = at.top[move.to], top = at.top[move.from];
        const bool joins = target == card + 1;
        const Left left = leave(card, move.from);
        const Set tops = (at.tops & ~set_of(target)) | set_of(left.bared);
        const Set heads = (heads_ & ~from.heads & ~to.heads) | left.heads | group(card, move.from) | (joins ? to.heads : 0);
        const Set joined_now = (at.joined & ~bit(card)) | (joins ? bit(card) : 0);
        return score_ + left.change + laid(card, move.to) + free_cards(tops, heads, joined_now) +
               landing(move.from, left.bared) - landing(move.from, top) + landing(move.to, top) - landing(move.to, target);
    }

    /// The score after a finished run is taken off.
    int after_off(Move move) const {
        const Position<Key>& at = *at_;
        const Card top = at.top[move.from];
        const Left left = leave(move.card, move.from);
        const Set tops = (at.tops & ~bit(top)) | set_of(left.bared);
        const Set heads = (heads_ & ~pile_[move.from].heads) | left.heads;
        return score_ + left.change + run_off() + free_cards(tops, heads, at.joined) + landing(move.from, left.bared);
    }

    /// The score after a deal, but for what is the same after every deal of the same cards.
    int after_dealing() const {
        const Position<Key>& at = *at_;
        const int cards = std::min(board_.stock_left(at), board_.rules().piles);
        Set tops = at.tops, heads = heads_, joined_now = at.joined;
        int change = 0;
        for (int p = 0; p < cards; ++p) {
            const Card card = board_.stock()[static_cast<std::size_t>(at.dealt + p)], target = at.top[p];
            const bool joins = target == card + 1;
            change += laid(card, p);
            tops = (tops & ~set_of(target)) | bit(card);
            heads = (joins ? heads : heads & ~pile_[p].heads) | bit(card);
            if (joins) joined_now |= bit(card);
        }
        return score_ + change + free_cards(tops, heads, joined_now);
    }

    /// A run that is off instead of lying on the table.
    int run_off() const { return w_[suit_off] - (board_.rules().ranks - 1) * w_[joined]; }

    /// A card of the top group of a pile, and what lies on it.
    Set group(Card card, int p) const { return pile_[p].heads & (bit(card) | (bit(card) - bit(at_->top[p]))); }

    /// What other tops, movable and joined cards change.
    int free_cards(Set tops, Set heads, Set joined_cards) const {
        return w_[join_ready] * (ready(heads, joined_cards, tops) - ready_) +
               w_[movable] * (std::popcount(heads) - std::popcount(heads_));
    }

    /// What a pile loses with a card and what lies on it.
    Left leave(Card card, int p) const {
        const Position<Key>& at = *at_;
        const Pile& pile = pile_[p];
        const Card under = at.below[card];
        if (under == base) return {w_[empty_pile] - at_base(card), no_card, 0};
        if (at.joined & bit(card)) return {-w_[joined], under, pile.heads & ~group(card, p)};
        const bool turns = !(at.up & bit(under)), waits = waiting_ & bit(card), wants = wanted_ & bit(at.top[p]);
        const int turned = turns ? (at.below[under] == base ? at_base(under) : 0) - w_[face_down] : 0;
        return {turned - link(card, under) - w_[cover_waiting] * (pile.waiting - waits) -
                    w_[cover_wanted] * (pile.wanted - wants) - w_[cover_face_down] * pile.down -
                    w_[inverted] * pile.inverted_by_group,
                under, turns ? bit(under) : pile.rest_heads};
    }

    /// What a card adds, with what lies on it, by coming to a pile.
    int laid(Card card, int p) const {
        const Pile& pile = pile_[p];
        const Card target = at_->top[p];
        if (target == no_card) return at_base(card) - w_[empty_pile];
        if (target == card + 1) return w_[joined];
        const Set lower_cards = pile.cards & board_.suit_set(suit_of(card)) & (bit(card) - 1);
        return link(card, target) + w_[cover_waiting] * pile.waiting + w_[cover_wanted] * pile.wanted +
               w_[cover_face_down] * pile.down + w_[inverted] * std::popcount(lower_cards & ~pile.inverted);
    }

    /// Sums up a pile from its top down, and keeps what `after` needs.
    int walk(int p) {
        const Position<Key>& at = *at_;
        Pile& pile = pile_[p] = {};
        int sum = 0, groups = 0;
        Set by_others = 0;  // cards inverted even without the top group
        bool rest_moves = true;
        for (Card card = at.top[p]; card != no_card;) {
            const Card under = at.below[card];
            const Set one = bit(card), above_it = board_.suit_set(suit_of(card)) & ~((one << 1) - 1);
            if (groups == 0) pile.heads |= one;
            else if (groups == 1 && rest_moves && at.up & one) pile.rest_heads |= one;
            if (pile.cards & above_it) pile.inverted |= one;
            if (pile.cards & above_it & ~pile.heads) by_others |= one;
            pile.cards |= one;
            if (waiting_ & one) sum += w_[cover_waiting] * groups, ++pile.waiting;
            if (wanted_ & one) sum += w_[cover_wanted] * groups, ++pile.wanted;
            if (!(at.up & one)) sum += w_[cover_face_down] * groups, ++pile.down;
            if (!(at.joined & one)) {
                if (groups == 1) rest_moves = false;
                ++groups;
            }
            if (under == base) {
                if (at.up & one) sum += at_base(card);
                break;
            }
            sum += at.joined & one ? w_[joined] : link(card, under);
            card = under;
        }
        pile.inverted_by_group = std::popcount(pile.inverted & ~by_others & ~pile.heads);
        return sum + w_[inverted] * std::popcount(pile.inverted);
    }

    /// What a card adds by lying on another, if not joined to it.
    int link(Card card, Card under) const {
        if (!(at_->up & bit(under))) return w_[on_face_down];
        const int apart = rank_of(under) - rank_of(card);
        if (apart == 1) return w_[off_suit];
        if (board_.is_king(card)) return w_[king_on];
        if (suit_of(under) == suit_of(card)) return w_[apart > 0 ? same_higher : same_lower];
        return w_[apart == 2 ? two_apart : apart > 0 ? higher : lower];
    }

    int at_base(Card card) const { return w_[board_.is_king(card) ? king_base : other_base]; }

    /// What the card of the next deal adds by landing on a top.
    int landing(int p, Card top) const {
        if (top == no_card || !board_.marked(*at_, p)) return 0;
        const Card card = board_.stock()[static_cast<std::size_t>(at_->dealt + p)];
        if (rank_of(top) != rank_of(card) + 1) return 0;
        return w_[top == card + 1 ? lands_joined : lands_off_suit];
    }

    int ready(Set heads, Set joined_cards, Set tops) const {
        return std::popcount(heads & ~joined_cards & (tops >> 1) & ~board_.kings());
    }

    const Board<Key>& board_;
    Weights weights_;
    const Position<Key>* at_ = nullptr;
    const int* w_ = nullptr;
    std::array<Pile, max_piles> pile_;
    Set waiting_ = 0, wanted_ = 0, heads_ = 0;
    int score_ = 0, ready_ = 0;
};

}  // namespace solstat::spider
