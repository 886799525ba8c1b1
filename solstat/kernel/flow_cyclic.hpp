// Family `wave`, flow: cyclic best-first search, one set of positions, nothing dropped but what is proved
// superfluous; so it may say won and lost.
//
// docs/method-flow.md proves what is used here.  Positions wait in buckets by the number of cards joined,
// the best first.  A sweep goes through the buckets and expands the best position of each; positions found
// on the way may be expanded in the same sweep.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "deal.hpp"
#include "flow_line.hpp"
#include "opening.hpp"
#include "outcome.hpp"
#include "table.hpp"
#include "wave_piles.hpp"
#include "wave_rules.hpp"

namespace solstat::wave {

template <class Key>
class FlowCyclic {
  public:
    /// With `joined_stay` joined cards are never parted, and what begins a pile is joined when it can be.
    FlowCyclic(const Rules& rules, bool joined_stay, std::uint64_t key_seed, bool backwards)
        : rules_(rules), joined_stay_(joined_stay), backwards_(backwards), table_of_line_(rules) {
        SplitMix64 draw(key_seed);
        for (auto& salt : salts_) salt = draw();
    }

    /// Searches one deal; the line of a win, from where the search starts, is in `line()`.
    Outcome run(Opening<Move> from, std::int64_t budget, const Cancelled& cancelled) {
        table_.clear();
        nodes_.clear();
        for (auto& bucket : buckets_) bucket.clear();
        positions_ = 0;
        next_poll_ = poll_every;
        budget_ = budget;
        cancelled_ = &cancelled;
        try {
            const bool won = enter({load(Piles(rules_, from)), 0, {}}) || search();
            if (won) spell(from);
            return won ? Outcome::won : Outcome::lost;
        } catch (OutOfBudget) {
            positions_ = budget;
            return Outcome::unsettled;
        }
    }

    std::int64_t positions() const { return positions_; }
    const std::vector<Move>& line() const { return table_of_line_.line(); }

  private:
    static constexpr std::int64_t poll_every = 1 << 14;
    struct OutOfBudget {};

    /// Where each card lies: on the next higher one, at the bottom of a pile, or else where it was dealt.
    struct At {
        Set joined = 0, columns = 0, reserves = 0;
        Set tops = 0;  ///< what lies at the end of a pile; it follows from the others
        Set bottoms() const { return columns | reserves; }
    };
    enum class Where : std::uint8_t { next, column, reserve };
    struct Step {
        Card card;
        Where where;
    };
    struct Node {
        At at;
        std::uint32_t parent;
        Step step;  ///< that led here
    };
    struct Waiting {
        std::int32_t score;
        std::uint32_t node;
        /// Of equal scores the newest first.
        bool operator<(const Waiting& other) const {
            return score != other.score ? score < other.score : node < other.node;
        }
    };

    At load(const Piles& piles) {
        At at;
        deck_ = 0;
        for (int p = 0; p < rules_.piles(); ++p) {
            Card under = no_card;
            for (const Card card : piles[p]) {
                under_[card] = under;
                if (under == no_card) (rules_.is_column(p) ? at.columns : at.reserves) |= bit(card);
                else if (under == card + 1) at.joined |= bit(card);
                deck_ |= bit(card);
                under = card;
            }
            if (under != no_card) at.tops |= bit(under);
        }
        return at;
    }

    bool won(const At& at) const { return (at.joined | at.columns) == deck_; }
    bool in_place(const At& at, Card card) const { return !((at.joined | at.bottoms()) & bit(card)); }
    int empty_columns(const At& at) const { return rules_.columns - std::popcount(at.columns); }
    int empty_reserves(const At& at) const {
        return rules_.fill_empty ? rules_.reserves - std::popcount(at.reserves) : 0;
    }

    /// Calls `visit(card, length)` for the card that a sequence at the end of a pile begins with.
    template <class Visit>
    static void each_sequence(const At& at, Visit visit) {
        each(at.tops, [&](Card end) {
            Card head = end;
            while (at.joined & bit(head)) ++head;
            visit(head, head - end + 1);
        });
    }

    void apply(At& at, Step step) const {
        const Set moved = bit(step.card);
        if (at.joined & moved) at.tops |= moved << 1;
        else if (!(at.bottoms() & moved)) at.tops |= bit(under_[step.card]);
        at.joined &= ~moved;
        at.columns &= ~moved;
        at.reserves &= ~moved;
        switch (step.where) {
            case Where::next:
                at.joined |= moved;
                at.tops &= ~(moved << 1);
                break;
            case Where::column: at.columns |= moved; break;
            case Where::reserve: at.reserves |= moved;
        }
    }

    /// Joins what begins a pile wherever that can be done; calls `visit(card)` before each.
    template <class Visit>
    void join_bottoms(At& at, Visit visit) const {
        for (Set joinable = 1; joinable;) {
            joinable = 0;
            each_sequence(at, [&](Card head, int) { joinable |= bit(head); });
            joinable &= at.bottoms() & at.tops >> 1;
            if (!joinable) return;
            visit(lowest(joinable));
            apply(at, {lowest(joinable), Where::next});
        }
    }

    /// Calls `visit(step, within)` for each step; `within` it are so many positions but for its last.
    template <class Visit>
    void each_step(const At& at, Visit visit) const {
        const int columns = empty_columns(at), reserves = empty_reserves(at);
        each_sequence(at, [&](Card head, int length) {
            const Set own = bit(head);
            if (at.tops & own << 1) visit(Step{head, Where::next}, 0);
            if (columns > 0 && !(at.columns & own)) visit(Step{head, Where::column}, 0);
            if (joined_stay_) {
                if (reserves == 0 || at.reserves & own) return;
                if (length == 1) visit(Step{head, Where::reserve}, 0);
                else if (columns > 0) visit(Step{head, Where::reserve}, 2);
                else if (reserves > 1) visit(Step{head, Where::reserve}, 2 * length - 2);
                return;
            }
            if (columns > 0)
                for (int i = 1; i < length; ++i) visit(Step{static_cast<Card>(head - i), Where::column}, 0);
            if (reserves > 0 && (length > 1 || !(at.reserves & own)))
                visit(Step{static_cast<Card>(head - length + 1), Where::reserve}, 0);
        });
    }

    bool search() {
        for (bool any = true; any;) {
            any = false;
            for (auto& bucket : buckets_) {
                if (bucket.empty()) continue;
                any = true;
                std::pop_heap(bucket.begin(), bucket.end());
                const std::uint32_t id = bucket.back().node;
                bucket.pop_back();
                bool won = false;
                const At at = nodes_[id].at;
                each_step(at, [&](Step step, int within) {
                    if (won) return;
                    Node next{at, id, step};
                    apply(next.at, step);
                    count(within);
                    won = enter(next);
                });
                if (won) return true;
            }
        }
        return false;
    }

    /// Counts a position and lets it wait, unless it was met before; whether it is won.  The first node of
    /// all and a won one are the first and the last of `nodes_`.
    bool enter(Node next) {
        if (joined_stay_) join_bottoms(next.at, [&](Card) { count(1); });
        if (table_.insert(key(next.at), Seen::full) != Seen::no) return false;
        count(1);
        nodes_.push_back(next);
        if (won(next.at)) return true;
        auto& bucket = buckets_[static_cast<std::size_t>(std::popcount(next.at.joined))];
        bucket.push_back({backwards_ ? -score(next.at) : score(next.at), static_cast<std::uint32_t>(nodes_.size() - 1)});
        std::push_heap(bucket.begin(), bucket.end());
        return false;
    }

    /// How far away from each other the cards are that can be joined, and how many piles are empty.
    std::int32_t score(const At& at) const {
        std::array<std::int8_t, 65> covers{};  // sequences that lie on a card
        each(at.tops, [&](Card card) {
            for (std::int8_t above = 0;;) {
                covers[card] = above;
                if (at.joined & bit(card)) {
                    ++card;
                } else {
                    if (!in_place(at, card)) return;
                    card = under_[card];
                    ++above;
                }
            }
        });
        std::int32_t sum = 2 * (empty_columns(at) + empty_reserves(at));
        each(deck_ & ~at.joined & deck_ >> 1, [&](Card card) { sum -= covers[card] + covers[card + 1]; });
        return sum;
    }

    /// Plays the line to the last node.
    void spell(Opening<Move> from) {
        std::vector<Step> steps;
        for (std::uint32_t id = static_cast<std::uint32_t>(nodes_.size() - 1); id != 0; id = nodes_[id].parent)
            steps.push_back(nodes_[id].step);
        const Piles piles(rules_, from);
        table_of_line_.start(piles);
        At at = load(piles);
        const auto join = [&](Card card) { table_of_line_.to_next(card); };
        if (joined_stay_) join_bottoms(at, join);
        for (std::size_t i = steps.size(); i-- > 0;) {
            const Step step = steps[i];
            switch (step.where) {
                case Where::next: table_of_line_.to_next(step.card); break;
                case Where::column: table_of_line_.to_column(step.card); break;
                case Where::reserve: table_of_line_.to_reserve(step.card);
            }
            apply(at, step);
            if (joined_stay_) join_bottoms(at, join);
        }
    }

    /// Counts positions; the search ends when it would count one more than the budget.
    void count(int positions) {
        positions_ += positions;
        if (positions_ > budget_) throw OutOfBudget{};
        if (positions_ < next_poll_) return;
        next_poll_ += poll_every;
        if (*cancelled_ && (*cancelled_)()) throw CancelledError{};
    }

    /// The three sets, mixed; each half of a wide key in a way of its own.
    Key key(const At& at) const {
        Key key = 0;
        for (std::size_t half = 0; half < sizeof(Key) / 8; ++half) {
            std::uint64_t word = salts_[half];
            for (const Set set : {at.joined, at.columns, at.reserves}) word = SplitMix64(word ^ set)();
            if constexpr (sizeof(Key) > 8) key <<= 64;
            key |= word;
        }
        return key;
    }

    Rules rules_;
    bool joined_stay_, backwards_;
    std::array<std::uint64_t, 2> salts_{};
    Table<Key> table_;
    std::vector<Node> nodes_;
    std::array<std::vector<Waiting>, 52> buckets_;
    std::array<Card, 64> under_{};  ///< where a card was dealt
    Set deck_ = 0;
    std::int64_t positions_ = 0, budget_ = 0, next_poll_ = 0;
    const Cancelled* cancelled_ = nullptr;
    FlowTable table_of_line_;
};

}  // namespace solstat::wave
