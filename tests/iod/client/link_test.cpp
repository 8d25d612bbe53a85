// What a process keeps between its files: the same agent serves the next one, if it is still there and would be started as it
// was.
#include "iod/client/link.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "iod/client/agent.hpp"
#include "iod/client/session.hpp"
#include "tests/iod/process/agent_fixture.hpp"
#include "tests/support/scratch_directory.hpp"

namespace kumihimo::iod::test {
namespace {

class Keeping : public testing::Test {
protected:
    // A file of `ranks` ranks on one node, all of which this process plays.
    struct File {
        std::string address;
        std::vector<std::unique_ptr<Session>> ranks;
    };
    File open(const std::string& name, std::uint32_t ranks) {
        std::optional<Link> kept = links_.to_any();
        Agent agent = kept ? Agent(std::move(*kept), "an agent that was kept") : Agent::start("a new agent");
        const Opened opened = agent.open(request(name, ranks));
        EXPECT_TRUE(opened.status.ok()) << opened.status.text;
        agent.attach(opened.session, {{Parent{true, {}, 0, {}}}});
        File file{opened.local_address, {}};
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            file.ranks.push_back(std::make_unique<Session>(rank == 0 ? agent.take_link() : link_to(opened, rank),
                                                           opened.session, rank, 64 << 10));
        return file;
    }
    Open request(const std::string& name, std::uint32_t ranks) const {
        Open open;
        open.path = (directory_ / name).string();
        open.mode = {true, true, true, false, false, 0644};
        open.ranks_here = ranks;
        open.children = {0};
        return open;
    }
    Link link_to(const Opened& opened, std::uint32_t rank) {
        if (auto kept = links_.to(opened.local_address)) return std::move(*kept);
        ++connected_;
        Connection connection = Connection::to(opened.local_address, "the agent");
        connection.greet("a rank", opened.rank_tokens.at(rank - 1));
        return {nullptr, std::move(connection), opened.local_address};
    }
    // One rank: a drain is of all, who would wait for each other.
    static void write_and_drain(Session& session) {
        ASSERT_TRUE(session.write(0, std::vector<std::byte>(5, std::byte{1})));
        Offset bytes = 0;
        EXPECT_TRUE(session.drain(1, Purpose::close, bytes).ok());
    }
    void close(File file) {
        for (const auto& session : file.ranks)
            if (auto link = session->leave()) links_.keep(std::move(*link));
    }
    static int process_of(const std::string& address) { return std::stoi(address.substr(address.find('-') + 1)); }

    const support::ScratchDirectory scratch_;
    const fs::path directory_ = scratch_.path();
    Links links_;
    int connected_ = 0;
};

TEST_F(Keeping, TheSameAgentServesTheNextFiles) {
    File first = open("first", 1);
    write_and_drain(*first.ranks[0]);
    const std::string address = first.address;
    close(std::move(first));
    for (const char* const name : {"second", "third"}) {
        File next = open(name, 3);
        EXPECT_EQ(next.address, address);
        close(std::move(next));
    }
    EXPECT_EQ(connected_, 2) << "and over the same connections";
    EXPECT_EQ(fs::file_size(directory_ / "first"), 5u);
    links_.clear();
    EXPECT_NE(open("fourth", 1).address, address);
}

TEST_F(Keeping, FilesAtTheSameTimeHaveConnectionsOfTheirOwn) {
    File one = open("one", 2);
    Link other = link_to({{}, 0, {}, one.address, {Token{}}, {}}, 1);  // a token that nobody made
    EXPECT_THROW(Session(std::move(other), 1, 1, 64 << 10), ConnectionLost);
    EXPECT_FALSE(links_.to(one.address));
    EXPECT_FALSE(links_.to_any());
    close(std::move(one));
    EXPECT_TRUE(links_.to_any());
}

TEST_F(Keeping, AnAgentThatHasEndedIsNotTaken) {
    File file = open("file", 2);
    const std::string address = file.address;
    close(std::move(file));
    ASSERT_EQ(kill(process_of(address), SIGKILL), 0);
    ASSERT_TRUE(gone(process_of(address)));
    EXPECT_FALSE(links_.to(address));
    EXPECT_FALSE(links_.to_any());
    EXPECT_NE(open("next", 1).address, address);
}

TEST_F(Keeping, AFileThatHasFailedLeavesNothingBehind) {
    File file = open("file", 1);
    ASSERT_EQ(kill(process_of(file.address), SIGKILL), 0);
    ASSERT_TRUE(gone(process_of(file.address)));
    Offset bytes = 0;
    EXPECT_EQ(file.ranks[0]->drain(1, Purpose::sync, bytes).code, Code::lost_process);
    EXPECT_FALSE(file.ranks[0]->leave());
}

TEST_F(Keeping, AnAgentServesOnlyWhoWouldStartItAsItIs) {
    File file = open("file", 1);
    const std::string address = file.address;
    close(std::move(file));
    const mode_t before = umask(077);
    const std::string other = open("private", 1).address;
    umask(before);
    EXPECT_NE(other, address);
    EXPECT_EQ(open("public", 1).address, address);
    struct stat status {};
    ASSERT_EQ(stat((directory_ / "private").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(Keeping, ThreadsAreNotKept) {
    const char* const before = std::getenv("KUMIHIMO_IOD");
    const std::string program = before != nullptr ? before : "";
    setenv("KUMIHIMO_IOD", "thread", 1);
    File file = open("file", 1);
    setenv("KUMIHIMO_IOD", program.c_str(), 1);
    write_and_drain(*file.ranks[0]);
    close(std::move(file));
    EXPECT_FALSE(links_.to_any());
}

// ---- long pieces, which a rank writes itself ----

class PastIt : public Keeping {
protected:
    static constexpr std::size_t bytes = 1000;
    File open_past(const std::string& name) {
        File file = open(name, 1);
        file.ranks[0]->let_by(std::make_unique<Bypass>((directory_ / name).string(), bytes, true));
        return file;
    }
    static bool write(Session& session, Offset offset) { return session.write(offset, std::vector<std::byte>(bytes)); }
    static double past(const Session& session) {
        const Counters counters = session.own_counters();
        return counters.empty() ? 0 : counters[0].second;
    }
    bool marked() const {
        return std::ranges::any_of(fs::directory_iterator(directory_), [](const auto& entry) {
            return entry.path().filename().string().find("kumihimo-incomplete") != std::string::npos;
        });
    }
};

TEST_F(PastIt, TheFileIsMarkedUntilItIsDurable) {
    const File file = open_past("file");
    Session& rank = *file.ranks[0];
    Offset ignored = 0;
    for (std::uint64_t epoch = 1; epoch <= 2; ++epoch) {
        ASSERT_TRUE(write(rank, 0)) << rank.status().text;
        EXPECT_EQ(past(rank), static_cast<double>(epoch));
        EXPECT_EQ(fs::file_size(directory_ / "file"), bytes) << "at once";
        EXPECT_TRUE(marked());
        EXPECT_TRUE(rank.drain(epoch, Purpose::sync, ignored).ok());
        EXPECT_FALSE(marked());
    }
}

TEST_F(PastIt, NobodyWritesToAFileWhoseProcessIsGone) {
    const File file = open_past("file");
    ASSERT_TRUE(write(*file.ranks[0], 0));
    ASSERT_EQ(kill(process_of(file.address), SIGKILL), 0);
    ASSERT_TRUE(gone(process_of(file.address)));
    EXPECT_FALSE(write(*file.ranks[0], 5000));
    EXPECT_EQ(file.ranks[0]->status().code, Code::lost_process);
    EXPECT_EQ(fs::file_size(directory_ / "file"), bytes);
}

TEST_F(PastIt, AnotherFileThatHasTheNameByNowIsLeftAlone) {
    const File file = open_past("file");
    fs::rename(directory_ / "file", directory_ / "before");
    std::ofstream(directory_ / "file") << "other";
    EXPECT_TRUE(write(*file.ranks[0], 0));
    Offset ignored = 0;
    EXPECT_TRUE(file.ranks[0]->drain(1, Purpose::sync, ignored).ok());
    EXPECT_EQ(fs::file_size(directory_ / "file"), 5u);
    EXPECT_EQ(fs::file_size(directory_ / "before"), bytes);
}

}  // namespace
}  // namespace kumihimo::iod::test
