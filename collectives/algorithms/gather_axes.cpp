// Small blocks on a torus: binomial trees along the lines of the first axis to the root's place on it, then along the second
// axis among those that have it, then along the third. As many rounds as one binomial tree, but every message runs along one
// axis and in no round do two messages use the same link; the tests count them. Blocks are collected into one message for each
// edge.
#include <algorithm>
#include <cstdlib>

#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

namespace {

// The places on a line of nodes as seen from the root's: it has a tree on each side.
class Line {
public:
    Line(const Torus& torus, int axis, int root, int here) : extent_(torus.extents[axis]) {
        upward_ = torus.wraps[axis] ? extent_ / 2 : extent_ - 1 - root;
        offset_ = modulo(here - root, extent_);
    }
    // Signed distance from the root, the shorter way where the line is a ring.
    int distance() const { return offset_ <= upward_ ? offset_ : offset_ - extent_; }
    int length(int side) const { return side > 0 ? upward_ : extent_ - 1 - upward_; }
    // Where the block of the place at a distance stands among those of the line.
    int position() const { return offset_ <= upward_ ? offset_ : upward_ + extent_ - offset_; }

private:
    int extent_, upward_, offset_;
};

}  // namespace

Steps gather_axes(Call call) {
    const Coordinates here = call.torus.coordinates(call.rank), root = call.torus.coordinates(call.root);
    const auto work = [&](Bytes first, Bytes bytes) { return Span{Buffer::work, first, bytes}; };
    const bool keep = call.rank == call.root && call.in_place;
    StepIndex last = -1;
    if (!keep) last = co_yield copy({Buffer::send, 0, call.block_bytes}, work(0, call.block_bytes));
    Bytes unit = call.block_bytes, held = unit;  // of one place of the line; of all that is here
    for (int axis = 0; axis < most_axes; unit *= call.torus.extents[axis++]) {
        const Line line(call.torus, axis, root[axis], here[axis]);
        const int me = line.distance(), mine = std::abs(me);
        for (const int side : {1, -1}) {
            if (me * side < 0) continue;
            for (int ahead = 1; (mine & ahead) == 0 && mine + ahead <= line.length(side); ahead *= 2) {
                const int count = std::min(ahead, line.length(side) - mine - ahead + 1);
                last = co_yield receive(call.torus.neighbour(call.rank, axis, side * ahead), work(held, count * unit));
                held += count * unit;
            }
        }
        if (me == 0) continue;
        const int parent = call.torus.neighbour(call.rank, axis, (me > 0 ? -1 : 1) * (mine & -mine));
        co_yield send(parent, work(0, held), Interval{0, last});
        co_return;
    }
    for (int rank = 0; rank < call.ranks; ++rank) {
        if (keep && rank == call.rank) continue;
        const Coordinates at = call.torus.coordinates(rank);
        Bytes place = 0;
        for (int axis = most_axes - 1; axis >= 0; --axis)
            place = place * call.torus.extents[axis] + Line(call.torus, axis, root[axis], at[axis]).position();
        co_yield copy(work(place * call.block_bytes, call.block_bytes), call.receive_blocks.in(Buffer::receive, rank),
                      Interval{0, last});
    }
}

}  // namespace kumihimo::collectives
