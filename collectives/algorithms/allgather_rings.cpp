// Rings along all axes of a torus at the same time. Each block is divided into parts; part p goes around the rings of axis p
// first, then of axis p + 1 with all that has been collected, then of the next; parts beyond the number of axes go the other
// way round. While part 0 is on the first axis part 1 is on the second, so all links carry about the same load: for p = 0, of
// an n-node torus, (n - n / extent) / parts blocks in the last and largest phase.
//
// A block is named by how far back its rank is along the part's axes, as a number with the axes' extents as radixes: number d
// comes from the neighbour along the axis of its highest digit that is not 0, which has it as d less one in that digit.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

namespace {

class Direction {
public:
    Direction(const Torus& torus, int part) : torus_(torus) {
        std::array<int, most_axes> used;
        count_ = torus.axes(used);
        for (int i = 0; i < count_; ++i) axis_[i] = used[(part + i) % count_];
        sign_ = part < count_ ? 1 : -1;
    }
    // One in the highest digit of d that is not 0; and the axis of that digit.
    int unit(int d, int& axis) const {
        int unit = 1, i = 0;
        while (i + 1 < count_ && d >= unit * extent(i)) unit *= extent(i++);
        axis = axis_[i];
        return unit;
    }
    int sign() const { return sign_; }
    // The rank whose block is number d here.
    int owner(int rank, int d) const {
        for (int i = 0; i < count_; d /= extent(i++)) rank = torus_.neighbour(rank, axis_[i], -sign_ * (d % extent(i)));
        return rank;
    }

private:
    int extent(int i) const { return torus_.extents[axis_[i]]; }

    const Torus& torus_;
    std::array<int, most_axes> axis_{};
    int count_ = 0, sign_ = 1;
};

}  // namespace

Steps allgather_rings(Call call, int parts) {
    const auto part_of = [&](int rank, int part) {
        const Span block = call.receive_blocks.in(Buffer::receive, rank);
        const Bytes first = cut(block.bytes, 1, parts, part);
        return block.part(first, cut(block.bytes, 1, parts, part + 1) - first);
    };
    StepIndex first_message = 0;
    const Span own = call.receive_blocks.in(Buffer::receive, call.rank);
    if (!call.in_place) first_message = 1 + (co_yield copy({Buffer::send, 0, own.bytes}, own));
    // Two steps for each number and part, so it is known which step brought a block.
    const auto brought = [&](int d, int part) {
        return d == 0 ? first_message - 1 : first_message + ((d - 1) * StepIndex{parts} + part) * 2;
    };
    for (int d = 1; d < call.ranks; ++d)
        for (int part = 0; part < parts; ++part) {
            const Direction direction(call.torus, part);
            int axis;
            const int before = d - direction.unit(d, axis);
            const int previous = call.torus.neighbour(call.rank, axis, -direction.sign());
            const int next = call.torus.neighbour(call.rank, axis, direction.sign());
            co_yield receive(previous, part_of(direction.owner(call.rank, d), part), {}, part);
            After ready;
            if (brought(before, part) >= 0) ready = brought(before, part);
            co_yield send(next, part_of(direction.owner(call.rank, before), part), ready, part);
        }
}

}  // namespace kumihimo::collectives
