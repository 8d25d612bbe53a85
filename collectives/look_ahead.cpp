#include "collectives/look_ahead.hpp"

#include <algorithm>
#include <bit>

#include "collectives/pieces.hpp"
#include "collectives/streams.hpp"

namespace kumihimo::collectives {

namespace {

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
    return view_of(algorithm, call, pieces_under_way(call, algorithm.parts));
}

// A piece comes back to a leaf after the whole way to the root and back, and as many pieces as this has messages should have
// left by then.
std::size_t view_there_and_back(const Algorithm& algorithm, const Call& call) {
    return view_of(algorithm, call, 2 * call.torus.way());
}

std::size_t view_of_hosts(const Algorithm& algorithm, const Call& call) {
    const auto rounds = [](int ranks) { return std::bit_width(static_cast<unsigned>(ranks)); };
    return view_of(algorithm, call,
                   pieces_under_way(call, 1) + 2 * rounds(call.placement->largest()) + rounds(call.placement->hosts()));
}

// A message each way in a round, and the copy of the own block.
std::size_t view_of_rounds(const Algorithm&, const Call& call) {
    return 2 * static_cast<std::size_t>(call.rounds_in_flight) + 1;
}

std::size_t view_of_streams(const Algorithm& algorithm, const Call& call) {
    const Ring ring(call, algorithm.parts);
    const Bytes segments = std::min(pieces_under_way(call, algorithm.parts), Bytes{ring.slots});
    return static_cast<std::size_t>(segments * algorithm.parts * ring.steps(call));
}

// Never more memory than for work space.
std::size_t look_ahead(const Algorithm& algorithm, const Call& call) {
    if (algorithm.view == nullptr) return least_window;
    const Bytes most = call.work_limit / static_cast<Bytes>(sizeof(Step));
    return std::max(static_cast<std::size_t>(least_window),
                    std::min(algorithm.view(algorithm, call), static_cast<std::size_t>(most)));
}

}  // namespace kumihimo::collectives
