// Family `spider`: random games and walks through them, shared by the tests and the fuzz target.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "../spider_line.hpp"
#include "check.hpp"

namespace solstat::test {

/// Cards that a deal puts on the table before the first move, and how many of them face down.
struct Laid {
    int all, face_down;
};
inline Laid laid(const spider::Rules& rules) {
    int face_down = 0;
    for (int row = 1; row < rules.depth; ++row) face_down += rules.triangle ? rules.piles - row : rules.piles;
    return {face_down + rules.piles, face_down};
}

/// A full game or, if `small`, one of few cards.
template <class Pick>
spider::Rules some_spider_rules(Pick& pick, bool small) {
    spider::Rules rules;
    do {
        rules.triangle = pick(2);
        rules.depth = rules.triangle ? 7 : 3;
        if (!small) break;
        rules.ranks = 2 + pick(5);
        rules.suits = 1 + pick(4);
        rules.piles = 1 + pick(7);
        rules.depth = 1 + pick(rules.triangle ? rules.piles : 5);
    } while (laid(rules).all > rules.deck());
    rules.onto_empty = pick(2);
    rules.finished = static_cast<spider::Finished>(pick(3));
    return rules;
}

/// What a move says, without where from: the order that lists of moves are compared in.
using Said = std::tuple<spider::Kind, Card, int>;
inline Said said(spider::Move move) { return {move.kind, move.card, move.to}; }

/// All that the referee allows, sorted.
inline std::vector<Said> allowed(const spider::Rules& rules, const spider::Referee& referee) {
    using spider::Kind;
    std::vector<Said> all;
    const auto ask = [&](Kind kind, int card, int to) {
        const spider::Move move{kind, static_cast<Card>(card), static_cast<std::uint8_t>(to), 99};
        if (referee.allows(move)) all.push_back(said(move));
    };
    for (int card = 0; card < 64; ++card)
        for (int to = 0; to <= rules.piles; ++to) ask(Kind::move, card, to);
    ask(Kind::deal, no_card, 0);
    for (int card = 0; card < 64; ++card) ask(Kind::off, card, 0);
    for (int card = 0; card < 64; ++card)
        for (int to = 0; to <= rules.piles; ++to) ask(Kind::back, card, to);
    return all;
}

/// Every card of a pile, bottom first.
template <class Key>
std::vector<Card> pile(const spider::Position<Key>& at, int p) {
    std::vector<Card> cards;
    for (Card card = at.top[p]; card != no_card; card = spider::Board<Key>::under(at, card)) cards.push_back(card);
    std::reverse(cards.begin(), cards.end());
    return cards;
}

/// The masks of a position are what its links say, if `down` are the cards that are face down.
template <class Key>
void check_masks(const spider::Board<Key>& board, const spider::Position<Key>& at, Set down) {
    Set stock = 0, table = 0, tops = 0, bases = 0, joined = 0, hosted = 0, hosts = 0;
    const auto& all = board.stock();
    for (std::size_t i = at.dealt; i < all.size(); ++i) stock |= bit(all[i]);
    for (int p = 0; p < board.rules().piles; ++p) {
        const auto cards = pile(at, p);
        for (std::size_t i = 0; i < cards.size(); ++i) {
            const Card card = cards[i];
            CHECK(!((table | stock) & bit(card)));
            CHECK(board.pile_of(at, card) == p);
            table |= bit(card);
            if (i == 0) continue;
            const Card under = cards[i - 1];
            if (rank_of(under) != rank_of(card) + 1) continue;
            hosted |= bit(card);
            hosts |= bit(under);
            if (suit_of(under) == suit_of(card) && !(down & (bit(under) | bit(card)))) joined |= bit(card);
        }
        if (cards.empty()) continue;
        bases |= bit(cards.front());
        tops |= bit(cards.back());
    }
    CHECK(at.up == (table & ~down));
    CHECK(at.stock == stock && board.on_table(at) == table);
    CHECK(at.gone == (board.deck() & ~table & ~stock));
    CHECK(at.tops == tops && at.bases == bases);
    CHECK(at.joined == joined && at.hosted == hosted && at.hosts == hosts);
    each(board.deck() & ~table, [&](Card card) { CHECK(at.below[card] == no_card); });
    CHECK(board.stock_left(at) == std::popcount(stock));
    CHECK(board.empty_piles(at) == board.rules().piles - std::popcount(tops));
}

/// What happened in some walks, so that a test can say that it met everything.
struct Met {
    int won = 0, offs = 0, backs = 0, left = 0, dealt = 0, dealt_short = 0, dealt_onto_empty = 0, left_on_deal = 0;
};

/// A legal move: often one that joins two cards, or takes a run off, if there is one.
template <class Key, class Pick>
spider::Move some_move(const spider::Position<Key>& at, const std::vector<spider::Move>& moves, Pick& pick) {
    using spider::Kind;
    if (pick(3)) {
        std::vector<spider::Move> good;
        for (const auto move : moves)
            if (move.kind == Kind::off || (move.kind == Kind::move && at.top[move.to] == move.card + 1 &&
                                           !(at.joined & bit(move.card))))
                good.push_back(move);
        if (!good.empty()) return any_of(good, pick);
    }
    return any_of(moves, pick);
}

/// A game, a referee and the cards that are face down, all led through the same moves.
template <class Key>
struct Walk {
    Walk(const spider::Rules& r, const typename spider::Board<Key>::Keys& keys, std::span<const Card> deal)
        : rules(r), board(r, keys), game(board), referee(r, deal) {
        game.start(deal);
        for (int i = 0; i < laid(rules).face_down; ++i) down |= bit(deal[static_cast<std::size_t>(i)]);
        CHECK(static_cast<int>(deal.size()) - static_cast<int>(board.stock().size()) == laid(rules).all);
    }
    Walk(const Walk&) = delete;  // its game plays on its board

    const spider::Position<Key>& at() const { return game.at(); }

    /// Board and referee agree, and every mask and the key are right.
    void check() const {
        check_masks(board, at(), down);
        CHECK(at().key == board.recomputed_key(at()));
        CHECK(board.won(at()) == referee.won());
    }

    /// The moves of the board, which are those of the referee.
    std::vector<spider::Move> moves() const {
        std::vector<spider::Move> moves;
        game.all_moves(moves);
        std::vector<Said> listed;
        for (const auto move : moves) {
            listed.push_back(said(move));
            if (move.kind == spider::Kind::move || move.kind == spider::Kind::off)
                CHECK(board.pile_of(at(), move.card) == move.from);
        }
        std::sort(listed.begin(), listed.end());
        CHECK(listed == allowed(rules, referee));
        return moves;
    }

    void play(spider::Move move, Met& met) {
        using spider::Kind;
        const Set gone = at().gone;
        const int stock = board.stock_left(at()), empty = board.empty_piles(at());
        move.from = 99;  // game and referee find out for themselves
        game.play(move);
        CHECK(referee.play(move));
        down &= ~at().tops;
        met.won += board.won(at());
        met.offs += move.kind == Kind::off;
        met.backs += move.kind == Kind::back;
        if (rules.finished == spider::Finished::leave) met.left += at().gone != gone;
        if (move.kind != Kind::deal) return;
        ++met.dealt;
        met.dealt_short += stock < rules.piles;
        met.dealt_onto_empty += empty > 0;
        met.left_on_deal += at().gone != gone;
    }

    spider::Rules rules;
    spider::Board<Key> board;
    spider::Game<Key> game;
    spider::Referee referee;
    Set down = 0;
};

}  // namespace solstat::test
