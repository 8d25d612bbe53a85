// What a node keeps of a file: random reads and writes against a plain array, with answers that come late.
#include "iod/process/stager.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "tests/iod/random.hpp"

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
        Payload seen(bytes.begin() + std::min(offset, end), bytes.begin() + end);
        questions.push_back({offset, count, std::move(answered), std::move(seen)});
    }
    void answer_one() {
        Question question = std::move(questions.front());
        questions.pop_front();
        question.answered({{}, 0, std::move(question.seen)});
    }
};

TEST(Staging, AChunkComesOnce) {
    Behind file{std::vector<std::byte>(3 << 20, std::byte{4}), {}};
    Stager stager(8 << 20, 1 << 30, [&](Offset o, std::uint64_t n, Answered a) { file.ask(o, n, std::move(a)); });
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
    Stager stager(8 << 20, 1 << 30, [&](Offset o, std::uint64_t n, Answered a) { file.ask(o, n, std::move(a)); });
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

TEST(Staging, EverybodyReadsWhatTheyWrote) {
    Random random;
    for (int round = 0; round < (long_tests() ? 2000 : 60); ++round) {
        constexpr Offset stripe = 64, size = 1000;
        Behind file{std::vector<std::byte>(static_cast<std::size_t>(random.between(1, size))), {}};
        std::vector<std::byte> truth = file.bytes;
        Stager stager(stripe * static_cast<std::size_t>(random.between(1, 10)), stripe,
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
