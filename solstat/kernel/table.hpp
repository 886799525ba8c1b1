// The set of positions a search has met: open addressing, linear probing, grows by doubling.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace solstat {

using Key64 = std::uint64_t;
using Key128 = unsigned __int128;

/// What a search knows of a position it has met before.
enum class Seen : std::uint8_t {
    no,    ///< never met
    half,  ///< met inside a compound move only: counted, but not all of its moves were tried
    full,  ///< all of its moves were, or are being, tried
};

/// A growing set of position keys, each marked half or full.
///
/// The lowest bit of a key is given up for the mark, so two positions are mistaken for one with
/// chance about n^2 / 2^64 for n stored keys of 64 bits.
template <class Key>
class Table {
  public:
    Table() : slots_(min_slots) {}

    /// Looks a key up and leaves it marked with at least `mark`; returns what was known before.
    Seen insert(Key key, Seen mark) {
        const Key stem = stem_of(key);
        const Key wanted = mark == Seen::full ? stem : stem ^ 1;
        std::size_t i = slot(stem);
        for (;; i = (i + 1) & (slots_.size() - 1)) {
            const Key found = slots_[i];
            if (found == 0) break;
            if ((found | 1) == stem) {
                slots_[i] = found | wanted;
                return (found & 1) ? Seen::full : Seen::half;
            }
        }
        slots_[i] = wanted;
        if (++size_ * 4 > slots_.size() * 3) grow();
        return Seen::no;
    }

    /// Whether all moves of a position were, or are being, tried.
    bool done(Key key) const {
        const Key wanted = stem_of(key);
        for (std::size_t i = slot(wanted);; i = (i + 1) & (slots_.size() - 1)) {
            if (slots_[i] == wanted) return true;
            if (slots_[i] == 0) return false;
        }
    }

    void prefetch(Key key) const { __builtin_prefetch(&slots_[slot(stem_of(key))]); }

    /// Empties the set; keeps small memory, gives large memory back.
    void clear() {
        if (slots_.size() > keep_slots) std::vector<Key>(min_slots).swap(slots_);
        else if (size_ > 0) std::fill(slots_.begin(), slots_.end(), Key{0});
        size_ = 0;
    }

    std::size_t size() const { return size_; }
    std::size_t bytes() const { return slots_.size() * sizeof(Key); }

  private:
    static constexpr std::size_t min_slots = 1 << 10;
    static constexpr std::size_t keep_slots = 1 << 12;

    /// A key as it stands in a slot, marked full; never one that reads as an empty slot if half.
    static Key stem_of(Key key) { return (key | 1) == 1 ? 3 : key | 1; }

    std::size_t slot(Key stem) const {
        return static_cast<std::size_t>(stem >> 1) & (slots_.size() - 1);
    }

    void grow() {
        std::vector<Key> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Key key : old) {
            if (key == 0) continue;
            std::size_t i = slot(key | 1);
            while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
            slots_[i] = key;
        }
    }

    std::vector<Key> slots_;
    std::size_t size_ = 0;
};

}  // namespace solstat
