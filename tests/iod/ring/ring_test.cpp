// The ring between a rank and its agent: what goes in comes out, in order, whatever the sizes; who waits is woken; a hostile
// rank cannot make the agent read outside of its memory.
#include "iod/ring/ring.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <deque>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod {
namespace {

constexpr std::size_t capacity = RingProducer::smallest_capacity;

struct alignas(64) Line {
    std::byte bytes[64];
};
// Memory for a ring, aligned like a mapping.
class Memory {
public:
    explicit Memory(std::size_t ring = capacity) : lines_(RingProducer::memory_bytes(ring) / sizeof(Line)) {}
    std::span<std::byte> span() { return std::as_writable_bytes(std::span(lines_)); }

private:
    std::vector<Line> lines_;
};

std::byte expected_byte(std::int64_t position) {
    return static_cast<std::byte>((position * 0x9e3779b9) >> 13);
}

void fill(std::byte* place, std::int64_t position, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) place[i] = expected_byte(position + static_cast<std::int64_t>(i));
}

// Every byte's value tells its place, so a record of any cut can be checked by itself.
bool intact(const RingConsumer::Record& record) {
    for (std::size_t i = 0; i < record.bytes.size(); ++i)
        if (record.bytes[i] != expected_byte(record.offset + static_cast<std::int64_t>(i))) return false;
    return true;
}

bool put(RingProducer& ring, std::int64_t offset, std::size_t bytes) {
    std::byte* const place = ring.reserve(offset, bytes);
    if (place == nullptr) return false;
    fill(place, offset, bytes);
    ring.commit();
    return true;
}

TEST(Ring, RecordsComeOutInOrder) {
    Memory memory;
    RingProducer in(memory.span());
    RingConsumer out(memory.span());
    RingConsumer::Record record;
    EXPECT_FALSE(out.peek(record));
    ASSERT_TRUE(put(in, 1000, 17));
    ASSERT_TRUE(put(in, 50, 160));
    ASSERT_TRUE(out.peek(record));
    EXPECT_EQ(record.offset, 1000);
    EXPECT_EQ(record.bytes.size(), 17u);
    out.consume();
    EXPECT_LT(out.position(), in.position());
    ASSERT_TRUE(out.peek(record));
    EXPECT_EQ(record.offset, 50);
    EXPECT_TRUE(intact(record));
    out.consume();
    EXPECT_EQ(out.position(), in.position());
    EXPECT_TRUE(out.empty());
}

TEST(Ring, RecordsThatContinueBecomeOne) {
    Memory memory;
    RingProducer in(memory.span());
    RingConsumer out(memory.span());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(put(in, 100 + 9 * i, 9));
    RingConsumer::Record record;
    ASSERT_TRUE(out.peek(record));
    EXPECT_EQ(record.bytes.size(), 45u);
    EXPECT_TRUE(intact(record));
    ASSERT_TRUE(put(in, 145, 9));  // the one before is taken
    EXPECT_EQ(record.bytes.size(), 45u);
    out.consume();
    ASSERT_TRUE(out.peek(record));
    EXPECT_EQ(record.offset, 145);
    EXPECT_TRUE(intact(record));
}

TEST(Ring, TakenBetweenReserveAndCommit) {
    Memory memory;
    RingProducer in(memory.span());
    RingConsumer out(memory.span());
    ASSERT_TRUE(put(in, 0, 7));
    fill(in.reserve(7, 30), 7, 30);
    RingConsumer::Record record;
    ASSERT_TRUE(out.peek(record));
    EXPECT_EQ(record.bytes.size(), 7u);
    out.consume();
    in.commit();
    ASSERT_TRUE(out.peek(record));
    EXPECT_EQ(record.offset, 7);
    EXPECT_EQ(record.bytes.size(), 30u);
    EXPECT_TRUE(intact(record));
}

TEST(Ring, AnEmptyRingHasRoomForTheLargestAnywhere) {
    for (std::size_t before = 0; before < capacity; before += 16) {
        Memory memory;
        RingProducer in(memory.span());
        RingConsumer out(memory.span());
        RingConsumer::Record record;
        for (std::size_t at = 0; at + 32 <= before; at += 32) {
            ASSERT_TRUE(put(in, static_cast<std::int64_t>(at * 3), 16));
            ASSERT_TRUE(out.peek(record));
            out.consume();
        }
        ASSERT_TRUE(put(in, 5, in.largest())) << before;
        ASSERT_TRUE(out.peek(record));
        EXPECT_TRUE(intact(record));
    }
}

TEST(Ring, WakesWhoSleeps) {
    Memory memory;
    RingProducer in(memory.span());
    RingConsumer out(memory.span());
    EXPECT_FALSE(in.wake_agent());
    out.sleep(true);
    ASSERT_TRUE(put(in, 0, 100));
    EXPECT_FALSE(in.wake_agent_for_much());
    while (in.waiting_bytes() < capacity / 4) ASSERT_TRUE(put(in, 1 << 20, 100));
    EXPECT_TRUE(in.wake_agent_for_much());
    EXPECT_FALSE(in.wake_agent_for_much());  // once is enough
    while (put(in, 7, 100)) {
    }
    EXPECT_TRUE(in.wait_for_room(100));
    EXPECT_FALSE(out.wake_rank());
    RingConsumer::Record record;
    while (out.peek(record)) out.consume();
    EXPECT_TRUE(out.wake_rank());
    EXPECT_FALSE(out.wake_rank());
    EXPECT_FALSE(in.wait_for_room(100));
}

struct Job {
    std::int64_t offset;
    std::size_t bytes;
};
// Many small writes, some that continue the one before, a few large ones.
std::vector<Job> random_jobs(std::size_t count, std::size_t largest) {
    support::Random random;
    std::vector<Job> jobs;
    std::int64_t end = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bytes = static_cast<std::size_t>(random.between(1, random.between(0, 9) == 0 ? largest : 60));
        const std::int64_t offset = random.between(0, 2) == 0 ? random.between(0, 1 << 30) : end;
        jobs.push_back({offset, bytes});
        end = offset + static_cast<std::int64_t>(bytes);
    }
    return jobs;
}

// Takes records until all jobs have come, in order; a record may be several jobs in a row.
void take_all(RingConsumer& out, const std::vector<Job>& jobs) {
    std::size_t job = 0, done = 0;
    RingConsumer::Record record;
    while (job < jobs.size()) {
        if (!out.peek(record)) {
            std::this_thread::yield();
            continue;
        }
        ASSERT_TRUE(intact(record));
        for (std::size_t at = 0; at < record.bytes.size();) {
            ASSERT_LT(job, jobs.size());
            ASSERT_EQ(record.offset + static_cast<std::int64_t>(at), jobs[job].offset);
            at += jobs[job++].bytes;
            done = at;
        }
        ASSERT_EQ(done, record.bytes.size());
        out.consume();
    }
    EXPECT_TRUE(out.empty());
}

void put_all(RingProducer& in, const std::vector<Job>& jobs) {
    for (const Job& job : jobs)
        while (!put(in, job.offset, job.bytes)) std::this_thread::yield();
}

TEST(Ring, TwoThreads) {
    Memory memory;
    RingProducer in(memory.span());
    RingConsumer out(memory.span());
    const std::vector<Job> jobs = random_jobs(support::long_form() ? 2'000'000 : 100'000, in.largest());
    std::thread rank([&] { put_all(in, jobs); });
    take_all(out, jobs);
    rank.join();
}

// Both sides sleep whenever they may: a wake-up that got lost would end the test by its time limit.
TEST(Ring, TwoThreadsThatSleep) {
    Memory memory;
    RingProducer in(memory.span());
    RingConsumer out(memory.span());
    std::atomic<int> agent_event{0}, rank_event{0};
    const int count = 20'000;
    std::thread rank([&] {
        for (int i = 0; i < count; ++i) {
            while (!put(in, i * 1000, 200)) {
                if (in.wake_agent()) agent_event.fetch_add(1), agent_event.notify_one();
                const int seen = rank_event.load();
                if (in.wait_for_room(200)) rank_event.wait(seen);
            }
            if (in.wake_agent_for_much()) agent_event.fetch_add(1), agent_event.notify_one();
        }
        if (in.wake_agent()) agent_event.fetch_add(1), agent_event.notify_one();
    });
    RingConsumer::Record record;
    for (int i = 0; i < count;) {
        const int seen = agent_event.load();
        while (out.peek(record)) {
            ASSERT_EQ(record.offset, i++ * 1000);
            out.consume();
            if (out.wake_rank()) rank_event.fetch_add(1), rank_event.notify_one();
        }
        out.sleep(true);
        if (out.empty() && i < count) agent_event.wait(seen);
        out.sleep(false);
    }
    rank.join();
}

TEST(Ring, TwoProcesses) {
    const std::size_t bytes = RingProducer::memory_bytes(64 << 10);
    void* const shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    const std::span memory(static_cast<std::byte*>(shared), bytes);
    RingProducer in(memory);
    const std::vector<Job> jobs = random_jobs(20'000, in.largest());
    const pid_t child = fork();
    if (child == 0) {
        put_all(in, jobs);
        _exit(0);
    }
    RingConsumer out(memory);
    take_all(out, jobs);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    munmap(shared, bytes);
}

TEST(Ring, ForeignHeadersAreRefused) {
    Memory memory;
    EXPECT_THROW(RingConsumer{memory.span()}, std::invalid_argument);  // zeros
    RingProducer in(memory.span());
    EXPECT_THROW(RingConsumer{memory.span().first(100)}, std::invalid_argument);
    EXPECT_THROW(RingProducer{memory.span().first(memory.span().size() - 16)}, std::invalid_argument);
    in.header().capacity *= 2;
    EXPECT_THROW(RingConsumer{memory.span()}, std::invalid_argument);
    in.header().capacity /= 2;
    in.header().consumed = 8;
    EXPECT_THROW(RingConsumer{memory.span()}, std::invalid_argument);
}

// Random bytes as header and records: the consumer refuses or delivers, but reads only what is the ring's (address sanitizer).
TEST(Ring, RandomBytesDoNoHarm) {
    support::Random random;
    int refused = 0;
    for (int round = 0; round < (support::long_form() ? 200'000 : 2'000); ++round) {
        Memory memory;
        RingProducer in(memory.span());
        while (put(in, random.between(0, 1000), static_cast<std::size_t>(random.between(1, 200)))) {
        }
        RingConsumer out(memory.span());
        for (int hits = 0; hits < 8; ++hits) {
            const std::size_t at =
                static_cast<std::size_t>(random.between(64, static_cast<std::int64_t>(memory.span().size()) - 1));
            memory.span()[at] = static_cast<std::byte>(random.between(0, 255));
        }
        try {
            RingConsumer::Record record;
            std::byte sum{};
            for (int records = 0; records < 1000 && out.peek(record); ++records) {
                for (const std::byte byte : record.bytes) sum ^= byte;
                out.consume();
            }
            volatile std::byte kept = sum;
            (void)kept;
        } catch (const std::invalid_argument&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace kumihimo::iod
