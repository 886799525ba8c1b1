// Family `wave`: the set of fewest columns between two sets of cards, by a maximal flow.
//
// A set of taken cards needs a column for each of its cards whose next higher card is not in it.  So it
// is a cut: a unit for each arc, from a card to the next higher one, that leaves the set.  Arcs without
// limit, from each card to the one taken before it from the same reserve, keep out what is no such set.
// What can flow from the smaller set out of the larger one is the number of columns that all need.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "cards.hpp"

namespace solstat::wave {

/// For each card the one that was taken before it from its reserve, as a set; or none.
using Before = std::array<Set, 64>;

class FewestColumns {
  public:
    /// The smallest of the sets of fewest columns that hold `least` and lie within `most`; `most` itself
    /// if none has fewer than `columns` columns.
    Set operator()(const Before& before, Set least, Set most, int columns) {
        before_ = &before;
        most_ = most;
        inside_ = most & ~least;
        met_ = used_ = loaded_ = 0;
        each(inside_, [&](Card card) {
            through_[card] = 0;
            if (const Set earlier = before[card] & inside_) after_[lowest(earlier)] = card;
        });
        int flow = std::popcount(least & ~(most >> 1));
        each(least << 1 & inside_, [&](Card card) { flow += flow < columns && escapes(card); });
        return flow < columns ? least | met_ : most;
    }

  private:
    enum class Arc : std::uint8_t { start, higher, lower, earlier, later };
    struct Step {
        Arc arc;
        Card from;
    };

    /// Looks for a way from a card out of the larger set and sends a unit along it.  What a failed search
    /// has met has no way out any more, and is not met again.
    bool escapes(Card start) {
        const Set met_before = met_;
        height_ = 0;
        meet(bit(start), {Arc::start, no_card});
        while (height_ > 0) {
            const Card card = stack_[--height_];
            const Set here = bit(card);
            if (!(used_ & here)) {
                if (!(here << 1 & most_)) {
                    used_ |= here;
                    send_to(card);
                    met_ = met_before;
                    return true;
                }
                meet(here << 1, {Arc::higher, card});
            }
            meet((*before_)[card], {Arc::earlier, card});
            meet(here >> 1 & used_, {Arc::lower, card});
            if (loaded_ & here) meet(bit(after_[card]), {Arc::later, card});
        }
        return false;
    }

    void meet(Set to, Step step) {
        if (!(to & inside_ & ~met_)) return;
        met_ |= to;
        step_[lowest(to)] = step;
        stack_[height_++] = lowest(to);
    }

    /// Adds a unit along the way that led to a card.
    void send_to(Card card) {
        for (Step step; (step = step_[card]).arc != Arc::start; card = step.from) {
            switch (step.arc) {
                case Arc::higher: used_ |= bit(step.from); break;
                case Arc::lower: used_ &= ~bit(card); break;
                case Arc::earlier: loaded_ |= bit(card), ++through_[card]; break;
                default: if (--through_[step.from] == 0) loaded_ &= ~bit(step.from);
            }
        }
    }

    const Before* before_ = nullptr;
    Set most_ = 0, inside_ = 0;
    Set met_ = 0;     ///< in this search and failed ones
    Set used_ = 0;    ///< cards whose arc to the next higher card carries its unit
    Set loaded_ = 0;  ///< cards whose arc from the card taken after them carries some
    std::array<std::uint8_t, 64> through_{};  ///< how many units that is
    std::array<Card, 64> after_{};            ///< the card taken after a card from its reserve
    std::array<Step, 64> step_{};
    std::array<Card, 64> stack_{};
    int height_ = 0;
};

}  // namespace solstat::wave
