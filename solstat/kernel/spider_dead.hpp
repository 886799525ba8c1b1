// A dead-position test for family `spider`: can every card on the table ever be laid bare?
// docs/method-spider.md proves it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "spider.hpp"

namespace solstat::spider {

/// How many cards of each rank a set holds, in unary: bit r of more_than[k] says that more than k do.
struct RankCounts {
    std::array<std::uint16_t, 4> more_than;

    static RankCounts of(Set set) {
        const int a = set & 0xFFFF, b = set >> 16 & 0xFFFF, c = set >> 32 & 0xFFFF, d = static_cast<int>(set >> 48);
        const auto bits = [](int x) { return static_cast<std::uint16_t>(x); };
        return {{bits(a | b | c | d), bits((a & b) | (c & d) | ((a | b) & (c | d))),
                 bits((a & b & (c | d)) | (c & d & (a | b))), bits(a & b & c & d)}};
    }

    /// Ranks of which there are more here than there.
    int exceeding(const RankCounts& other) const {
        int ranks = 0;
        for (int k = 0; k < 4; ++k) ranks |= more_than[k] & ~other.more_than[k];
        return ranks;
    }

    /// The sum, over all ranks, of how many more there are here than there.
    int excess(const RankCounts& other) const {
        std::uint64_t bits = 0;
        for (int k = 0; k < 4; ++k) bits = bits << 16 | static_cast<std::uint16_t>(more_than[k] & ~other.more_than[k]);
        return std::popcount(bits);
    }
};

/// The cards of some ranks (a bit for each).
constexpr Set of_ranks(int ranks) { return static_cast<Set>(ranks & 0x1FFF) * 0x0001000100010001u; }

template <class Key>
class DeadTest {
  public:
    explicit DeadTest(const Board<Key>& board) : board_(board), memo_(memo_size) {}

    /// Whether some card on the table can never be laid bare; also false if that takes too long to tell.
    bool operator()(const Position<Key>& at) {
        at_ = &at;
        const Rules& rules = board_.rules();
        left_ = node_limit;
        table_ = board_.on_table(at);
        if (rules.finished != Finished::come_back && !rules.onto_empty && at.stock &&
            std::popcount(table_) < rules.piles)
            return true;  // the stock will never be dealt
        Set returning = 0;  // the rest of suits that have come back in part
        for (int suit = 0; suit < rules.suits; ++suit)
            if (board_.suit_set(suit) & ~at.gone) returning |= at.gone & board_.suit_set(suit);
        gone_ = at.gone & ~returning;
        unhosted_ = (table_ & ~at.hosted) | at.stock;
        free_hosts_ = (table_ & ~at.hosts) | at.stock | returning;
        all_unhosted_ = RankCounts::of(unhosted_);
        take_up_piles();
        const bool hopeless = !hopeful({at.tops | returning, 0, 0, false});
        for (const std::uint32_t slot : used_) memo_[slot] = 0;
        used_.clear();
        return hopeless;
    }

    /// Whether the last answer is "not dead" only because it took too long to tell.
    bool gave_up() const { return left_ < 0; }

  private:
    static constexpr int node_limit = 1000;
    static constexpr std::uint32_t memo_size = 1 << 13;

    struct Relaxed {
        Set exposed;  ///< at some time
        Set lifted;   ///< cards that left the places where they are or will be dealt
        Set done;     ///< suits that left
        bool dealt;   ///< whether the next deal was made
    };

    /// Takes up the piles, and what the next deal puts on them.  Cards of later deals lie nowhere.
    void take_up_piles() {
        const int left = board_.stock_left(*at_);
        for (int p = 0; p < board_.rules().piles; ++p) {
            pile_[p] = 0;
            for (Card c = at_->top[p]; c != no_card; c = Board<Key>::under(*at_, c)) pile_[p] |= bit(c);
            next_[p] = p < left ? bit(board_.stock()[static_cast<std::size_t>(at_->dealt + p)]) : 0;
        }
    }

    /// Cards that have left, and those joined on them.
    Set with_passengers(Set cards) const {
        for (Set more = cards;;) {
            more = more >> 1 & at_->joined & ~cards;
            if (!more) return cards;
            cards |= more;
        }
    }

    /// Cards laid bare at some time, and those that have only cards joined on them.
    Set heads(Set exposed) const {
        Set all = exposed;
        for (Set more = exposed;;) {
            more = (more & at_->joined) << 1 & ~all;
            if (!more) return all;
            all |= more;
        }
    }

    bool hopeful(Relaxed now) {
        for (;;) {
            const Set kings_gone = now.done & board_.kings();
            Set blocked = 0, covers = 0;
            if (now.dealt) {
                const Set away = with_passengers(now.lifted | now.done);
                for (int p = 0; p < board_.rules().piles; ++p) {
                    const Set rest = pile_[p] & ~away, on = next_[p] & ~now.lifted & ~now.done;
                    if (rest && on) blocked |= rest, covers |= on;
                }
            }
            const Set heads = this->heads(now.exposed) & ~blocked;
            const Set ready = now.lifted | (heads & (at_->joined | board_.kings() | ~table_));
            if (!(board_.deck() & ~gone_ & ~now.done & ~ready)) return true;
            bool left = false;
            for (int suit = 0; suit < board_.rules().suits; ++suit) {
                const Set run = board_.suit_set(suit);
                if (run & (now.done | gone_ | ~ready)) continue;
                now.done |= run;
                expose_under(now, run & board_.kings() & table_ & ~now.lifted);
                left = true;
            }
            if (left) continue;
            const RankCounts free = RankCounts::of((now.exposed & free_hosts_) >> 1);
            const RankCounts placed = RankCounts::of(now.lifted & unhosted_ & ~kings_gone);
            const int slack = board_.rules().piles - std::popcount(at_->bases & ~now.lifted & ~kings_gone) -
                              placed.excess(free);
            Set movable = (heads & table_ & ~now.lifted & ~kings_gone) | covers;
            if (slack < 2) movable = with_room(movable, now, slack, ~free.exceeding(placed));
            const int plenty = free.exceeding(all_unhosted_);  // there will be a host for each card of these ranks
            if (const Set easy = movable & (at_->hosted | at_->bases | of_ranks(plenty))) {
                lift(now, easy & -easy);
                continue;
            }
            for (; movable; movable &= movable - 1) {
                Relaxed next = now;
                lift(next, movable & -movable);
                if (!first_time(next)) continue;
                if (left_-- <= 0) return true;
                if (hopeful(next)) return true;
            }
            if (now.dealt || !at_->stock) return false;
            now.dealt = true;
            now.exposed |= at_->stock;
            if (!first_time(now)) return false;
            if (left_-- <= 0) return true;
        }
    }

    /// Those of some cards for which there is room: a host or an empty pile to go to, while the top
    /// card of what moves carries nothing.  Ranks are tight if all hosts of their cards may be taken.
    Set with_room(Set cards, const Relaxed& now, int slack, int tight) const {
        const Set may_join = now.lifted | (now.exposed & ~table_);
        Set out = 0;
        each(cards, [&](Card card) {
            const int spare = slack - (tight >> rank_of(card) & 1);
            if (spare > 0 || (spare == 0 && top_is_free(card, may_join, now.lifted, tight))) out |= bit(card);
        });
        return out;
    }

    /// Whether, of the groups that a card may head, one has a top whose rank of loads is not tight.
    bool top_is_free(Card top, Set may_join, Set lifted, int tight) const {
        for (; rank_of(top) > 0; --top) {
            const Set next = bit(top) >> 1;
            const bool stays = at_->joined & next & ~lifted;
            if (!stays && !(tight >> (rank_of(top) - 1) & 1)) return true;
            if (!stays && !(may_join & next)) return false;
        }
        return true;
    }

    bool first_time(const Relaxed& next) {
        // Suits that left before the next deal may be held fast after it, so `lifted` does not say all.
        // The rest of the key stands where no cards are: ranks use 13 of 16 places.
        const Set suits = next.done & of_ranks(1);
        const Set key = next.lifted | suits << 13 | static_cast<Set>(next.dealt) << 14 | 1 << 15;
        auto slot = static_cast<std::uint32_t>(key * 0x9E3779B97F4A7C15u >> 51);
        for (; memo_[slot]; slot = (slot + 1) % memo_size)
            if (memo_[slot] == key) return false;
        memo_[slot] = key;
        used_.push_back(slot);
        return true;
    }

    void lift(Relaxed& now, Set cards) const {
        now.lifted |= cards;
        expose_under(now, cards & table_);
    }

    void expose_under(Relaxed& now, Set cards) const {
        each(cards & ~at_->bases, [&](Card card) { now.exposed |= bit(at_->below[card]); });
    }

    const Board<Key>& board_;
    const Position<Key>* at_ = nullptr;
    Set table_ = 0, unhosted_ = 0, free_hosts_ = 0, gone_ = 0;
    RankCounts all_unhosted_{};
    int left_ = 0;
    std::array<Set, max_piles> pile_{}, next_{};  ///< what lies there, and what the next deal puts on it
    std::vector<Set> memo_;
    std::vector<std::uint32_t> used_;
};

}  // namespace solstat::spider
