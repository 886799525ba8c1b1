// Winning lines of every family: how they are shortened, and their text.
//
// Here and in perft.hpp a `Game` is a table that moves are played on; each family has one, in its
// NAME_line.hpp.  A `Link` is what a move does whatever number its piles have: positions are told
// apart by their keys, in which like piles are one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "opening.hpp"
#include "outcome.hpp"

namespace solstat {

struct KeyHash {
    template <class Key>
    std::size_t operator()(Key key) const {
        return static_cast<std::size_t>(key);
    }
};

/// Shortens a winning line: from every position on, jumps to the furthest later position of the
/// line that is the same or one move away.  Nothing of this counts as a position.
///
/// A jump may land on an image of a later position with like piles swapped; the rest of the line is
/// then played by its links.
template <class Game>
std::vector<typename Game::Move> shortened(Game game, Opening<typename Game::Move> from,
                                           std::span<const typename Game::Move> line) {
    using Move = typename Game::Move;
    const std::size_t n = line.size();
    std::vector<typename Game::Link> links;
    std::unordered_map<decltype(game.key()), std::size_t, KeyHash> place;  // position -> its last place on the line
    game.start(from);
    place[game.key()] = 0;
    for (std::size_t i = 0; i < n; ++i) {
        links.push_back(game.link(line[i]));
        game.play(line[i]);
        place[game.key()] = i + 1;
    }
    std::vector<Move> out, moves;
    game.start(from);
    for (std::size_t i = place[game.key()]; i < n;) {
        Move step = game.move_of(links[i]);
        std::size_t best = i + 1;
        moves.clear();
        game.jumps(moves);
        for (const Move move : moves) {
            const auto found = place.find(game.key_after(move));
            if (found != place.end() && found->second > best) {
                best = found->second;
                step = move;
            }
        }
        game.play(step);
        out.push_back(step);
        i = best;
    }
    return out;
}

/// A move in the notation of games/; in some families the rules say how piles are named.
template <class Rules, class Move>
std::string text_of(const Rules& rules, Move move) {
    if constexpr (requires { move_text(rules, move); }) return move_text(rules, move);
    else return move_text(move);
}

/// A line in the notation of games/.
template <class Rules, class Move>
std::string line_text(const Rules& rules, const std::vector<Move>& line) {
    std::string out;
    for (const Move move : line) {
        if (!out.empty()) out += ' ';
        out += text_of(rules, move);
    }
    return out;
}

/// Adds the line of a win to its verdict once the family's referee has replayed it; its text only if wanted.
template <class Rules, class Move>
void confirm(Verdict& verdict, const Rules& rules, std::type_identity_t<Opening<Move>> from,
             const std::vector<Move>& line, bool text) {
    if (!replays(rules, from, std::span<const Move>(line)))
        throw std::logic_error("a winning line does not replay: " + line_text(rules, line));
    verdict.moves = static_cast<std::int32_t>(line.size());
    if (text) verdict.line = line_text(rules, line);
}

/// The same for a line that is to be shortened first.
template <class Board, class Move>
void prove(Verdict& verdict, Board& board, std::type_identity_t<Opening<Move>> from,
           const std::vector<Move>& found, bool text) {
    confirm(verdict, board.rules(), from, shorten(board, from, std::span<const Move>(found)), text);
}

}  // namespace solstat
