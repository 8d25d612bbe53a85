// Who connects without knowing the protocol, or with bad intent: refused, and the agent goes on serving others.
#include <sys/mman.h>

#include "tests/iod/process/agent_fixture.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {
namespace {

class Hostile : public AgentTest {
protected:
    Hostile() : started_(start_agent()), line_(started_.connection) {
        line_.greet();
        Open open;
        open.path = path_.string();
        open.mode = {true, true, true, false, false, 0644};
        open.ranks_here = 3;
        open.hosts = 2;
        open.children = {1};
        open.one_machine = true;
        opened_ = line_.call<Opened>(Type::open, 0, open);
    }
    void still_serves() {
        EXPECT_TRUE(line_.call<Status>(Type::attach, opened_.session, Attach{{Parent{true, {}, 0, {}}}}).ok());
        Rank rank(line_, opened_.session, 0);
        rank.write(0, std::vector<std::byte>(100));
        EXPECT_EQ(rank.call(Function::size).value, 100);
    }

    StartedAgent started_;
    Line line_;
    Opened opened_;
};

TEST_F(Hostile, StrangersAreRefused) {
    Line nonsense = Line::local(opened_.local_address);
    nonsense.send(std::vector<std::byte>(100, std::byte{7}));
    EXPECT_TRUE(nonsense.closed_by_peer());
    Line no_token = Line::local(opened_.local_address);
    EXPECT_THROW(no_token.greet(), std::runtime_error);
    Line by_network = Line::tcp(opened_.addresses.at(0));
    EXPECT_THROW(by_network.greet(Token{std::byte{1}}), std::runtime_error);
    still_serves();
}

TEST_F(Hostile, TokensAreForOneUse) {
    Line first = Line::local(opened_.local_address);
    EXPECT_NO_THROW(first.greet(opened_.rank_tokens.at(0)));
    Line second = Line::local(opened_.local_address);
    EXPECT_THROW(second.greet(opened_.rank_tokens.at(0)), std::runtime_error);
    still_serves();
}

TEST_F(Hostile, GreetingsHaveALimit) {
    Line line = Line::local(opened_.local_address);
    line.send(encode_header({Type::hello, 0, 0, 0, 0, 0}, std::vector<std::byte>(largest_hello + 1)));
    EXPECT_TRUE(line.closed_by_peer());
    EXPECT_EQ(line.told().code, Code::bad_request);
    still_serves();
}

// One connection each, and then nothing is left of the agent that was told so.
TEST_F(Hostile, NumbersBeyondTheirLimitsEndTheConnection) {
    constexpr std::uint32_t all = 0xffff'ffff;
    Open fine;
    fine.path = path_.string();
    fine.mode = {true, true, true, false, false, 0644};
    Open ranks = fine, children = fine, servers = fine, record = fine, stripe = fine;
    ranks.ranks_here = all;
    children.hosts = all, children.children = {all};
    servers.servers = all;
    record.options.largest_record = all;
    stripe.options.stripe = ~std::uint64_t{0};
    for (const Open& open : {ranks, children, servers, record, stripe}) {
        const StartedAgent started = start_agent();
        Line line(started.connection);
        const std::string name = line.greet().name;
        line.ask(Type::open, 0, encode(open));
        EXPECT_TRUE(line.closed_by_peer());
        EXPECT_EQ(line.told().code, Code::bad_request) << line.told().text;
        line.close();
        EXPECT_TRUE(gone(std::stoi(name.substr(name.rfind(' ')))));
    }
    EXPECT_TRUE(line_.call<Status>(Type::attach, opened_.session, Attach{{Parent{true, {}, 0, {}}}}).ok());
    Line child = Line::tcp(opened_.addresses.at(0));
    child.greet(opened_.child_tokens.at(0).at(0));
    child.ask(Type::read, opened_.session, encode(Read{0, 0, std::uint64_t{1} << 62, 0, true}));
    EXPECT_TRUE(child.closed_by_peer());
    EXPECT_NE(child.told().text.find("4611686018427387904"), std::string::npos) << child.told().text;
    EXPECT_TRUE(line_.call<Opened>(Type::open, 0, fine).status.ok()) << "the file has failed, its agent has not";
}

// Who speaks about a file of others is sent away; they do not notice.
TEST_F(Hostile, FilesOfOthers) {
    EXPECT_TRUE(line_.call<Status>(Type::attach, opened_.session, Attach{{Parent{true, {}, 0, {}}}}).ok());
    Open mine;
    mine.path = path_.string() + "-mine";
    mine.mode = {true, true, true, false, false, 0644};
    const Opened own = line_.call<Opened>(Type::open, 0, mine);
    EXPECT_TRUE(line_.call<Status>(Type::attach, own.session, Attach{{Parent{true, {}, 0, {}}}}).ok());
    Rank rank(line_, own.session, 0);
    Line failing = Line::local(opened_.local_address), joining = Line::local(opened_.local_address);
    failing.greet(opened_.rank_tokens.at(0));
    failing.ask(Type::failure, own.session, encode(Status{Code::io_error, "not of this file", ""}));
    EXPECT_TRUE(failing.closed_by_peer());
    joining.greet(opened_.rank_tokens.at(1));
    EXPECT_THROW(Rank(joining, own.session, 1), std::runtime_error);
    joining.close();
    rank.write(0, std::vector<std::byte>(10));
    EXPECT_TRUE(rank.drained(rank.ask_drain(1, Purpose::close)).status.ok());
}

// After a greeting: every message type with random payloads, on connections of their own.
TEST_F(Hostile, RandomMessages) {
    support::Random random;
    for (int round = 0; round < (support::long_form() ? 3000 : 50); ++round) {
        const StartedAgent started = start_agent();
        Line line(started.connection);
        line.greet();
        Open open;
        open.path = path_.string();
        open.mode = {true, true, true, false, false, 0644};
        const Opened opened = line.call<Opened>(Type::open, 0, open);
        line.call<Status>(Type::attach, opened.session, Attach{{Parent{true, {}, 0, {}}}});
        constexpr Type types[] = {Type::hello, Type::welcome, Type::open, Type::attach, Type::join,     Type::leave,
                                  Type::drain, Type::records, Type::read, Type::call,   Type::counters, Type::failure};
        try {
            const std::unique_ptr<Rank> rank =
                random.between(0, 1) == 0 ? nullptr : std::make_unique<Rank>(line, opened.session, 0);
            for (int i = 0; i < 5; ++i)
                line.ask(types[random.between(0, std::size(types) - 1)], static_cast<std::uint32_t>(random.between(0, 2)),
                         random_bytes(random, static_cast<std::size_t>(random.between(0, 100))));
        } catch (const std::runtime_error&) {  // it closed the connection
        }
        line.close();
    }
    still_serves();
}

TEST_F(Hostile, RingsThatAreNone) {
    ASSERT_TRUE(line_.call<Status>(Type::attach, opened_.session, Attach{{Parent{true, {}, 0, {}}}}).ok());
    Line line = Line::local(opened_.local_address);
    line.greet(opened_.rank_tokens.at(0));
    const int file = memfd_create("ring", MFD_CLOEXEC);
    const int descriptors[] = {file, file, file};
    EXPECT_EQ(line.call<Status>(Type::join, opened_.session, Join{1}, descriptors).code, Code::bad_request);  // empty
    ASSERT_EQ(ftruncate(file, 1 << 20), 0);
    EXPECT_EQ(line.call<Status>(Type::join, opened_.session, Join{1}, descriptors).code, Code::bad_request);  // zeros
    EXPECT_EQ(line.call<Status>(Type::join, opened_.session, Join{1}).code, Code::bad_request);               // none
    ::close(file);
    Rank rank(line, opened_.session, 1);
    rank.write(5, std::vector<std::byte>(100));
    EXPECT_EQ(rank.call(Function::size).value, 105);
}

}  // namespace
}  // namespace kumihimo::iod::test
