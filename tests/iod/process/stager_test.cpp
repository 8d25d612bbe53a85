// What a node keeps of a file, in memory and on its disk: random reads and writes against a plain array, with answers that come
// late.
#include "iod/catwalk/stager.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <deque>
#include <filesystem>

#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::process {
namespace {

// A file behind a link: questions are answered when the test lets them, from the bytes that are there at that moment.
struct Behind {
    std::vector<std::byte> bytes;
    struct Question {
        Offset offset;
        std::uint64_t count;
        Answered answered;
        Payload seen;  // what was there when the question came to the file, in the order of records and questions
    };
    std::deque<Question> questions;
    int asked = 0;

    void ask(Offset offset, std::uint64_t count, Answered answered) {
        ++asked;
        const Offset end = std::min<Offset>(offset + static_cast<Offset>(count), static_cast<Offset>(bytes.size()));
        const Offset begin = std::min(offset, end);
        Payload seen(
            std::span<const std::byte>(bytes).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
        questions.push_back({offset, count, std::move(answered), std::move(seen)});
    }
    void answer_one() {
        Question question = std::move(questions.front());
        questions.pop_front();
        question.answered({{}, 0, std::move(question.seen)});
    }
};

std::string directory_of_test() {
    return std::filesystem::temp_directory_path().string();
}

TEST(Staging, AChunkComesOnce) {
    Behind file{std::vector<std::byte>(3 << 20, std::byte{4}), {}};
    Stager stager({8 << 20, 1 << 30, directory_of_test()},
                  [&](Offset o, std::uint64_t n, Answered a) { file.ask(o, n, std::move(a)); });
    int answers = 0;
    for (int i = 0; i < 10; ++i) stager.read(i * 1000, 5000, [&](Reply&& reply) { answers += reply.bytes.size() == 5000; });
    EXPECT_EQ(file.asked, 1);
    file.answer_one();
    EXPECT_EQ(answers, 10);
    stager.read((1 << 20) - 10, 20, [&](Reply&& reply) { answers += reply.bytes.size() == 20; });
    EXPECT_EQ(file.asked, 2);
    stager.drop();
    file.answer_one();  // it was on its way when all was dropped: asked again
    EXPECT_EQ(file.asked, 3);
    file.answer_one();
    EXPECT_EQ(answers, 11);
}

TEST(Staging, FailuresAreToldAndForgotten) {
    Behind file{std::vector<std::byte>(100), {}};
    Stager stager({8 << 20, 1 << 30, directory_of_test()},
                  [&](Offset o, std::uint64_t n, Answered a) { file.ask(o, n, std::move(a)); });
    Code code = Code::ok;
    stager.read(0, 10, [&](Reply&& reply) { code = reply.status.code; });
    file.questions.front().answered({{Code::io_error, "", ""}});
    file.questions.pop_front();
    EXPECT_EQ(code, Code::io_error);
    std::size_t got = 0;
    stager.read(90, 20, [&](Reply&& reply) { got = reply.bytes.size(); });
    file.answer_one();
    EXPECT_EQ(got, 10u);  // the file ends
}

// What has no room in memory is on disk; what is written there, or is dropped, comes again.
TEST(Staging, AFileOfManyTimesTheMemoryComesOnce) {
    Behind file;
    support::Random random;
    for (int i = 0; i < 10'000; ++i) file.bytes.push_back(static_cast<std::byte>(random.between(0, 255)));
    constexpr Offset stripe = 100;
    Stager stager({5 * stripe, stripe, directory_of_test()},
                  [&](Offset o, std::uint64_t n, Answered a) { file.ask(o, n, std::move(a)); });
    const auto read_all = [&] {
        for (Offset at = 0; at < 10'000; at += 80)
            stager.read(at, 80, [&, at](Reply&& reply) {
                ASSERT_TRUE(std::equal(reply.bytes.begin(), reply.bytes.end(), file.bytes.begin() + at));
                ASSERT_EQ(reply.bytes.size(), 80u);
            });
        EXPECT_LE(file.questions.size(), 5u);  // no more than there is memory for
        while (!file.questions.empty()) file.answer_one();
    };
    for (int round = 0; round < 3; ++round) read_all();
    EXPECT_EQ(file.asked, 100);
    EXPECT_EQ(stager.on_disk_bytes(), 9500u);
    for (std::size_t i = 150; i < 160; ++i) file.bytes[i] = std::byte{1};
    stager.patch(150, std::span(file.bytes).subspan(150, 10));
    read_all();
    EXPECT_EQ(file.asked, 101);
    stager.drop();
    read_all();
    EXPECT_EQ(file.asked, 201);
}

// Where the disk has no room a part is local, and the rest comes again and again.
TEST(Staging, AFullDiskIsNoFailure) {
    rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit little{2000, before.rlim_max};
    const auto signal_before = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &little);
    Behind file{std::vector<std::byte>(10'000, std::byte{4}), {}};
    Stager stager({500, 100, directory_of_test()},
                  [&](Offset o, std::uint64_t n, Answered a) { file.ask(o, n, std::move(a)); });
    int answers = 0;
    for (int round = 0; round < 2; ++round)
        for (Offset at = 0; at < 10'000; at += 100) {
            stager.read(at, 100, [&](Reply&& reply) { answers += reply.bytes == Payload(100, std::byte{4}); });
            while (!file.questions.empty()) file.answer_one();
        }
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, signal_before);
    EXPECT_EQ(answers, 200);
    EXPECT_GT(file.asked, 150);
    EXPECT_LT(file.asked, 200);
}

TEST(Staging, EverybodyReadsWhatTheyWrote) {
    support::Random random;
    for (int round = 0; round < (support::long_form() ? 2000 : 60); ++round) {
        constexpr Offset stripe = 64, size = 1000;
        Behind file{std::vector<std::byte>(static_cast<std::size_t>(random.between(1, size))), {}};
        std::vector<std::byte> truth = file.bytes;
        Stager stager({stripe * static_cast<std::size_t>(random.between(1, 10)), stripe, directory_of_test()},
                      [&](Offset o, std::uint64_t n, Answered a) { file.ask(o, n, std::move(a)); });
        int asked = 0, answered = 0;
        for (int step = 0; step < 300; ++step) {
            const Offset begin = random.between(0, size - 1), count = random.between(1, 150);
            const auto what = random.between(0, 9);
            if (what < 4) {  // what was there when the read began must be in the answer, unless it is written again later
                const Offset end = std::min<Offset>(begin + count, static_cast<Offset>(truth.size()));
                const std::vector<std::byte> then(truth.begin() + std::min(begin, end), truth.begin() + end);
                ++asked;
                stager.read(begin, static_cast<std::uint64_t>(count), [&, then, begin](Reply&& reply) {
                    ++answered;
                    ASSERT_GE(reply.bytes.size(), then.size()) << "seed " << random.seed();
                    for (std::size_t i = 0; i < then.size(); ++i)
                        ASSERT_TRUE(reply.bytes[i] >= then[i])
                            << "seed " << random.seed() << " byte " << begin + static_cast<Offset>(i);
                });
            } else if (what < 7) {  // values only grow, so a stale byte is a smaller one
                const auto at = static_cast<std::size_t>(std::min<Offset>(begin, static_cast<Offset>(truth.size())));
                const std::vector<std::byte> data(static_cast<std::size_t>(count), static_cast<std::byte>(step * 255 / 300));
                if (truth.size() < at + data.size()) truth.resize(at + data.size());
                std::ranges::copy(data, truth.begin() + static_cast<std::ptrdiff_t>(at));
                stager.patch(static_cast<Offset>(at), data);
                file.bytes = truth;  // the record goes the same way as questions, before those that come later
            } else if (what < 9) {
                if (!file.questions.empty()) file.answer_one();
            } else if (random.between(0, 5) == 0) {
                stager.drop();
            }
        }
        while (!file.questions.empty()) file.answer_one();
        EXPECT_EQ(asked, answered);
    }
}

}  // namespace
}  // namespace kumihimo::iod::process
