// A rank whose file is served by a foe: whatever is answered, each call returns with a status, and what it gave is no more than
// what was asked for. 3,000 conversations; 300,000 in the long form. KUMIHIMO_TEST_SEED repeats a run.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "iod/client/remote.hpp"
#include "tests/iod/protocol/mutation.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::iod::test {
namespace {

constexpr std::size_t asked_bytes = 300;

FrameHeader answer_to(Type type, std::uint64_t request) {
    return {type, flag_answer, 0, 0, request, 0};
}

Payload data(std::size_t bytes) {
    Payload payload = encode_data_head({});
    payload.resize(payload.size() + bytes, std::byte{7});
    return payload;
}

// What an honest side answers, in the order of converse().
std::vector<Sent> honest_answers() {
    FileFacts facts;
    facts.name = "data";
    return {{{.type = Type::welcome}, encode(Welcome{newest_version, 3, largest_frame, "a foe"})},
            {answer_to(Type::file_open, 1), encode(FileOpened{{}, 5, 77})},
            {answer_to(Type::file_write, 2), encode(Status{})},
            {answer_to(Type::file_read, 3), data(asked_bytes)},
            {answer_to(Type::file_call, 4), encode(Result{{}, 40})},
            {answer_to(Type::file_list, 5), encode(Listed{{}, {facts}, false})},
            {answer_to(Type::file_look, 6), encode(Looked{{}, facts, 9})},
            {answer_to(Type::file_about, 7), encode(About{{}, "1.0", "/", "/root", false})},
            {answer_to(Type::file_call, 8), encode(Result{{}, 0})}};
}

// How many calls went well.
int converse(const Payload& answers) {
    int sockets[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    const base::Descriptor foe(sockets[1]);
    EXPECT_EQ(::send(foe.get(), answers.data(), answers.size(), MSG_NOSIGNAL), static_cast<ssize_t>(answers.size()));
    ::shutdown(foe.get(), SHUT_WR);
    Connection connection(base::Descriptor(sockets[0]), "a foe");
    connection.greet("a test");
    Remote remote(Link{nullptr, std::move(connection)}, 1 << 20);
    int well = 0;
    const auto count = [&](const Status& status) { well += status.ok() ? 1 : 0; };
    count(remote.open({"data", {true, true, true, false, false, 0600}, {}, true}));
    const std::vector<std::byte> bytes(100);
    count(remote.write({{{0, 100, {}}}}, bytes));
    Remote::Reading reading;
    if (const Status begun = remote.begin_read({{{0, asked_bytes, {}}}}, reading); begun.ok()) {
        Payload holder;
        std::span<const std::byte> got;
        count(remote.end_read(reading, holder, got));
        EXPECT_LE(got.size(), asked_bytes);
        const auto in_holder = [&](const std::byte* at) { return at >= holder.data() && at <= holder.data() + holder.size(); };
        EXPECT_TRUE(got.empty() || (in_holder(got.data()) && in_holder(got.data() + got.size())));
    }
    std::int64_t size = 0;
    count(remote.call(FileFunction::size, 0, size));
    const Listed listed = remote.list({"/", ""});
    count(listed.status);
    EXPECT_LE(listed.entries.size(), 4096u);
    count(remote.look({"data"}).status);
    count(remote.about().status);
    count(remote.finish());
    count(remote.close());
    remote.leave();
    return well;
}

TEST(Foes, OfRanksAreSurvived) {
    ASSERT_EQ(converse(bytes_of(honest_answers())), 9) << "what is changed below was right";
    support::Random random;
    int all_well = 0;
    const int rounds = support::long_form() ? 300'000 : 3'000;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Sent> answers = honest_answers();
        for (std::int64_t changes = random.between(1, 3); changes > 0; --changes) mutate(random, answers);
        Payload bytes = bytes_of(answers);
        if (random.one_of(4)) bytes.resize(below(random, bytes.size() + 1));
        if (random.one_of(4) && !bytes.empty())
            bytes[below(random, bytes.size())] = static_cast<std::byte>(random.between(0, 255));
        all_well += converse(bytes) == 9 ? 1 : 0;
    }
    EXPECT_LT(all_well, rounds) << "what was changed was noticed";
}

}  // namespace
}  // namespace kumihimo::iod::test
