// A relay to a foe: whatever the other machine sends, each rank hears only answers to what it asked, once, of the kind that it
// asked for; anything else ends the connection. 100 conversations; 30,000 in the long form. KUMIHIMO_TEST_SEED repeats a run.
#include "iod/link/relay.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <set>

#include "iod/protocol/bulk.hpp"
#include "tests/iod/protocol/mutation.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::iod::test {
namespace {

using process::Arrival;
using process::Connection;

// A socket whose other end the test has.
struct Wire {
    explicit Wire(asio::io_context& loop, process::Peer& peer) {
        int sockets[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
        far_end = base::Descriptor(sockets[1]);
        connection = std::make_shared<Connection>(loop, process::Ends(base::Descriptor(sockets[0])), process::Role{}, peer);
    }
    std::shared_ptr<Connection> connection;
    base::Descriptor far_end;

    // What was sent so far.
    std::vector<Sent> heard() const {
        std::vector<Sent> all;
        HeaderBytes header;
        while (::recv(far_end.get(), header.data(), header.size(), MSG_DONTWAIT) == static_cast<ssize_t>(header.size())) {
            Sent one{decode_header(header, largest_frame), {}};
            one.payload.resize(one.header.length);
            if (!one.payload.empty()) {
                EXPECT_EQ(::recv(far_end.get(), one.payload.data(), one.payload.size(), MSG_WAITALL),
                          static_cast<ssize_t>(one.payload.size()));
            }
            all.push_back(std::move(one));
        }
        return all;
    }
};

// The agent around the relay, as far as it needs one: the other machine is there at the first call, and never again.
class Around : public process::Host, public process::Peer {
public:
    Around() : client(loop_, *this), other(loop_, *this) {
        other.connection->version = newest_version;
        Route route{{"true"}, "a foe", 1, 0, true};
        relay = std::make_shared<process::Relay>(*this, 1, std::move(route), client.connection);
        relay->begin({Type::route, 0, 0, 0, 1, 0});
    }
    ~Around() override { relay->end(); }

    asio::io_context& loop() override { return loop_; }
    std::string local_address() override { return "nowhere"; }
    std::vector<std::string> addresses(const std::vector<std::string>&, bool) override { return {}; }
    Token token(const process::Role&) override { return {}; }
    void call(base::Descriptor, const process::Greeting&, const process::Role&, Connected connected) override {
        if (!std::exchange(called_, true)) return connected(other.connection, {});
        connected(nullptr, {Code::lost_process, "nobody is there any more", ""});
    }
    void connect(const std::vector<std::string>&, const process::Greeting&, const process::Role&, Connected) override {}
    void arrived(Connection&, Arrival&&) override {}
    void ended(Connection&, const Status&) override {}

    // As the agent does: who speaks wrong loses the connection.
    void comes(Wire& from, Sent frame) try {
        if (from.connection->is_open()) relay->arrived(*from.connection, {frame.header, std::move(frame.payload), {}});
    } catch (const ProtocolError&) {
        from.connection->close();
        relay->ended(*from.connection, {Code::bad_request, "it spoke wrong", ""});
    }

private:
    asio::io_context loop_{1};
    bool called_ = false;

public:
    Wire client, other;
    std::shared_ptr<process::Relay> relay;
};

const std::vector<Sent>& questions() {
    static const std::vector<Sent> all = {
        {{Type::file_write, 0, 1, 0, 11, 0}, encode_layout_head({{{0, 0, {}}}})},
        {{Type::file_read, 0, 1, 0, 12, 0}, encode_layout_head({{{0, 9, {}}}})},
        {{Type::file_call, 0, 1, 0, 13, 0}, encode(FileCall{FileFunction::shared_add, 5})},
        {{Type::file_call, 0, 1, 0, 14, 0}, encode(FileCall{FileFunction::lock, 0})},
        {{Type::file_remove, 0, 0, 0, 15, 0}, encode(FileRemove{"other"})},
        {{Type::file_call, 0, 1, 0, 16, 0}, encode(FileCall{FileFunction::close, 0})},
    };
    return all;
}

// Of the relay's own numbers: 1 is its claim, 2 the opening, and then what was asked.
std::vector<Sent> honest_answers() {
    const auto to = [](Type type, std::uint64_t request) { return FrameHeader{type, flag_answer, 0, 0, request, 0}; };
    return {{to(Type::file_write, 3), encode(Status{})},     {to(Type::file_read, 4), encode_data_head({})},
            {to(Type::file_call, 5), encode(Result{{}, 3})}, {to(Type::file_call, 6), encode(Result{{}, 0})},
            {to(Type::file_remove, 7), encode(Status{})},    {to(Type::file_call, 8), encode(Result{{}, 0})}};
}

// How many answers the rank got.
std::size_t converse(std::vector<Sent> answers) {
    Around around;
    around.comes(around.other, {{Type::file_claim, flag_answer, 0, 0, 1, 0}, encode(Status{})});
    const FileOpen open{"data", {true, true, true, false, false, 0600}, {}, true};
    around.comes(around.client, {{Type::file_open, 0, 0, 0, 10, 0}, encode(open)});
    around.comes(around.other, {{Type::file_open, flag_answer, 0, 0, 2, 0}, encode(FileOpened{{}, 7, 99})});
    std::map<std::uint64_t, Type> asked{{1, Type::route}, {10, Type::file_open}};
    for (const Sent& question : questions()) {
        asked[question.header.request] = question.header.type;
        around.comes(around.client, question);
    }
    for (Sent& answer : answers) around.comes(around.other, std::move(answer));
    std::size_t heard = 0;
    bool refused = false;
    for (const Sent& frame : around.client.heard()) {
        EXPECT_FALSE(refused) << "nothing comes after a refusal";
        refused = frame.header.type == Type::refuse;
        if (refused) continue;
        const auto question = asked.extract(frame.header.request);
        EXPECT_TRUE(!question.empty() && question.mapped() == frame.header.type && frame.header.answer());
        ++heard;
    }
    return heard;
}

TEST(RelaysToFoes, WhoAnswersNothingLosesTheConnection) {
    for (const Type type : {Type::file_claim, Type::file_open, Type::file_write, Type::hello})
        for (const std::uint64_t request : {0, 1, 99}) {
            Around around;
            around.comes(around.other, {{Type::file_claim, flag_answer, 0, 0, 1, 0}, encode(Status{})});
            EXPECT_TRUE(around.other.connection->is_open());
            around.comes(around.other, {{type, flag_answer, 0, 0, request, 0}, encode(Status{})});
            EXPECT_FALSE(around.other.connection->is_open()) << static_cast<int>(type) << ", " << request;
        }
}

TEST(RelaysToFoes, PassOnOnlyWhatWasAsked) {
    ASSERT_EQ(converse(honest_answers()), 2 + questions().size()) << "what is changed below was right";
    support::Random random;
    for (int round = 0; round < (support::long_form() ? 30'000 : 100); ++round) {
        std::vector<Sent> answers = honest_answers();
        for (std::int64_t changes = random.between(1, 3); changes > 0; --changes) mutate(random, answers);
        EXPECT_LE(converse(std::move(answers)), 2 + questions().size());
    }
}

}  // namespace
}  // namespace kumihimo::iod::test
