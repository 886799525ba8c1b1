// A dead-position test for family `spider`: can every card on the table ever be laid bare?
// docs/method.md proves it.
#pragma once

#include <array>
#include <cstdint>

#include "spider.hpp"

namespace solstat::spider {

/// How many cards of each rank a set holds, in unary: bit r of at_least[k] says that more than k do.
struct RankCounts {
    std::array<std::uint16_t, 4> at_least;

    static RankCounts of(Set set) {
        const auto a = static_cast<std::uint16_t>(set), b = static_cast<std::uint16_t>(set >> 16);
        const auto c = static_cast<std::uint16_t>(set >> 32), d = static_cast<std::uint16_t>(set >> 48);
        const int ab = a & b, cd = c & d, a_b = a | b, c_d = c | d;
        return {{static_cast<std::uint16_t>(a_b | c_d), static_cast<std::uint16_t>(ab | cd | (a_b & c_d)),
                 static_cast<std::uint16_t>((ab & c_d) | (cd & a_b)), static_cast<std::uint16_t>(ab & cd)}};
    }

    /// Ranks of which there are more here than there.
    int more_than(const RankCounts& other) const {
        int ranks = 0;
        for (int k = 0; k < 4; ++k) ranks |= at_least[k] & ~other.at_least[k];
        return ranks;
    }

    /// The sum, over all ranks, of how many more there are here than there.
    int excess(const RankCounts& other) const {
        std::uint64_t bits = 0;
        for (int k = 0; k < 4; ++k) bits = bits << 16 | static_cast<std::uint16_t>(at_least[k] & ~other.at_least[k]);
        return std::popcount(bits);
    }
};

/// The cards of some ranks (a bit for each).
constexpr Set of_ranks(int ranks) { return static_cast<Set>(ranks) * 0x0001000100010001u; }

template <class Key>
class DeadTest {
  public:
    explicit DeadTest(const Board<Key>& board) : board_(board) {}

    /// Whether some card on the table can never be laid bare.  Gives up (false) after some branches.
    bool operator()(const Position<Key>& at) {
        at_ = &at;
        table_ = board_.on_table(at);
        unhosted_ = table_ & ~at.hosted;
        free_hosts_ = table_ & ~at.hosts;
        Set elsewhere = at.stock;
        if (board_.rules().finished == Finished::come_back)
            for (int suit = 0; suit < board_.rules().suits; ++suit)
                if ((board_.suit_set(suit) & ~at.gone) != 0) elsewhere |= at.gone & board_.suit_set(suit);
        gone_ = at.gone & ~elsewhere;
        free_hosts_ |= elsewhere;
        all_unhosted_ = RankCounts::of(unhosted_);
        some_hosted_ = RankCounts::of(at.hosted).at_least[0];
        left_ = node_limit;
        Seen first{at.tops | elsewhere, 0, 0};
        return !hopeful(first);
    }

    int nodes() const { return node_limit - left_; }

  private:
    static constexpr int node_limit = 24;

    struct Seen {
        Set exposed;  ///< at some time
        Set lifted;   ///< cards of the table that left their places
        Set done;     ///< suits that left
    };

    Set heads(Set exposed) const {
        Set all = exposed;
        for (Set more = exposed;;) {
            more = (more & at_->joined) << 1 & ~all;
            if (!more) return all;
            all |= more;
        }
    }

    bool hopeful(Seen seen) {
        for (;;) {
            const Set heads = this->heads(seen.exposed);
            if (!(table_ & ~heads)) return true;
            bool changed = false;
            for (int suit = 0; suit < board_.rules().suits; ++suit) {
                const Set run = board_.suit_set(suit);
                if ((run & (seen.done | gone_)) || (run & ~heads)) continue;
                seen.done |= run;
                expose_under(seen, run & board_.kings() & table_ & ~seen.lifted);
                changed = true;
            }
            if (changed) continue;
            const Set bases = heads & at_->bases & ~seen.lifted & ~(seen.done & board_.kings());
            if (bases) {
                seen.lifted |= bases;
                continue;
            }
            const Set stuck = seen.exposed;
            const Set movers = heads & table_ & ~at_->bases & ~seen.lifted;
            const Set useful = movers_onto_hidden(movers, stuck);
            if (!useful) return false;
            const RankCounts free = RankCounts::of((seen.exposed & free_hosts_) >> 1);
            const RankCounts placed = RankCounts::of(seen.lifted & unhosted_ & ~(seen.done & board_.kings()));
            const int slack = board_.rules().piles -
                              std::popcount(at_->bases & ~seen.lifted & ~(seen.done & board_.kings())) - placed.excess(free);
            const int roomy = slack > 0 ? 0xFFFF : free.more_than(placed);
            if (const Set now = useful & at_->hosted & of_ranks(roomy)) {
                lift(seen, now);
                continue;
            }
            // Ranks whose cards all find a host, even if one that has a host moves meanwhile.
            const int crowded = all_unhosted_.more_than(free) | (some_hosted_ & ~free.more_than(all_unhosted_));
            if (const Set now = useful & unhosted_ & of_ranks(~crowded & 0x1FFF)) {
                lift(seen, now);
                continue;
            }
            Set tries = useful & unhosted_ & of_ranks(roomy);
            for (; tries; tries &= tries - 1) {
                if (left_-- <= 0) return true;
                Seen next = seen;
                lift(next, tries & -tries);
                if (hopeful(next)) return true;
            }
            return false;
        }
    }

    Set movers_onto_hidden(Set movers, Set exposed) const {
        Set out = 0;
        each(movers, [&](Card card) {
            if (!(exposed & bit(at_->below[card]))) out |= bit(card);
        });
        return out;
    }

    void lift(Seen& seen, Set cards) const {
        seen.lifted |= cards;
        expose_under(seen, cards);
    }

    void expose_under(Seen& seen, Set cards) const {
        each(cards & ~at_->bases, [&](Card card) { seen.exposed |= bit(at_->below[card]); });
    }

    const Board<Key>& board_;
    const Position<Key>* at_ = nullptr;
    Set table_ = 0, unhosted_ = 0, free_hosts_ = 0, gone_ = 0;
    RankCounts all_unhosted_{};
    int some_hosted_ = 0;
    int left_ = 0;
};

}  // namespace solstat::spider
