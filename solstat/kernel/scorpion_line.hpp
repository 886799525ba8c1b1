// Winning lines of family `scorpion`: a referee of its own, shortening, text.
#pragma once

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "scorpion.hpp"

namespace solstat::scorpion {

struct KeyHash {
    template <class Key>
    std::size_t operator()(Key key) const {
        return static_cast<std::size_t>(key);
    }
};

/// The table as plain piles, sharing nothing with the search: it replays lines move by move.
class Referee {
  public:
    Referee(const Rules& rules, std::span<const Card> deal) : rules_(rules) {
        const int laid = rules.piles * rules.depth;
        for (int i = 0; i < laid; ++i) {
            const int p = i % rules.piles;
            piles_[p].push_back({deal[i], i / rules.piles >= 3 || p >= rules.face_down_piles});
        }
        stock_.assign(deal.begin() + laid, deal.end());
        settle();
    }

    bool won() const { return left_ == rules_.suits; }

    /// Whether the rules allow a move.
    bool allows(Move move) const {
        if (move.card == deal_stock) return !stock_.empty();
        const auto [from, height] = find(move.card);
        if (from < 0 || move.pile >= rules_.piles || from == move.pile) return false;
        if (!piles_[from][height].up) return false;
        const Pile& to = piles_[move.pile];
        if (!to.empty()) return to.back().card == move.card + 1;
        if (!rules_.any_to_empty && rank_of(move.card) != rules_.ranks - 1) return false;
        return height > 0 || !stock_.empty();
    }

    /// Plays a move if the rules allow it; false, and nothing changed, if they do not.
    bool play(Move move) {
        if (!allows(move)) return false;
        if (move.card == deal_stock) {
            for (std::size_t i = 0; i < stock_.size(); ++i) piles_[i].push_back({stock_[i], true});
            stock_.clear();
        } else {
            const auto [from, height] = find(move.card);
            const auto first = piles_[from].begin() + static_cast<std::ptrdiff_t>(height);
            Pile& to = piles_[move.pile];
            to.insert(to.end(), first, piles_[from].end());
            piles_[from].erase(first, piles_[from].end());
        }
        settle();
        return true;
    }

  private:
    struct Laid {
        Card card;
        bool up;
    };
    using Pile = std::vector<Laid>;
    struct Place {
        int pile;  ///< -1: not on the table
        std::size_t height;
    };

    Place find(Card card) const {
        for (int p = 0; p < rules_.piles; ++p)
            for (std::size_t i = 0; i < piles_[p].size(); ++i)
                if (piles_[p][i].card == card) return {p, i};
        return {-1, 0};
    }

    bool finished(const Pile& pile) const {
        const auto n = static_cast<std::size_t>(rules_.ranks);
        if (pile.size() < n) return false;
        for (std::size_t i = 0; i < n; ++i) {
            const Laid& laid = pile[pile.size() - 1 - i];
            if (!laid.up || rank_of(laid.card) != static_cast<int>(i) ||
                suit_of(laid.card) != suit_of(pile.back().card))
                return false;
        }
        return true;
    }

    void settle() {
        for (int p = 0; p < rules_.piles; ++p) {
            Pile& pile = piles_[p];
            for (;;) {
                if (!pile.empty()) pile.back().up = true;
                if (!finished(pile)) break;
                pile.resize(pile.size() - static_cast<std::size_t>(rules_.ranks));
                ++left_;
            }
        }
    }

    Rules rules_;
    std::array<Pile, max_piles> piles_;
    std::vector<Card> stock_;
    int left_ = 0;
};

/// Whether a line wins the deal, by the referee.
inline bool replays(const Rules& rules, std::span<const Card> deal, std::span<const Move> line) {
    Referee referee(rules, deal);
    for (const Move move : line)
        if (!referee.play(move)) return false;
    return referee.won();
}

/// The key of the position that a legal move leads to.
template <class Key>
Key key_of(Board<Key>& board, Move move) {
    if (move.card != deal_stock)
        if (const auto key = board.key_after(move)) return *key;
    typename Board<Key>::Undo undo;
    board.play(move, undo);
    const Key key = board.key();
    board.take_back(undo);
    return key;
}

/// Shortens a winning line: from every position on, jumps to the furthest later position of the
/// line that is the same or one move away.  Nothing of this counts as a position.
///
/// Positions are told apart by their keys, so a jump may land on an image of a later position with
/// like piles swapped; the rest of the line is then played by what its cards land on.
template <class Key>
std::vector<Move> shorten(Board<Key>& board, std::span<const Card> deal, std::span<const Move> line) {
    struct Link {
        Card card;
        int onto;  // a card or the symbol of an empty pile
    };
    const std::size_t n = line.size();
    typename Board<Key>::Undo undo;
    std::vector<Link> links(n);
    std::unordered_map<Key, std::size_t, KeyHash> place;  // position -> its last place on the line
    Set to_empty = 0;                                     // cards the line puts on empty piles
    board.start(deal);
    place[board.key()] = 0;
    for (std::size_t i = 0; i < n; ++i) {
        links[i] = {line[i].card, line[i].card == deal_stock ? 0 : board.lands_on(line[i])};
        if (links[i].onto >= base) to_empty |= bit(line[i].card);
        board.play(line[i], undo);
        place[board.key()] = i + 1;
    }
    std::vector<Move> out, moves;
    board.start(deal);
    for (std::size_t i = place[board.key()]; i < n;) {
        Move step = links[i].card == deal_stock ? line[i] : board.move_onto(links[i].card, links[i].onto);
        std::size_t best = i + 1;
        moves.clear();
        board.all_moves(moves, to_empty);
        for (const Move move : moves) {
            const auto found = place.find(key_of(board, move));
            if (found != place.end() && found->second > best) {
                best = found->second;
                step = move;
            }
        }
        board.play(step, undo);
        out.push_back(step);
        i = best;
    }
    return out;
}

inline std::string line_text(std::span<const Move> line) {
    std::string out;
    for (const Move move : line) {
        if (!out.empty()) out += ' ';
        out += move_text(move);
    }
    return out;
}

}  // namespace solstat::scorpion
