// Connections that share an ssh login: where ssh's own configuration leaves that to us.
#include "iod/link/logins.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/support/scratch_directory.hpp"

namespace kumihimo::iod::link {
namespace {

class Logins : public testing::Test {
protected:
    // What `ssh -G` prints; and where it was asked for something else, nothing.
    std::vector<std::string> command(const std::string& name, const std::string& configuration) {
        const std::string path = (scratch_ / name).string();
        std::ofstream(path) << "#!/bin/sh\nfor word; do [ \"$word\" != kumihimo-iod ] || exit 1; done\n"
                               "for word; do [ \"$word\" != -G ] || printf '"
                            << configuration << "'; done\n";
        ::chmod(path.c_str(), 0700);
        return {path, "-T", "--", "alice@centre", "kumihimo-iod", "--stdio"};
    }
    support::ScratchDirectory scratch_;
};

TEST_F(Logins, AreSharedWhereTheConfigurationDoesNotSayHow) {
    EXPECT_EQ(logins_of_job(command("plain", "hostname centre\\nport 22\\n")).size(), 16U);
    EXPECT_EQ(logins_of_job(command("none", "hostname centre\\ncontrolpath none\\n")).size(), 16U);
    EXPECT_EQ(logins_of_job(command("own", "hostname centre\\ncontrolpath /home/alice/.ssh/x\\n")), "");
    EXPECT_EQ(logins_of_job(command("no_ssh", "")), "");
    EXPECT_EQ(logins_of_job({"/does/not/exist", "--", "centre"}), "");
    EXPECT_EQ(logins_of_job({"kumihimo-iod", "--stdio"}), "") << "a command without a machine";
}

TEST_F(Logins, TakeEightConnectionsOfAWayEach) {
    std::set<std::string> paths;
    for (std::size_t way = 0; way < 2; ++way)
        for (std::size_t connection = 0; connection < 17; ++connection) {
            std::vector<std::string> words = {"ssh", "--", "centre", "kumihimo-iod"};
            share_login(words, "0123456789abcdef", way, connection);
            ASSERT_EQ(words.size(), 7U);
            EXPECT_EQ(words[4], "--") << "options come before the machine";
            const std::string& path = words[3];
            ASSERT_TRUE(path.starts_with("-oControlPath=/")) << path;
            EXPECT_LE(path.size() - path.find('/') + 38 + 17, 107U) << "with 40 digits for %C, and ssh's own ending";
            paths.insert(path);
        }
    EXPECT_EQ(paths.size(), 6U);
    std::vector<std::string> alone = {"ssh", "--", "centre"};
    share_login(alone, "", 0, 0);
    EXPECT_EQ(alone.size(), 3U);
}

}  // namespace
}  // namespace kumihimo::iod::link
