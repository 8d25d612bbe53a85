// Files come and go at one agent: one after the other over the same connections, several at a time, in any order of those who
// open and join; and when it ends.
#include "tests/iod/process/agent_fixture.hpp"

namespace kumihimo::iod::test {
namespace {

using namespace std::chrono_literals;

class Openings : public AgentTest {
protected:
    Open request(const fs::path& path, std::uint32_t ranks = 1) const {
        Open open;
        open.path = path.string();
        open.mode = {true, true, true, false, false, 0644};
        open.ranks_here = ranks;
        open.children = {0};
        return open;
    }
    static Attach alone() { return {{Parent{true, {}, 0, {}}}}; }
    static int process_of(const Welcome& welcome) { return std::stoi(welcome.name.substr(welcome.name.rfind(' '))); }

    // Writes a byte by each rank of the session, and closes it.
    static void use(std::vector<std::unique_ptr<Rank>>& ranks) {
        std::vector<std::uint64_t> drains, leaves;
        for (std::size_t i = 0; i < ranks.size(); ++i)
            ranks[i]->write(static_cast<Offset>(i), std::vector<std::byte>(1, std::byte{7}));
        for (const auto& rank : ranks) drains.push_back(rank->ask_drain(1, Purpose::close));
        for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT_TRUE(ranks[i]->drained(drains[i]).status.ok());
        for (const auto& rank : ranks) leaves.push_back(rank->ask_leave());
        for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i]->line().answer(leaves[i]);
    }
};

TEST_F(Openings, OneAgentServesOneFileAfterTheOther) {
    const StartedAgent started = start_agent();
    Line first(started.connection);
    const int process = process_of(first.greet());
    std::unique_ptr<Line> second;
    for (int file = 0; file < 20; ++file) {
        const auto opened = first.call<Opened>(Type::open, 0, request(directory_ / std::to_string(file), 2));
        ASSERT_TRUE(opened.status.ok()) << opened.status.text;
        EXPECT_TRUE(first.call<Status>(Type::attach, opened.session, alone()).ok());
        if (!second) {
            second = std::make_unique<Line>(Line::local(opened.local_address));
            second->greet(opened.rank_tokens.at(0));
        }
        std::vector<std::unique_ptr<Rank>> ranks;
        ranks.push_back(std::make_unique<Rank>(first, opened.session, 0));
        ranks.push_back(std::make_unique<Rank>(*second, opened.session, 1));
        use(ranks);
        EXPECT_EQ(fs::file_size(directory_ / std::to_string(file)), 2u);
        EXPECT_FALSE(ended(process));
    }
    first.close();
    EXPECT_FALSE(gone(process, 50ms)) << "somebody is connected";
    second->close();
    EXPECT_TRUE(gone(process));
}

TEST_F(Openings, OneAgentServesSeveralFilesAtATime) {
    const StartedAgent started = start_agent();
    Line opener(started.connection);
    opener.greet();
    std::vector<Opened> files;
    for (int file = 0; file < 5; ++file) {
        files.push_back(opener.call<Opened>(Type::open, 0, request(directory_ / std::to_string(file), 2)));
        ASSERT_TRUE(opener.call<Status>(Type::attach, files.back().session, alone()).ok());
    }
    std::vector<std::unique_ptr<Line>> lines;
    std::vector<std::vector<std::unique_ptr<Rank>>> ranks(files.size());
    for (std::size_t file = 0; file < files.size(); ++file) {
        ranks[file].push_back(std::make_unique<Rank>(opener, files[file].session, 0));
        lines.push_back(std::make_unique<Line>(Line::local(files[file].local_address)));
        lines.back()->greet(files[file].rank_tokens.at(0));
        ranks[file].push_back(std::make_unique<Rank>(*lines.back(), files[file].session, 1));
    }
    for (const std::size_t file : {2u, 0u, 4u, 1u, 3u}) {
        use(ranks[file]);
        EXPECT_EQ(fs::file_size(directory_ / std::to_string(file)), 2u);
    }
}

// Ranks that are faster than the one that opened the file wait for it.
TEST_F(Openings, WhoJoinsBeforeTheFileIsAttachedWaits) {
    const StartedAgent started = start_agent();
    Line opener(started.connection);
    opener.greet();
    const auto opened = opener.call<Opened>(Type::open, 0, request(path_, 2));
    Line early = Line::local(opened.local_address);
    early.greet(opened.rank_tokens.at(0));
    const int nothing[] = {started.connection, started.connection, started.connection};
    const std::uint64_t join = early.ask(Type::join, opened.session, encode(Join{1}), nothing);
    EXPECT_TRUE(opener.call<Status>(Type::attach, opened.session, alone()).ok());
    EXPECT_EQ(decode<Status>(early.answer(join)).text, "a ring without memory");  // a socket: it was looked at only now
    Rank rank(early, opened.session, 1);
    rank.write(3, std::vector<std::byte>(5));
    EXPECT_EQ(rank.call(Function::size).value, 8);
}

TEST_F(Openings, WhoJoinsAFileThatIsGivenUpIsTold) {
    const StartedAgent started = start_agent();
    Line opener(started.connection);
    opener.greet();
    for (const bool politely : {true, false}) {
        const auto opened = opener.call<Opened>(Type::open, 0, request(path_, 2));
        ASSERT_TRUE(opened.status.ok()) << opened.status.text;
        Line early = Line::local(opened.local_address);
        early.greet(opened.rank_tokens.at(0));
        const std::uint64_t join = early.ask(Type::join, opened.session, encode(Join{1}));
        if (politely)
            opener.ask(Type::leave, opened.session, encode(Leave{}));
        else
            opener.close();
        EXPECT_EQ(decode<Status>(early.answer(join)).code, Code::lost_process);
    }
}

// A parent that cannot be reached: all who join learn why, and the agent opens the next file.
TEST_F(Openings, WhatCannotBeAttachedIsToldToAllWhoJoin) {
    const StartedAgent started = start_agent();
    Line opener(started.connection);
    opener.greet();
    Open unreachable = request(path_, 2);
    unreachable.host = 1;
    unreachable.hosts = 2;
    const auto opened = opener.call<Opened>(Type::open, 0, unreachable);
    Line other = Line::local(opened.local_address);
    other.greet(opened.rank_tokens.at(0));
    const std::uint64_t joins = other.ask(Type::join, opened.session, encode(Join{1}));
    opener.ask(Type::attach, opened.session, encode(Attach{{Parent{false, {"127.0.0.1:1"}, 1, {}}}}));
    const std::uint64_t join = opener.ask(Type::join, opened.session, encode(Join{0}));
    for (const Status& told : {decode<Status>(other.answer(joins)), decode<Status>(opener.answer(join))}) {
        EXPECT_EQ(told.code, Code::lost_process);
        EXPECT_NE(told.text.find("127.0.0.1:1"), std::string::npos) << told.text;
    }
    EXPECT_TRUE(opener.call<Opened>(Type::open, 0, request(path_)).status.ok());
}

// A drain is of all ranks of the node, in whatever order they come.
TEST_F(Openings, ADrainWaitsForAllRanks) {
    JobOptions wanted = options();
    wanted.nodes = 2;
    wanted.ranks = 2;
    Job job(wanted);
    ASSERT_TRUE(job.status().ok()) << job.status().text;
    std::vector<std::uint64_t> requests(4);
    for (const std::size_t rank : {3u, 0u, 2u}) {
        job.rank(rank).write(static_cast<Offset>(rank), std::vector<std::byte>(1, std::byte{1}));
        requests[rank] = job.rank(rank).ask_drain(1, Purpose::show);
    }
    job.rank(1).write(1, std::vector<std::byte>(1, std::byte{1}));
    EXPECT_TRUE(job.rank(1).call(Function::size).status.ok());
    EXPECT_EQ(content().size(), 0u);
    requests[1] = job.rank(1).ask_drain(1, Purpose::show);
    for (std::size_t rank = 0; rank < 4; ++rank) EXPECT_TRUE(job.rank(rank).drained(requests[rank]).status.ok());
    EXPECT_EQ(content(), std::vector<std::byte>(4, std::byte{1}));
}

TEST_F(Openings, AThreadEndsWithItsFileWhoeverIsConnected) {
    StartedAgent started = start_agent("thread");
    ASSERT_TRUE(started.running->is_thread());
    Line opener(started.connection);
    opener.greet();
    const auto opened = opener.call<Opened>(Type::open, 0, request(path_));
    EXPECT_TRUE(opener.call<Status>(Type::attach, opened.session, alone()).ok());
    std::vector<std::unique_ptr<Rank>> ranks;
    ranks.push_back(std::make_unique<Rank>(opener, opened.session, 0));
    use(ranks);
    started.running.reset();  // waits for it
    EXPECT_TRUE(opener.closed_by_peer());
}

}  // namespace
}  // namespace kumihimo::iod::test
