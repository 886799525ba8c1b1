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
        some_hosted_ = RankCounts::of(at.hosted).more_than[0];
        take_up_piles();
        const bool hopeless = !hopeful({at.tops | returning, 0, 0, false});
        for (const std::uint32_t slot : used_) memo_[slot] = 0;
        used_.clear();
        return hopeless;
    }

    /// Whether the last answer is "not dead" only because it took too long to tell.
    bool gave_up() const { return left_ < 0; }

  private:
    static constexpr int node_limit = 3000;
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
            if (!(table_ & ~now.lifted & ~heads)) return true;
            bool changed = false;
            for (int suit = 0; suit < board_.rules().suits; ++suit) {
                const Set run = board_.suit_set(suit);
                if ((run & (now.done | gone_)) || (run & ~heads & ~now.lifted)) continue;
                now.done |= run;
                expose_under(now, run & board_.kings() & table_ & ~now.lifted);
                changed = true;
            }
            if (changed) continue;
            if (const Set bases = heads & at_->bases & ~now.lifted & ~kings_gone) {
                now.lifted |= bases;
                continue;
            }
            const Set useful = (heads & table_ & ~at_->bases & ~now.lifted & ~kings_gone) | covers;
            const RankCounts free = RankCounts::of((now.exposed & free_hosts_) >> 1);
            const RankCounts placed = RankCounts::of(now.lifted & unhosted_ & ~kings_gone);
            const int slack =
                board_.rules().piles - std::popcount(at_->bases & ~now.lifted & ~kings_gone) - placed.excess(free);
            const int roomy = slack > 0 ? -1 : free.exceeding(placed);
            if (const Set easy = useful & at_->hosted & of_ranks(roomy)) {
                lift(now, easy);
                continue;
            }
            // Ranks whose cards all find a host, even if one that has a host moves meanwhile.
            const int crowded = all_unhosted_.exceeding(free) | (some_hosted_ & ~free.exceeding(all_unhosted_));
            if (const Set easy = useful & unhosted_ & of_ranks(~crowded)) {
                lift(now, easy);
                continue;
            }
            for (Set tries = useful & unhosted_ & of_ranks(roomy); tries; tries &= tries - 1) {
                Relaxed next = now;
                lift(next, tries & -tries);
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
    int some_hosted_ = 0, left_ = 0;
    std::array<Set, max_piles> pile_{}, next_{};  ///< what lies there, and what the next deal puts on it
    std::vector<Set> memo_;
    std::vector<std::uint32_t> used_;
};

}  // namespace solstat::spider
