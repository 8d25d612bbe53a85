// One stage against a map of bytes: random records, drains, reads and losses by every method. What leaves, applied in its
// order, must make the file that the records make in theirs. The model beside (model_test.cpp) explores several stages
// exhaustively.
#include "iod/records/stage.hpp"

#include <gtest/gtest.h>

#include "byte_map.hpp"
#include "memory_overflow.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::testing {
namespace {

// A stage, the file behind it, and the file as it must become.
class OneStage {
public:
    OneStage(const StageOptions& options, MemoryOverflow* overflow) : stage(options, overflow), options_(options) {}

    void put(int source, Offset offset, std::span<const std::byte> data) {
        for (int tries = 0; !stage.has_room(data.size()); ++tries) {
            ASSERT_LT(tries, 1000) << "no room for ever";
            ASSERT_TRUE(let_one_out() || stage.has_room(data.size())) << "no room, and nothing leaves";
        }
        stage.put(source, offset, data);
        wanted.add(offset, data);
        ASSERT_LE(stage.memory_bytes(), std::max(options_.sort_buffer, std::size_t{100 << 10}));
    }
    bool let_one_out() {
        Batch batch;
        if (!stage.next(batch)) return false;
        apply(batch);
        return true;
    }
    void drain(std::uint64_t epoch) {
        std::optional<std::uint64_t> told;
        while (!(told = stage.drained())) {
            const bool left = let_one_out();
            ASSERT_TRUE(left) << "a drain that does not complete";
        }
        ASSERT_EQ(*told, epoch);
        ASSERT_FALSE(stage.drained());
        ASSERT_TRUE(stage.empty());
        ASSERT_EQ(file, wanted);
    }
    void read(Offset begin, Offset end) {
        Batch batch;
        while (stage.next_in(begin, end, batch)) apply(batch);
        for (Offset at = begin; at < end; ++at) {
            const auto is = file.bytes().find(at), should = wanted.bytes().find(at);
            ASSERT_EQ(is == file.bytes().end(), should == wanted.bytes().end()) << at;
            ASSERT_TRUE(is == file.bytes().end() || is->second == should->second) << at;
        }
    }
    Stage stage;
    ByteMap file, wanted;

private:
    void apply(const Batch& batch) {
        ASSERT_FALSE(batch.empty());
        batch.for_each([&](Offset offset, std::span<const std::byte> data) {
            ASSERT_LE(data.size(), options_.largest_record);
            file.add(offset, data);
        });
    }
    StageOptions options_;
};

StageOptions random_options(support::Random& random) {
    StageOptions options;
    options.method = static_cast<Method>(random.between(0, 3));
    options.merge = random.one_of(2);
    options.largest_record = static_cast<std::size_t>(random.one_of(2) ? random.between(1, 20) : random.between(300, 3000));
    options.sort_buffer = static_cast<std::size_t>(random.one_of(3) ? 0 : random.between(40 << 10, 120 << 10));
    options.batch_bytes = static_cast<std::size_t>(random.between(1, 2000));
    options.early_bytes = static_cast<std::size_t>(random.one_of(2) ? 0 : random.between(1, 3000));
    options.way_out_is_a_network = random.one_of(2);
    options.children = static_cast<int>(random.between(0, 2));
    return options;
}

void one_drain(support::Random& random, OneStage& one, const StageOptions& options, std::uint64_t epoch) {
    const Offset largest = static_cast<Offset>(options.largest_record), range = largest * random.between(2, 80);
    std::vector<int> left;  // sources that have not drained yet
    for (int source = Stage::ranks_here; source < options.children; ++source) left.push_back(source);
    Offset follow = 0;
    while (!left.empty()) {
        const auto chosen = static_cast<std::size_t>(random.between(0, static_cast<Offset>(left.size()) - 1));
        const Offset kind = random.between(0, 60);
        if (kind == 0) {
            one.stage.drain(left[chosen], epoch);
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
        } else if (kind < 6) {
            one.let_one_out();
        } else if (kind == 6) {
            const Offset begin = random.between(0, range);
            one.read(begin, begin + random.between(0, largest * 3));
        } else {
            const Offset offset = random.one_of(3) ? random.between(0, range) : follow;
            const std::vector<std::byte> data = random.data(static_cast<std::size_t>(random.between(0, largest * 2)));
            one.put(left[chosen], offset, data);
            follow = (offset + static_cast<Offset>(data.size())) % range;
        }
        if (::testing::Test::HasFatalFailure()) return;
    }
    one.drain(epoch);
}

TEST(Stage, RandomProgramsMakeTheSameFile) {
    support::Random random;
    for (int round = 0; round < (support::long_form() ? 15'000 : support::sanitized ? 30 : 80); ++round) {
        const StageOptions options = random_options(random);
        MemoryOverflow overflow(random.one_of(4) ? static_cast<int>(random.between(0, 5)) : -1);
        OneStage one(options, random.one_of(5) ? nullptr : &overflow);
        for (std::uint64_t epoch = 1; epoch <= 3 && !HasFatalFailure(); ++epoch) {
            one_drain(random, one, options, epoch);
        }
        if (HasFatalFailure()) FAIL() << "round " << round << " method " << static_cast<int>(options.method);
    }
}

// The overflow comes back in pieces. A record that reaches behind the last one leaves only as far as it: behind it something
// older may still come back, wherever what may leave ends.
TEST(Stage, NewRecordsWaitForTheOverflowBelowThem) {
    const StageOptions options{.method = Method::journal,
                               .merge = false,
                               .largest_record = 100,
                               .sort_buffer = 1 << 20,
                               .batch_bytes = 60,
                               .children = 2};
    MemoryOverflow overflow;
    OneStage one(options, &overflow);
    const std::vector<std::byte> old(100, std::byte{1}), young(100, std::byte{2});
    one.put(Stage::ranks_here, 0, std::span(old).first(60));
    one.put(Stage::ranks_here, 60, old);
    for (Offset at = 10'000; one.stage.counts().overflowed_bytes < 160; at += 200) one.put(Stage::ranks_here, at, old);
    ASSERT_TRUE(one.stage.has_room(2000));  // a full buffer would not wait for the child
    one.stage.drain(Stage::ranks_here, 1);
    one.put(0, 55, std::span(young).first(1));  // what lies below may leave while this child goes on
    one.put(1, 0, young);
    one.stage.drain(1, 1);
    while (one.let_one_out()) {
    }
    one.stage.drain(0, 1);
    one.drain(1);
}

// What is ascending and large needs no sorting; what is small or jumps about does.
TEST(Stage, AutomaticChoosesByWhatItSees) {
    StageOptions options{.method = Method::automatic, .largest_record = 1000};
    Stage stage(options, nullptr);
    Batch batch;
    const std::vector<std::byte> large(1000), small(10);
    for (Offset i = 0; i < 100; ++i) {
        stage.put(Stage::ranks_here, i * 1000, large);
        stage.next_in(0, everything, batch);
    }
    EXPECT_EQ(stage.counts().method, Method::immediate);
    for (Offset i = 100; i > 0; --i) stage.put(Stage::ranks_here, i * 1000, small);
    EXPECT_EQ(stage.counts().method, Method::sort);
}

// What lies in the gaps comes from other ranks.
TEST(Stage, AutomaticSortsWhatAscendsWithGaps) {
    StageOptions options{.method = Method::automatic, .largest_record = 1000};
    Stage stage(options, nullptr);
    Batch batch;
    const std::vector<std::byte> large(1000);
    for (Offset i = 0; i < 100; ++i) {
        stage.put(Stage::ranks_here, i * 4000, large);
        stage.next_in(0, everything, batch);
    }
    EXPECT_EQ(stage.counts().method, Method::sort);
}

TEST(Stage, AutomaticTakesAJournalWhereTheWayOutIsSlow) {
    MemoryOverflow overflow;
    StageOptions options{.method = Method::automatic, .sort_buffer = 1 << 20, .way_out_is_a_network = true};
    Stage stage(options, &overflow);
    const std::vector<std::byte> data(1000);
    Offset offset = 1 << 30;
    for (int i = 0; i < 2000; ++i)
        if (stage.has_room(data.size())) stage.put(Stage::ranks_here, offset -= 2000, data);
    EXPECT_EQ(stage.counts().method, Method::journal);
    EXPECT_GT(stage.counts().overflowed_bytes, 0u);
}

TEST(Stage, LongStretchesLeaveBeforeTheBufferIsFull) {
    StageOptions options{.sort_buffer = 16 << 20, .early_bytes = 1 << 20};
    Stage stage(options, nullptr);
    const std::vector<std::byte> data(32 << 10);
    for (Offset i = 0; i < 40; ++i) stage.put(Stage::ranks_here, i * (32 << 10), data);
    Batch batch;
    ASSERT_TRUE(stage.next(batch));
    EXPECT_EQ(batch.places.front().offset, 0);
    std::size_t bytes = batch.bytes.size();
    while (stage.next(batch)) bytes += batch.bytes.size();
    EXPECT_EQ(bytes, std::size_t{40 * (32 << 10)});
}

// While the child still drains, only what lies below its last record leaves.
TEST(Stage, DrainsAreMergedWhileTheyArrive) {
    Stage stage({.children = 1}, nullptr);
    const std::vector<std::byte> data(100);
    for (Offset i = 0; i < 10; ++i) stage.put(Stage::ranks_here, i * 1000, data);
    stage.drain(Stage::ranks_here, 1);
    Batch batch;
    EXPECT_FALSE(stage.next(batch));
    stage.put(0, 4500, data);
    ASSERT_TRUE(stage.next(batch));
    EXPECT_EQ(batch.places.size(), 5u);
    EXPECT_EQ(batch.places.back().offset, 4000);
    EXPECT_FALSE(stage.next(batch));
    stage.lose(0);
    ASSERT_TRUE(stage.next(batch));
    EXPECT_EQ(batch.places.size(), 6u);
    EXPECT_EQ(stage.drained(), 1u);
    EXPECT_EQ(stage.counts().seeks, 10u);
}

}  // namespace
}  // namespace kumihimo::iod::testing
