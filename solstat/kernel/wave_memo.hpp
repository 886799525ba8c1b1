// Family `wave`: what the search over sets of cards knows of the sets it has dealt with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cards.hpp"

namespace solstat::wave {

/// Cards taken, and of each reserve the card that was taken last.
struct Taken {
    Set all = 0, last = 0;
};

/// Sets already decided: dead, or as good as a smaller set.  Sets themselves are the keys, so no two are
/// mistaken for one.  Open addressing, linear probing; entries of former deals are told by their stamp.
class Memo {
  public:
    struct Entry {
        Set key = 0;
        Taken target;              ///< the smaller set
        std::uint32_t path = 0;    ///< where the cards between the two begin in `paths_`
        std::uint16_t stamp = 0;   ///< the deal that it belongs to
        std::uint8_t length = 0;   ///< how many cards that are; 0 if the set is dead
        bool dead() const { return length == 0; }
    };

    Memo() : slots_(min_slots) {}

    /// Forgets all sets; keeps small memory, gives large memory back.
    void clear() {
        if (slots_.size() > keep_slots) std::vector<Entry>(min_slots).swap(slots_);
        if (paths_.capacity() > keep_slots) std::vector<Card>().swap(paths_);
        if (++stamp_ == 0) {
            for (Entry& entry : slots_) entry.stamp = 0;
            stamp_ = 1;
        }
        size_ = 0;
        paths_.clear();
    }

    /// What is known of a set, or null; good until the next `store`.
    const Entry* find(Set key) const {
        const Entry& entry = slots_[slot(key)];
        return entry.stamp == stamp_ ? &entry : nullptr;
    }

    void store_dead(Set key) { add({key, {}, 0, stamp_, 0}); }

    void store(Set key, Taken target, std::span<const Card> path) {
        const auto first = static_cast<std::uint32_t>(paths_.size());
        paths_.insert(paths_.end(), path.begin(), path.end());
        add({key, target, first, stamp_, static_cast<std::uint8_t>(path.size())});
    }

    std::span<const Card> path(const Entry& entry) const { return {paths_.data() + entry.path, entry.length}; }

  private:
    static constexpr std::size_t min_slots = 1 << 9;
    static constexpr std::size_t keep_slots = 1 << 13;

    /// The place of a set, or the free one where it would go.
    std::size_t slot(Set key) const {
        std::size_t i = (key * 0x9E3779B97F4A7C15u) >> 32 & (slots_.size() - 1);
        while (slots_[i].stamp == stamp_ && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
        return i;
    }

    void add(const Entry& entry) {
        slots_[slot(entry.key)] = entry;
        if (++size_ * 2 > slots_.size()) grow();
    }

    void grow() {
        std::vector<Entry> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Entry& entry : old)
            if (entry.stamp == stamp_) slots_[slot(entry.key)] = entry;
    }

    std::vector<Entry> slots_;
    std::vector<Card> paths_;
    std::size_t size_ = 0;
    std::uint16_t stamp_ = 1;
};

}  // namespace solstat::wave
