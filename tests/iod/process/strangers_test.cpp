// Who connects and says nothing, and where agents can be reached at all.
#include <sys/resource.h>

#include "iod/link/interfaces.hpp"
#include "iod/process/agent.hpp"
#include "iod/protocol/limits.hpp"
#include "tests/iod/process/agent_fixture.hpp"

namespace kumihimo::iod::test {
namespace {

class Strangers : public AgentTest {
protected:
    Strangers() : started_(start_agent()), line_(started_.connection) {
        const std::string name = line_.greet().name;
        process_ = std::stoi(name.substr(name.rfind(' ')));
    }
    Opened open(bool one_machine, const std::vector<std::string>& neighbours = {}) {
        Open open;
        open.path = path_.string();
        open.mode = {true, true, true, false, false, 0644};
        open.hosts = 2;
        open.children = {1};
        open.one_machine = one_machine;
        open.neighbours = neighbours;
        return line_.call<Opened>(Type::open, 0, open);
    }
    fs::path place() const { return "/proc/" + std::to_string(process_); }
    std::size_t descriptors() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(place() / "fd"), {}));
    }
    // "10.0.0.1" or "::", hexadecimal as the kernel has them, of all TCP ports that the agent listens at.
    std::vector<std::string> listens_at() const {
        std::vector<std::string> sockets, found;
        for (const auto& entry : fs::directory_iterator(place() / "fd"))
            if (const std::string target = fs::read_symlink(entry).string(); target.starts_with("socket:["))
                sockets.push_back(target.substr(8, target.size() - 9));
        for (const char* const table : {"net/tcp", "net/tcp6"}) {
            std::ifstream file(place() / table);
            std::string line, number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
            std::getline(file, line);
            while (file >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode &&
                   std::getline(file, line))
                if (state == "0A" && std::ranges::find(sockets, inode) != sockets.end())
                    found.push_back(local.substr(0, local.find(':')));
        }
        return found;
    }

    StartedAgent started_;
    Line line_;
    int process_ = 0;
};

// More than there are descriptors for; the rightful one comes last and is served, and so is the file.
TEST_F(Strangers, SilentOnesTakeNobodysPlace) {
    const rlimit few{300, 300};
    ASSERT_EQ(prlimit(process_, RLIMIT_NOFILE, &few, nullptr), 0);
    const Opened opened = open(true);
    ASSERT_TRUE(opened.status.ok());
    ASSERT_TRUE(line_.call<Status>(Type::attach, opened.session, Attach{{Parent{true, {}, 0, {}}}}).ok());
    Rank rank(line_, opened.session, 0);
    std::vector<Line> silent;
    for (int i = 0; i < 600; ++i)
        silent.push_back(i % 2 == 0 ? Line::tcp(opened.addresses.at(0)) : Line::local(opened.local_address));
    Line child = Line::tcp(opened.addresses.at(0));
    EXPECT_NO_THROW(child.greet(opened.child_tokens.at(0).at(0)));
    EXPECT_LE(descriptors(), limit::strangers + 40);
    rank.write(0, std::vector<std::byte>(100));
    EXPECT_EQ(rank.call(Function::size).value, 100);
    EXPECT_TRUE(silent.front().closed_by_peer()) << "the oldest goes first";
}

// Strangers do not keep it: it ends with those who know it.
TEST_F(Strangers, AnAgentEndsWhoeverIsStillConnected) {
    const Opened opened = open(true);
    const Line stranger = Line::tcp(opened.addresses.at(0)), other = Line::local(opened.local_address);
    line_.close();
    EXPECT_TRUE(gone(process_));
}

TEST_F(Strangers, OneMachineIsReachedByItsLoopbackOnly) {
    EXPECT_TRUE(open(true).addresses.at(0).starts_with("127.0.0.1:"));
    EXPECT_EQ(listens_at(), std::vector<std::string>{"0100007F"});
}

// 192.0.2.0/24 is nobody's (RFC 5737): the way there, if there is one, is the way to other machines.
TEST_F(Strangers, OtherMachinesReachItWhereItsRoutesGo) {
    const std::string other = "192.0.2.1";
    const auto towards = addresses_towards({other, "no address"});
    const auto own = own_addresses();
    const auto expected = !towards.empty() ? towards.size() : std::max<std::size_t>(1, own.size());
    const Opened opened = open(false, {other});
    ASSERT_TRUE(opened.status.ok()) << opened.status.text;
    EXPECT_LE(opened.addresses.size(), expected);
    ASSERT_FALSE(opened.addresses.empty());
    if (!towards.empty()) {
        EXPECT_TRUE(opened.addresses.at(0).find(towards.at(0).to_string()) != std::string::npos);
    }
    const auto listening = listens_at();
    EXPECT_EQ(listening.size(), opened.addresses.size());
    for (const std::string& address : listening)
        EXPECT_NE(address.find_first_not_of('0'), std::string::npos) << "all interfaces";
}

TEST(Interfaces, NothingIsTheWayToOneself) {
    EXPECT_TRUE(addresses_towards(own_address_texts()).empty());
    EXPECT_TRUE(addresses_towards({"a.name.that.nobody.has", ""}).empty());
}

}  // namespace
}  // namespace kumihimo::iod::test
