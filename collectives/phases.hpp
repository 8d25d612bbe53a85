// An operation as a sequence of smaller ones among some of its ranks: gather inside a host, exchange between hosts, spread
// inside a host. Each phase is the schedule of an algorithm that knows nothing of the others.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "collectives/call.hpp"
#include "collectives/steps.hpp"

namespace kumihimo::collectives {

// Sizes and offsets of blocks that differ in size.
struct Layout {
    std::vector<Bytes> sizes, offsets;

    Blocks blocks() const { return {sizes.front(), sizes.data(), offsets.data()}; }
};

struct Phase {
    Steps (*steps)(Call);
    Call call;                                             // of this rank among those that take part
    std::vector<int> members;                              // which ranks of the whole operation these are
    std::array<Span, 3> where;                             // begins of the phase's buffers, by Buffer, in those of the whole
    std::vector<std::unique_ptr<const Layout>> layouts{};  // that the call's blocks point into
};

// The same buffers as the whole's.
constexpr std::array<Span, 3> same_buffers{Span{Buffer::send}, Span{Buffer::receive}, Span{Buffer::work}};

// This rank's call of a phase among `members`, of which it is one.
Call call_among(const Call& whole, const std::vector<int>& members, int root);

// A phase begins at this rank when the one before has ended here. Phases without this rank are left out.
Steps in_phases(std::vector<Phase> phases, int channel);

}  // namespace kumihimo::collectives
