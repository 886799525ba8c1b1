// Family `wave`: random games and walks through them, shared by the tests and the fuzz target.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "../wave_game.hpp"
#include "../wave_referee.hpp"
#include "check.hpp"

namespace solstat::test {

/// A full game or, if `small`, one of few cards and piles.
template <class Pick>
wave::Rules some_wave_rules(Pick& pick, bool small) {
    wave::Rules rules;
    if (small) {
        rules.ranks = 2 + pick(5);
        rules.suits = 1 + pick(4);
        rules.reserves = 1 + pick(5);
    }
    rules.columns = small ? rules.suits + pick(3) : 4 + pick(6);
    rules.build = pick(2);
    rules.runs = rules.build || pick(2);
    rules.fill_empty = rules.build && pick(2);
    return rules;
}

/// What a move says: the order that lists of moves are compared in.
using Spoken = std::pair<Card, int>;

/// All that the referee allows, sorted.
inline std::vector<Spoken> allowed(const wave::Rules& rules, const wave::Referee& referee) {
    std::vector<Spoken> all;
    for (int card = 0; card < 64; ++card)
        for (int to = 0; to <= rules.piles(); ++to)
            if (referee.allows({static_cast<Card>(card), static_cast<std::uint8_t>(to)}))
                all.emplace_back(static_cast<Card>(card), to);
    return all;
}

/// Every card of a pile, bottom first.
template <class Key>
std::vector<Card> pile(const wave::Position<Key>& at, int p) {
    std::vector<Card> cards;
    for (Card card = at.top[static_cast<std::size_t>(p)]; card < wave::column_base; card = at.below[card])
        cards.push_back(card);
    std::reverse(cards.begin(), cards.end());
    return cards;
}

/// The links and sets of a position are those of its piles.
template <class Key>
void check_links(const wave::Rules& rules, const wave::Position<Key>& at) {
    Set joined = 0, reserved = 0, all = 0;
    for (int p = 0; p < rules.piles(); ++p) {
        const auto cards = pile(at, p);
        for (std::size_t i = 0; i < cards.size(); ++i) {
            CHECK(!(all & bit(cards[i])));
            all |= bit(cards[i]);
            if (i > 0 && cards[i] + 1 == cards[i - 1]) joined |= bit(cards[i]);
        }
        if (cards.empty()) continue;
        CHECK(at.below[cards.front()] == (rules.is_column(p) ? wave::column_base : wave::reserve_base));
        if (!rules.is_column(p)) reserved |= bit(cards.back());
    }
    CHECK(std::popcount(all) == rules.deck());
    CHECK(at.joined == joined && at.reserved == reserved);
}

/// A legal move: often one that joins two cards, or empties a pile, if there is one.
template <class Key, class Pick>
wave::Move some_move(const wave::Position<Key>& at, const std::vector<wave::Move>& moves, Pick& pick) {
    if (pick(3)) {
        std::vector<wave::Move> good;
        for (const auto move : moves)
            if (!(at.joined & bit(move.card)) && (at.top[move.to] == move.card + 1 || at.below[move.card] >= 64))
                good.push_back(move);
        if (!good.empty()) return any_of(good, pick);
    }
    return any_of(moves, pick);
}

/// A game and a referee, both led through the same moves.
template <class Key>
struct WaveWalk {
    WaveWalk(const wave::Rules& r, const typename wave::Board<Key>::Keys& keys, std::span<const Card> deal)
        : rules(r), board(r, keys), game(board), referee(r, deal) {
        game.start(deal);
    }
    WaveWalk(const WaveWalk&) = delete;  // its game plays on its board

    const wave::Position<Key>& at() const { return game.at(); }

    /// Board and referee agree, and links, sets and the key are right.
    void check() const {
        check_links(rules, at());
        CHECK(at().key == board.recomputed_key(at()));
        CHECK(board.won(at()) == referee.won());
    }

    /// The moves of the board, which are those of the referee.
    std::vector<wave::Move> moves() const {
        std::vector<wave::Move> moves;
        game.all_moves(moves);
        std::vector<Spoken> listed;
        for (const auto move : moves) listed.emplace_back(move.card, move.to);
        std::sort(listed.begin(), listed.end());
        CHECK(listed == allowed(rules, referee));
        return moves;
    }

    void play(wave::Move move) {
        const Key expected = game.key_after(move);
        game.play(move);
        CHECK(game.key() == expected);
        CHECK(referee.play(move));
    }

    wave::Rules rules;
    wave::Board<Key> board;
    wave::Game<Key> game;
    wave::Referee referee;
};

}  // namespace solstat::test
