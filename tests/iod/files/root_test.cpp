// Names that try to leave the root, and links that are exchanged while they are looked up: nothing outside is opened, made or
// removed.
#include "iod/files/root.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "tests/support/scratch_directory.hpp"

namespace kumihimo::iod::process {
namespace {

namespace fs = std::filesystem;

class Roots : public testing::Test {
protected:
    Roots() {
        fs::create_directories(place_ / "root/inside/deep");
        std::ofstream(place_ / "outside") << "secret";
        std::ofstream(place_ / "root/file") << "open";
        fs::create_symlink(place_ / "outside", place_ / "root/to_outside");
        fs::create_symlink("../outside", place_ / "root/up");
        fs::create_symlink("/", place_ / "root/everything");
        fs::create_symlink("../..", place_ / "root/inside/above");
        fs::create_symlink("file", place_ / "root/to_file");
    }
    Root root(Rights rights = {}) const { return Root((place_ / "root").string(), rights); }
    std::string outside() const { return (place_ / "outside").string(); }
    void expect_untouched() const {
        std::ifstream stream(place_ / "outside");
        EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "secret");
        EXPECT_EQ(std::distance(fs::directory_iterator(place_), {}), 2);
    }
    const support::ScratchDirectory directory_;
    const fs::path place_ = directory_.path();
};

bool opens(const Root& root, const std::string& name, int flags = O_RDONLY) {
    return static_cast<bool>(base::Descriptor(root.open(name, flags, 0600)));
}

// Ways up, in many spellings, in front of, inside and behind what is there.
std::vector<std::string> escapes(const std::string& outside) {
    const std::vector<std::string> ups = {"..",           "../..",        "./..",       "inside/..//..", "inside/deep/../../..",
                                          "inside/../..", "inside/above", "everything", "everything/..", "inside/above/..",
                                          "file/..",      "missing/.."};
    const std::vector<std::string> ends = {"/outside", "//outside",   "/./outside", outside,
                                           "/new",     "/../outside", "",           "/etc/passwd"};
    std::vector<std::string> all = {"to_outside",
                                    "up",
                                    "/up",
                                    "//up",
                                    "./up",
                                    "to_outside/",
                                    "everything" + outside,
                                    "",
                                    "/",
                                    "//",
                                    std::string("file\0x", 6),
                                    std::string("to_outside\0", 11),
                                    std::string(5000, 'x'),
                                    std::string(3000, '/') + "../outside"};
    for (const std::string front : {"", "/", "./"})
        for (const std::string& up : ups)
            for (const std::string& end : ends) all.push_back(front + up + end);
    return all;
}

TEST_F(Roots, AreNotLeftByAnyName) {
    const Root here = root();
    const auto names = escapes(outside());
    EXPECT_GE(names.size(), 200u);
    struct stat secret {};
    ASSERT_EQ(::stat(outside().c_str(), &secret), 0);
    for (const std::string& name : names) {
        for (const int flags : {O_RDONLY, O_RDWR, O_WRONLY | O_CREAT | O_TRUNC, O_RDWR | O_CREAT | O_EXCL}) {
            const base::Descriptor opened(here.open(name, flags, 0600));
            if (!opened) continue;
            struct stat found {};  // a directory of the root, perhaps
            ASSERT_EQ(::fstat(opened.get(), &found), 0);
            EXPECT_TRUE(S_ISDIR(found.st_mode) && found.st_ino != secret.st_ino) << name;
        }
        EXPECT_EQ(here.remove(name + "/outside"), -1) << name;
    }
    EXPECT_EQ(here.remove("up/../../outside"), -1);
    expect_untouched();
}

TEST_F(Roots, SayWhyANameIsRefused) {
    const Root here = root(), whole("/");
    ASSERT_FALSE(opens(here, "up"));
    EXPECT_EQ(here.failure("open", "up", errno).text, "cannot open 'up' on the other machine: it leads out of the root");
    ASSERT_FALSE(opens(whole, "/tmp/../tmp/x"));
    EXPECT_EQ(whole.failure("open", "x", errno).text, "cannot open 'x' on the other machine: '..' is not allowed here");
    ASSERT_FALSE(opens(here, "missing"));
    EXPECT_EQ(here.failure("open", "x", errno).code, Code::no_such_file);
}

TEST_F(Roots, OpenWhatIsInside) {
    const Root here = root();
    for (const char* const name : {"file", "/file", "//file", "./file", "to_file", "inside/./deep/../../file"})
        EXPECT_EQ(opens(here, name), std::string(name).find("..") == std::string::npos) << name;
    EXPECT_TRUE(opens(here, "inside/new", O_RDWR | O_CREAT));
    EXPECT_EQ(here.remove("inside/new"), 0);
    EXPECT_EQ(here.remove("up"), 0) << "the link itself";
    expect_untouched();
}

TEST_F(Roots, OnlyForReadingChangeNothing) {
    const Root here = root({true, false, false, false});
    EXPECT_TRUE(opens(here, "file"));
    for (const int flags : {O_RDWR, O_WRONLY, O_RDONLY | O_CREAT, O_RDONLY | O_TRUNC}) {
        EXPECT_FALSE(opens(here, "file", flags));
        EXPECT_EQ(errno, EROFS);
    }
    EXPECT_EQ(here.remove("file"), -1);
    EXPECT_TRUE(fs::exists(place_ / "root/file"));
}

// Of each right alone: what it allows, and nothing else.
TEST_F(Roots, AllowWhatTheRightsSay) {
    const auto may = [&](Rights rights) {
        const Root here = root(rights);
        std::ofstream(place_ / "root/old") << "old";
        struct stat status {};
        struct statvfs space {};
        std::vector<Root::Entry> entries;
        std::string all;
        const auto told = [&](char letter, bool can) { all += can ? letter : (errno == EACCES || errno == EROFS ? '-' : '?'); };
        told('r', opens(here, "file"));
        told('l', here.look("file", status, space) == 0);
        told('L', here.list("/", entries) == 0);
        told('w', opens(here, "file", O_WRONLY));
        told('c', opens(here, "new", O_WRONLY | O_CREAT | O_EXCL));
        told('m', here.rename("old", "older") == 0);
        told('d', here.remove(fs::exists(place_ / "root/older") ? "older" : "old") == 0);
        for (const char* const name : {"root/new", "root/old", "root/older"}) fs::remove(place_ / name);
        return all;
    };
    EXPECT_EQ(may({}), "rlLwcmd");
    EXPECT_EQ(may({true, false, false, false}), "rlL----");
    EXPECT_EQ(may({false, true, false, false}), "---w---");
    EXPECT_EQ(may({false, true, true, false}), "---wc--");
    EXPECT_EQ(may({false, false, false, true}), "------d");
    EXPECT_EQ(may({true, true, true, false}), "rlLwc--");
}

TEST_F(Roots, OfEverythingFollowLinksAnywhere) {
    EXPECT_TRUE(opens(Root("/"), (place_ / "root/to_outside").string()));
}

// A FIFO has nobody at its other end: no open may wait for him.
TEST_F(Roots, DoNotWaitForWhoWillNotCome) {
    ASSERT_EQ(::mkfifo((place_ / "root/fifo").c_str(), 0600), 0);
    EXPECT_FALSE(opens(root(), "fifo", O_WRONLY));
}

// While a directory is a directory at one moment and a link that leads out at the next.
TEST_F(Roots, AreNotLeftWhileLinksAreExchanged) {
    const Root here = root();
    std::ofstream(place_ / "root/inside/outside") << "open";
    fs::create_symlink("..", place_ / "root/link");
    std::atomic<bool> ends{false};
    std::thread exchanges([&] {
        while (!ends)
            ::renameat2(AT_FDCWD, (place_ / "root/inside").c_str(), AT_FDCWD, (place_ / "root/link").c_str(), RENAME_EXCHANGE);
    });
    struct stat secret {};
    ASSERT_EQ(::stat(outside().c_str(), &secret), 0);
    int opened = 0;
    for (int i = 0; i < 20000; ++i) {
        const base::Descriptor found(here.open("inside/outside", O_RDWR, 0600));
        if (!found) continue;
        ++opened;
        struct stat status {};
        ASSERT_EQ(::fstat(found.get(), &status), 0);
        ASSERT_NE(status.st_ino, secret.st_ino);
    }
    ends = true;
    exchanges.join();
    EXPECT_GT(opened, 0);
    expect_untouched();
}

}  // namespace
}  // namespace kumihimo::iod::process
