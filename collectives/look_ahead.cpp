#include "collectives/look_ahead.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "collectives/algorithms/declarations.hpp"
#include "collectives/pieces.hpp"

namespace kumihimo::collectives {

namespace {

// A rank passes a piece on while the next one comes.
constexpr Bytes pieces_at_a_time = 2;

// Messages one after the other from one end of the network to the other.
Bytes way(const Call& call) {
    const auto& extents = call.torus.extents;
    return std::accumulate(extents.begin(), extents.end(), Bytes{0});
}

// Pieces of one tree that have passed a rank before the same piece of another one comes: that has gone farther by as many
// ranks.
Bytes lead(const Algorithm& algorithm, const Call& call) {
    return algorithm.parts > 1 ? way(call) : 0;
}

// The most that a rank takes for one piece.
Bytes steps_of_piece(const Algorithm& algorithm, Call call) {
    call.bytes = call.element_bytes;
    Steps steps = algorithm.steps(call);
    Bytes count = 0;
    while (steps.next() != nullptr) ++count;
    return count;
}

std::size_t view_of(const Algorithm& algorithm, const Call& call, Bytes pieces) {
    Bytes steps = 0;
    Call part = call;
    for (part.channel = 0; part.channel < algorithm.parts; ++part.channel) steps += steps_of_piece(algorithm, part);
    return static_cast<std::size_t>(std::min<Bytes>(pieces, divide(algorithm, call).count) * steps);
}

}  // namespace

std::size_t view_one_way(const Algorithm& algorithm, const Call& call) {
    return view_of(algorithm, call, pieces_at_a_time + lead(algorithm, call));
}

// A piece comes back to a leaf after the whole way to the root and back, and as many pieces as this has messages should have
// left by then.
std::size_t view_there_and_back(const Algorithm& algorithm, const Call& call) {
    return view_of(algorithm, call, 2 * way(call));
}

std::size_t view_of_hosts(const Algorithm& algorithm, const Call& call) {
    const auto rounds = [](int ranks) { return std::bit_width(static_cast<unsigned>(ranks)); };
    return view_of(algorithm, call, pieces_at_a_time + 2 * rounds(call.placement->largest()) + rounds(call.placement->hosts()));
}

std::size_t view_of_streams(const Algorithm& algorithm, const Call& call) {
    const Bytes segments = std::min(pieces_at_a_time + lead(algorithm, call), scatter_trees_segments(call, algorithm.parts));
    return static_cast<std::size_t>(segments * algorithm.parts * scatter_trees_steps(call, algorithm.parts));
}

// Never more memory than for work space.
std::size_t look_ahead(const Algorithm& algorithm, const Call& call) {
    if (algorithm.view == nullptr) return least_window;
    const Bytes most = call.work_limit / static_cast<Bytes>(sizeof(Step));
    return std::max(static_cast<std::size_t>(least_window),
                    std::min(algorithm.view(algorithm, call), static_cast<std::size_t>(most)));
}

}  // namespace kumihimo::collectives
