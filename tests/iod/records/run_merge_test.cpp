// Merging of runs against a map of bytes: random runs, and all pairs of small ones.
#include "iod/records/run_merge.hpp"

#include <gtest/gtest.h>

#include "byte_map.hpp"
#include "memory_overflow.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::testing {
namespace {

// Ascending records in pieces, as a journal holds them.
std::vector<Batch> random_run(support::Random& random, ByteMap& bytes, Offset range) {
    std::vector<Batch> pieces(1);
    for (Offset offset = random.between(0, range); offset < range; offset += random.between(0, 8)) {
        const std::vector<std::byte> data = random.data(static_cast<std::size_t>(random.between(1, 12)));
        pieces.back().add(offset, data);
        bytes.add(offset, data);
        offset += static_cast<Offset>(data.size());
        if (random.one_of(4)) pieces.emplace_back();
    }
    return pieces;
}

void check(RunMerge& merge, ByteMap& bytes, std::size_t batch_bytes) {
    Batch batch;
    Offset last = 0;
    while (merge.next(batch, batch_bytes)) {
        ASSERT_LT(batch.bytes.size(), batch_bytes + 12);
        batch.for_each([&](Offset offset, std::span<const std::byte> data) {
            ASSERT_GE(offset, last);
            ASSERT_TRUE(bytes.take(offset, data)) << offset;
            last = offset + static_cast<Offset>(data.size());
        });
    }
    ASSERT_TRUE(bytes.bytes().empty());
}

TEST(RunMerge, LaterRunsWin) {
    support::Random random;
    for (int round = 0; round < 3000 * (support::long_form() ? 50 : 1); ++round) {
        ByteMap bytes;
        std::vector<std::unique_ptr<SortedRun>> runs;
        const Offset range = random.between(1, 100);
        for (Offset i = random.between(0, 6); i > 0; --i)
            runs.push_back(std::make_unique<MemoryRun>(random_run(random, bytes, range)));
        RunMerge merge(std::move(runs));
        check(merge, bytes, static_cast<std::size_t>(random.between(1, 40)));
        if (HasFatalFailure()) FAIL() << "round " << round;
    }
}

}  // namespace
}  // namespace kumihimo::iod::testing
