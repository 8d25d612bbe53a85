// Boxes cut into calls: every index comes once and in order, and no call has too many.
#include "runtime/xmpnc/calls.hpp"

#include <gtest/gtest.h>

#include "tests/support/random.hpp"

namespace {

using kumihimo::xmpnc::Calls;
using Indices = std::vector<MPI_Offset>;

// The indices of a box in order, by hand.
void add_indices(const MPI_Offset* start, const MPI_Offset* count, const MPI_Offset* stride, std::size_t rank, std::size_t d,
                 Indices& place, std::vector<Indices>& all) {
    if (d == rank) return all.push_back(place);
    for (MPI_Offset i = 0; i < count[d]; ++i) {
        place[d] = start[d] + i * stride[d];
        add_indices(start, count, stride, rank, d + 1, place, all);
    }
}

TEST(Calls, HaveEveryIndexOnceAndInOrder) {
    kumihimo::support::Random random;
    for (int round = 0; round < 500; ++round) {
        const bool many = random.between(0, 1) == 1;
        const MPI_Offset most = random.between(1, 40);
        const auto rank = static_cast<std::size_t>(random.between(0, 3));
        Calls calls(most, many);
        std::vector<Indices> expected, found;
        Indices place(rank);
        const auto boxes = static_cast<std::size_t>(many ? random.between(0, 5) : 1);
        std::vector<Indices> starts(boxes, Indices(rank)), counts = starts, strides(boxes, Indices(rank, 1));
        for (std::size_t box = 0; box < boxes; ++box) {
            for (std::size_t d = 0; d < rank; ++d) {
                starts[box][d] = random.between(0, 9);
                counts[box][d] = random.between(1, 7);
                if (!many) strides[box][d] = random.between(1, 3);
            }
            add_indices(starts[box].data(), counts[box].data(), strides[box].data(), rank, 0, place, expected);
            calls.add(starts[box], counts[box], strides[box]);
        }
        for (const Calls::One& call : calls.list) {
            ASSERT_EQ(call.first, static_cast<MPI_Offset>(found.size()));
            ASSERT_LE(call.elements, most);
            ASSERT_EQ(call.starts.size(), call.counts.size() * rank);
            ASSERT_TRUE(many || call.counts.size() == 1);
            for (std::size_t piece = 0; piece < call.counts.size(); ++piece)
                add_indices(call.starts.data() + piece * rank, call.counts[piece], call.stride, rank, 0, place, found);
            ASSERT_EQ(call.first + call.elements, static_cast<MPI_Offset>(found.size()));
        }
        ASSERT_EQ(found, expected) << "round " << round << ", at most " << most;
    }
}

}  // namespace
