// A rank's calls about a file, answered by a foe.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "iod/client/remote.hpp"
#include "tests/iod/protocol/mutation.hpp"

namespace kumihimo::iod::test {

constexpr std::size_t asked_bytes = 300;

inline FrameHeader answer_to(Type type, std::uint64_t request) {
    return {type, flag_answer, 0, 0, request, 0};
}

inline Payload data(std::size_t bytes) {
    Payload payload = encode_data_head({});
    payload.resize(payload.size() + bytes, std::byte{7});
    return payload;
}

// What an honest side answers, in the order of converse().
inline std::vector<Sent> honest_answers() {
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
inline int converse(const Payload& answers) {
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

}  // namespace kumihimo::iod::test
