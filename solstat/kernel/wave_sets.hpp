// Family `wave`, wave-motion: the exact search over sets of cards taken, backwards.
//
// docs/method-wave.md proves what is used here.  A set needs as many columns as it has maximal runs in
// suit; taking a card is legal if the next higher card is taken, or if a column is empty.  The search
// starts from all cards taken and takes them back, to the deal or to what was taken already: only then
// does it branch rarely.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "opening.hpp"
#include "outcome.hpp"
#include "wave_cut.hpp"
#include "wave_memo.hpp"
#include "wave_piles.hpp"
#include "wave_rules.hpp"

namespace solstat::wave {

/// What the search over sets leaves out, by name; docs/method-wave.md proves each.
struct Prunings {
    bool closure = true;    ///< cards that cost no column are taken back at once
    bool commit = true;     ///< a smaller set that is as good replaces a set
    bool unchecked = true;  ///< no check before a commit after closure alone
    bool hand_down = true;  ///< a card that leads to a dead set still does when others are taken back
    bool covered = true;    ///< and so do the cards that closure took back after it
};

class SetSearch {
  public:
    explicit SetSearch(const Rules& rules, Prunings prunings = {}) : rules_(rules), prunings_(prunings) {}

    /// Decides one deal.  The order in which a win takes cards is in `takes()`.
    Outcome run(Opening<Move> from, std::int64_t budget, const Cancelled& cancelled) {
        load(from.deal, from.played.empty() ? 0 : Piles(rules_, from).in_columns());
        memo_.clear();
        length_ = 0;
        positions_ = 1;
        budget_ = budget;
        next_poll_ = poll_every;
        cancelled_ = &cancelled;
        takes_.clear();
        Taken at = all_;
        try {
            if (columns(at) > rules_.columns || !(prunings_.commit ? committed(at) : found(at))) return Outcome::lost;
        } catch (OutOfBudget) {
            positions_ = budget;
            return Outcome::unsettled;
        }
        for (int i = length_; i-- > 0;) takes_.push_back(name_[trail_[i]]);
        return Outcome::won;
    }

    std::int64_t positions() const { return positions_; }

    /// The cards that are moved off reserves, in this order, each with all on it.
    const std::vector<Card>& takes() const { return takes_; }

  private:
    static constexpr std::int64_t poll_every = 1 << 14;
    struct OutOfBudget {};

    static int columns(const Taken& at) { return std::popcount(at.all & ~(at.all >> 1)); }

    /// Reads a deal; with `runs`, the cards of a run in a reserve become one, named after its highest card,
    /// and suits are numbered anew.  Cards `taken` already are in every set and never taken back.
    void load(std::span<const Card> deal, Set taken) {
        const auto rows = static_cast<std::size_t>(rules_.reserves);
        Set named = 0, inner = 0;  // inner cards lie on the next higher one of their suit
        for (const Card card : deal) named |= bit(card);
        if (rules_.runs)
            for (std::size_t i = rows; i < deal.size(); ++i)
                if (deal[i] + 1 == deal[i - rows]) inner |= bit(deal[i]);
        inner &= ~taken;
        named &= ~inner;
        const auto number = [&](Card card) {
            const Set lower = named & (bit(card) - 1) & Set{0xFFFF} << (card & 48);
            return static_cast<Card>((card & 48) + std::popcount(lower));
        };
        all_ = {};
        goal_ = 0;
        std::array<Card, max_piles> top{};
        for (std::size_t i = 0; i < deal.size(); ++i) {
            const Card name = deal[i];
            if (inner & bit(name)) continue;
            const Card card = inner ? number(name) : name;
            name_[card] = name;
            before_[card] = 0;
            all_.all |= bit(card);
            if (taken & bit(name)) {
                goal_ |= bit(card);
                continue;
            }
            const auto reserve = i % rows;
            if (i < rows) all_.last |= bit(card);
            else before_[top[reserve]] = bit(card);
            top[reserve] = card;
        }
    }

    /// Counts sets; the search ends when it would count one more than the budget.
    void count(std::int64_t sets) {
        positions_ += sets;
        if (positions_ > budget_) throw OutOfBudget{};
        if (positions_ < next_poll_) return;
        next_poll_ += poll_every;
        if (*cancelled_ && (*cancelled_)()) throw CancelledError{};
    }

    /// Takes the last card of a reserve back.
    void take_back(Taken& at, Card card) {
        at.all ^= bit(card);
        at.last ^= bit(card) | before_[card];
        trail_[length_++] = card;
    }

    /// Takes back every card that costs no column, and what that uncovers.  Says whether it could have done
    /// so, too, if one more column had been in use all the time.
    bool close(Taken& at) {
        if (!prunings_.closure) return false;
        const int first = length_;
        bool roomy = true;
        for (;;) {
            Set free = at.last & ~(at.all << 1);
            if (!free) {
                const int used = columns(at);
                if (used < rules_.columns) free = at.last & ~(at.all >> 1);
                if (!free) break;
                roomy &= used + 1 < rules_.columns;
            }
            each(free, [&](Card card) { take_back(at, card); });
        }
        count(length_ - first);
        return roomy;
    }

    /// The cards that may be taken back.
    Set choices(const Taken& at) const {
        return columns(at) < rules_.columns ? at.last : at.last & ~(at.all << 1);
    }

    /// Whether the goal can be reached by commits.
    bool committed(Taken at) {
        close(at);
        while (at.all != goal_)
            if (!commit(at, 0)) return false;
        return true;
    }

    /// Replaces a closed set by a smaller one that needs no more columns and is won if and only if it is.
    /// False if the set is dead.  Taking back one of `dead` is known to lead to dead sets.
    bool commit(Taken& at, Set dead) {
        Set left = choices(at) & ~dead;
        if (!left) return false;
        if (const Memo::Entry* known = memo_.find(at.all)) {
            if (known->dead()) return false;
            const auto path = memo_.path(*known);
            std::copy(path.begin(), path.end(), trail_.begin() + length_);
            length_ += static_cast<int>(path.size());
            at = known->target;
            return true;
        }
        const int used = columns(at), first = length_;
        while (left) {
            // Of two neighbours the lower one: closure takes the other back after it.
            const Set lower_ones = left & at.last >> 1;
            const Card card = lowest(lower_ones ? lower_ones : left);
            Taken next = at;
            take_back(next, card);
            count(1);
            const bool roomy = close(next);
            const Set tried = prunings_.covered ? at.last & ~next.all : bit(card);
            Set known = roomy && prunings_.hand_down ? dead & next.last : 0;
            bool alive = true, sure = prunings_.closure && prunings_.unchecked;
            while (alive && columns(next) > used && next.all != goal_) {
                alive = choices(next) && commit(next, known);
                known = 0;
                sure = false;
            }
            if (alive) {
                if (!sure && next.all != goal_) lower(next, at, card, first);
                memo_.store(at.all, next, {trail_.data() + first, trail_.data() + length_});
                at = next;
                return true;
            }
            dead |= tried;
            left &= ~tried;
            length_ = first;
        }
        memo_.store_dead(at.all);
        return false;
    }

    /// `next` has the fewest columns of all sets between it and `at` without a card; if a set with the
    /// card has fewer, goes there instead.
    void lower(Taken& next, const Taken& at, Card card, int first) {
        Set kept = 0;
        for (Set own = bit(card); own & ~next.all; own = before_[lowest(own)]) kept |= own;
        const Set fewest = fewest_(before_, next.all | kept, at.all, columns(next));
        if (fewest == at.all) return;
        // What the way to `next` takes back and this set has not is a legal way to it.
        const int end = length_;
        length_ = first;
        next = at;
        for (int i = first; i < end; ++i)
            if (!(fewest & bit(trail_[i]))) take_back(next, trail_[i]);
        count(length_ - first);
        close(next);
    }

    /// Whether the goal can be reached, without commits: a depth-first search that remembers dead sets.
    bool found(Taken at) {
        close(at);
        if (at.all == goal_) return true;
        if (memo_.find(at.all)) return false;
        const int first = length_;
        for (Set left = choices(at); left; left &= left - 1) {
            Taken next = at;
            take_back(next, lowest(left));
            count(1);
            if (found(next)) return true;
            length_ = first;
        }
        memo_.store_dead(at.all);
        return false;
    }

    Rules rules_;
    Prunings prunings_;
    Memo memo_;
    FewestColumns fewest_;
    Taken all_;
    Set goal_ = 0;  ///< what was taken already: the set that is looked for
    Before before_{};
    std::array<Card, 64> name_{};   ///< the card that a number stands for
    std::array<Card, 64> trail_{};  ///< cards taken back
    int length_ = 0;
    std::int64_t positions_ = 0, budget_ = 0, next_poll_ = 0;
    const Cancelled* cancelled_ = nullptr;
    std::vector<Card> takes_;
};

}  // namespace solstat::wave
