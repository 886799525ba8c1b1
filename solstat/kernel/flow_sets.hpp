// Family `wave`, flow: the search over sets of cards taken off their places in the reserves.
//
// docs/method-flow.md proves what is used here.  As long as no card goes to an empty reserve, all that
// matters is which cards were taken: every card that can lie on the next higher one of its suit does.
// So this decides `empty_reserve=never`; under `empty_reserve=single` what it wins is won.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "deal.hpp"
#include "opening.hpp"
#include "outcome.hpp"
#include "table.hpp"
#include "wave_piles.hpp"
#include "wave_rules.hpp"

namespace solstat::wave {

template <class Key>
class FlowSets {
  public:
    /// With `closure`, what costs no column in the end is taken at once.
    FlowSets(const Rules& rules, bool closure, std::uint64_t key_seed, bool backwards)
        : rules_(rules), closure_(closure), backwards_(backwards), salt_(SplitMix64(key_seed)() | 1) {}

    /// Decides whether the deal is won without putting cards into empty reserves.
    Outcome run(Opening<Move> from, std::int64_t budget, const Cancelled& cancelled) {
        positions_ = 1;
        length_ = 0;
        if (rules_.columns < rules_.suits) return Outcome::lost;
        table_.clear();
        budget_ = budget;
        next_poll_ = poll_every;
        cancelled_ = &cancelled;
        At at = load(Piles(rules_, from));
        try {
            close(at);
            count(length_);
            return won(at) || search(at) ? Outcome::won : Outcome::lost;
        } catch (OutOfBudget) {
            positions_ = budget;
            return Outcome::unsettled;
        }
    }

    std::int64_t positions() const { return positions_; }

    /// The cards that a win takes, in this order, each with all that is joined to it.
    std::span<const Card> takes() const { return {trail_.data(), static_cast<std::size_t>(length_)}; }

  private:
    static constexpr std::int64_t poll_every = 1 << 14;
    struct OutOfBudget {};

    /// Cards taken, and the tops of what is left in its place.
    struct At {
        Set taken = 0, tops = 0;
        Set bare() const { return taken | tops; }  ///< nothing lies on them but what is joined there
    };

    /// The cards of a run in a pile are one card, named after its highest, and suits are numbered anew.
    At load(const Piles& piles) {
        Set heads = 0;
        for (int p = 0; p < rules_.piles(); ++p) {
            int under = no_card;
            for (const Card card : piles[p]) {
                if (card + 1 != under) heads |= bit(card);
                under = card;
            }
        }
        At at;
        all_ = 0;
        for (int p = 0; p < rules_.piles(); ++p) {
            Card top = no_card;
            for (const Card name : piles[p]) {
                if (!(heads & bit(name))) continue;
                const Set lower = heads & (bit(name) - 1) & Set{0xFFFF} << (name & 48);
                const auto card = static_cast<Card>((name & 48) + std::popcount(lower));
                name_[card] = name;
                under_[card] = top;
                height_[card] = static_cast<std::int8_t>(top == no_card ? 0 : height_[top] + 1);
                all_ |= bit(card);
                top = card;
            }
            if (top != no_card) (rules_.is_column(p) ? at.taken : at.tops) |= bit(top);
        }
        return at;
    }

    /// Once all cards are bare all but the highest of each suit are joined.
    bool won(const At& at) const { return at.bare() == all_; }

    /// The columns in use: those of the cards taken whose next higher card is not bare.
    static int columns(const At& at) { return std::popcount(at.taken & ~(at.bare() >> 1)); }
    static Set joinable(const At& at) { return at.tops & at.bare() >> 1; }

    void take(At& at, Card card) {
        at.taken |= bit(card);
        at.tops ^= bit(card);
        if (under_[card] != no_card) at.tops |= bit(under_[card]);
        trail_[static_cast<std::size_t>(length_++)] = name_[card];
    }

    /// Takes every card that can be joined, and every card that lies on one that a column can be joined to.
    void close(At& at) {
        while (closure_ && !won(at)) {
            Set free = joinable(at);
            if (!free) {
                if (columns(at) == rules_.columns) return;
                each(at.tops, [&](Card card) {
                    const Card next = under_[card];
                    if (next != no_card && rank_of(next) > 0 && at.taken & bit(next - 1)) free |= bit(card);
                });
                if (!free) return;
            }
            take(at, lowest(free));
        }
    }

    /// Whether a win can be reached from a set that is not won and was not met before.
    bool search(const At& at) {
        const int first = length_;
        std::array<Choice, max_piles> choices;
        const std::size_t n = choose(at, choices);
        for (std::size_t i = 0; i < n; ++i) {
            At next = at;
            length_ = first;
            take(next, choices[i].card);
            close(next);
            count(length_ - first - 1);
            if (table_.insert(key(next.taken), Seen::full) != Seen::no) continue;
            count(1);
            if (won(next) || search(next)) return true;
        }
        return false;
    }

    struct Choice {
        int score;
        Card card;
    };

    /// The cards that may be taken, the best first: those under which others can be joined, in high piles.
    std::size_t choose(const At& at, std::array<Choice, max_piles>& choices) const {
        const Set bare = at.bare();
        std::size_t n = 0;
        each(columns(at) < rules_.columns ? at.tops : joinable(at), [&](Card card) {
            const Card next = under_[card];
            int score = -1;
            if (next != no_card) score = height_[next] + 2 * ((bare >> next >> 1) & 1);
            if (next != no_card && rank_of(next) > 0) score += 2 * (at.tops >> (next - 1) & 1);
            std::size_t i = n++;
            for (; i > 0 && (choices[i - 1].score < score) != backwards_; --i) choices[i] = choices[i - 1];
            choices[i] = {score, card};
        });
        return n;
    }

    /// Counts sets; the search ends when it would count one more than the budget.
    void count(int sets) {
        positions_ += sets;
        if (positions_ > budget_) throw OutOfBudget{};
        if (positions_ < next_poll_) return;
        next_poll_ += poll_every;
        if (*cancelled_ && (*cancelled_)()) throw CancelledError{};
    }

    /// The bits of a set, spread over the 63 that a table tells apart: no two sets have the same key.
    Key key(Set taken) const {
        const Set mixed = taken * salt_ & ~Set{0} >> 1;
        return Key{mixed ^ mixed >> 32} << 1;
    }

    Rules rules_;
    bool closure_, backwards_;
    Set salt_;
    Table<Key> table_;
    Set all_ = 0;
    std::array<Card, 64> name_{};   ///< the card that a number stands for
    std::array<Card, 64> under_{};  ///< in the same reserve
    std::array<std::int8_t, 64> height_{};
    std::array<Card, 64> trail_{};  ///< cards taken
    int length_ = 0;
    std::int64_t positions_ = 0, budget_ = 0, next_poll_ = 0;
    const Cancelled* cancelled_ = nullptr;
};

}  // namespace solstat::wave
