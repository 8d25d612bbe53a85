// Whose mark it is, whether its writer lives, and who may remove it; whatever becomes of names and directories meanwhile.
#include "iod/marks/marks.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "iod/marks/marker.hpp"
#include "tests/support/scratch_directory.hpp"

namespace kumihimo::iod::marks {
namespace {

namespace fs = std::filesystem;
using State = Mark::State;

Opening opening(int number) {
    Opening opened{};
    opened[0] = static_cast<std::byte>(number);
    return opened;
}

class Marks : public testing::Test {
protected:
    fs::path make(const fs::path& name) const {
        std::ofstream(directory_ / name) << "data";
        return directory_ / name;
    }
    static std::unique_ptr<Marker> write(const fs::path& file, int number = 1) {
        auto marker = std::make_unique<Marker>(0, opening(number));
        marker->lies_beside(place_of(file.string()));
        EXPECT_TRUE(marker->set().ok());
        return marker;
    }
    static void crash(const fs::path& file, int number = 1) { write(file, number).reset(); }  // the lock goes, the mark stays
    static std::vector<State> states(const fs::path& file) {
        std::vector<State> found;
        for (const Mark& mark : marks_of(place_of(file.string()))) found.push_back(mark.state);
        return found;
    }
    std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), {})); }

    const support::ScratchDirectory scratch_;
    const fs::path directory_ = scratch_.path();
    fs::path file_ = make("result");
    const std::vector<State> none{}, left{State::left}, in_use{State::in_use};
};

TEST_F(Marks, OfALivingWriterAreLockedAndOfADeadOneAreNot) {
    EXPECT_EQ(states(file_), none);
    auto first = write(file_, 1), second = write(file_, 2);
    EXPECT_EQ(states(file_), (std::vector{State::in_use, State::in_use}));
    EXPECT_TRUE(second->clear().ok());
    EXPECT_EQ(states(file_), in_use) << "of the first opening: it is not durable";
    first.reset();
    EXPECT_EQ(states(file_), left);
    const auto marks = marks_of(place_of(file_.string()));
    EXPECT_EQ(marks.at(0).writer.find("I/O process " + std::to_string(getpid()) + " on host "), 0u) << marks.at(0).writer;
    EXPECT_GT(marks.at(0).since, 0);
}

TEST_F(Marks, OfAKilledProcessAreLeft) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        const auto marker = write(file_);
        if (::write(ends[1], "x", 1) == 1) pause();
        _exit(1);
    }
    char byte;
    ASSERT_EQ(::read(ends[0], &byte, 1), 1);
    EXPECT_EQ(states(file_), in_use);
    kill(writer, SIGKILL);
    int status;
    waitpid(writer, &status, 0);
    EXPECT_EQ(states(file_), left);
    ::close(ends[0]);
    ::close(ends[1]);
}

// However often one comes and goes: who looks finds it locked, or not at all.
TEST_F(Marks, NeverSeemLeftWhileTheirWriterLives) {
    std::atomic<bool> ends{false};
    std::thread writer([&] {
        Marker marker(0, opening(1));
        marker.lies_beside(place_of(file_.string()));
        while (!ends) {
            EXPECT_TRUE(marker.set().ok());
            EXPECT_TRUE(marker.clear().ok());
        }
    });
    const Place place = place_of(file_.string());
    int seen = 0;
    for (int look = 0; look < 20'000; ++look)
        for (const Mark& mark : marks_of(place)) {
            ASSERT_FALSE(mark.says_incomplete()) << look;
            ++seen;
        }
    EXPECT_GT(seen, 0);
    ends = true;
    writer.join();
}

// Whoever tidies up: a mark that was set is there.
// Who looks takes the lock for a moment, also that of a mark that is just being made.
TEST_F(Marks, AreLockedThoughOthersLook) {
    const std::jthread looker([&](const std::stop_token& ends) {
        const Place place = place_of(file_.string());
        const MarkName being_made{stem_of(place.name), 0, place.inode, hex_of(opening(1)), false};
        const fs::path begun = directory_ / being_made.text();
        while (!ends.stop_requested())
            if (const base::Descriptor file(::open(begun.c_str(), O_RDONLY)); file) ::flock(file.get(), LOCK_SH | LOCK_NB);
    });
    for (int i = 0; i < 3000; ++i) {
        const auto marker = write(file_);
        ASSERT_EQ(states(file_), in_use) << i;
        EXPECT_TRUE(marker->clear().ok());
    }
}

TEST_F(Marks, AreNotLostToWhoTidiesUp) {
    const std::jthread tidier([&](const std::stop_token& ends) {
        const Place place = place_of(file_.string());
        while (!ends.stop_requested()) remove_all(place, marks_of(place));
    });
    Marker marker(0, opening(1));
    marker.lies_beside(place_of(file_.string()));
    for (int i = 0; i < 3000; ++i) {
        EXPECT_TRUE(marker.set().ok());
        ASSERT_TRUE(std::ranges::any_of(fs::directory_iterator(directory_), [](const auto& entry) {
            return entry.path().filename().string().find("incomplete") != std::string::npos;
        })) << i;
        EXPECT_TRUE(marker.clear().ok());
    }
}

TEST_F(Marks, LieBesideTheFileThatALinkLeadsTo) {
    fs::create_directory(directory_ / "elsewhere");
    const fs::path link = directory_ / "elsewhere" / "link", second = directory_ / "second";
    fs::create_symlink("../result", link);
    fs::create_symlink(link, second);
    for (const fs::path& written : {link, second, file_}) {
        crash(written);
        for (const fs::path& looked_at : {link, second, file_}) EXPECT_EQ(states(looked_at), left) << written << looked_at;
        const Place place = place_of(second.string());
        EXPECT_EQ(place.path(), fs::canonical(file_));
        remove_all(place, marks_of(place));
    }
}

TEST_F(Marks, FollowTheirFile) {
    crash(file_);
    fs::create_hard_link(file_, directory_ / "other");
    EXPECT_EQ(states(directory_ / "other"), left);
    fs::rename(file_, directory_ / "renamed");
    EXPECT_EQ(states(directory_ / "renamed"), left);
    make("result");
    EXPECT_EQ(states(file_), none) << "another file has the name now";
    fs::remove(directory_ / "renamed");
    fs::remove(directory_ / "other");
    EXPECT_EQ(states(file_), left) << "it may be a copy of the one that was left";
}

TEST_F(Marks, FollowTheirDirectory) {
    fs::create_directory(directory_ / "before");
    const auto marker = write(make("before/data"));
    fs::rename(directory_ / "before", directory_ / "after");
    EXPECT_EQ(states(directory_ / "after" / "data"), in_use);
    EXPECT_TRUE(marker->clear().ok());
    EXPECT_EQ(states(directory_ / "after" / "data"), none);
    EXPECT_TRUE(marker->set().ok());
    EXPECT_EQ(states(directory_ / "after" / "data"), in_use);
    fs::copy(directory_ / "after", directory_ / "copy", fs::copy_options::recursive);
    EXPECT_EQ(states(directory_ / "copy" / "data"), left) << "nobody writes the copy";
    fs::remove_all(directory_ / "after");
    EXPECT_TRUE(marker->clear().ok());
    EXPECT_TRUE(marker->set().ok()) << "nobody may create files there";
}

TEST_F(Marks, AreFoundByTheNameOfTheirFileIfTheFileIsNoMore) {
    crash(file_);
    const Place before = place_of(file_.string());
    for (int attempt = 0; attempt < 10'000; ++attempt) {
        fs::remove(file_);
        const Place now = place_of(make("same inode").string());
        if (now.inode != before.inode || now.born != before.born) break;  // a clock may be coarse
        fs::rename(directory_ / "same inode", file_);
    }
    EXPECT_EQ(states(make("result")), left);
}

// ext4 gives the number of a file that is gone to the next one.
TEST_F(Marks, AreNotOfAFileThatCameByAnOldInode) {
    crash(file_);
    const Place before = place_of(file_.string());
    if (before.born.empty()) GTEST_SKIP() << "no times of birth here";
    for (int attempt = 0; attempt < 10'000; ++attempt) {
        fs::remove(file_);
        file_ = make("other");
        const Place now = place_of(file_.string());
        if (now.inode != before.inode || now.born == before.born) continue;  // a clock may be coarse
        EXPECT_EQ(states(file_), none);
        return;
    }
    GTEST_SKIP() << "this file system does not use an inode again";
}

TEST_F(Marks, OfWritersWithoutLocksMayBeOfLivingOnes) {
    Marker marker(0, opening(1));
    marker.lies_beside(place_of(file_.string()));
    ASSERT_TRUE(marker.set().ok());
    const auto before = marks_of(place_of(file_.string()));
    ASSERT_EQ(before.size(), 1u);
    fs::remove(before[0].path);  // the same in a file system where locks fail
    std::ofstream(before[0].path) << contents(marker.place(), false);
    EXPECT_EQ(states(file_), std::vector{State::unknown});
    EXPECT_NE(whose(marks_of(place_of(file_.string())).at(0)).find("may live"), std::string::npos);
}

TEST_F(Marks, AreRemovedWithTheLastNameOfTheirFile) {
    crash(file_, 1);
    fs::create_symlink("result", directory_ / "link");
    fs::create_hard_link(file_, directory_ / "other");
    EXPECT_EQ(remove_file(directory_ / "link"), 0);
    EXPECT_EQ(states(file_), left);
    EXPECT_EQ(remove_file(file_), 0);
    EXPECT_EQ(states(directory_ / "other"), left);
    {
        const auto living = write(directory_ / "other", 2);
        EXPECT_EQ(remove_file(directory_ / "other"), 0);
        EXPECT_EQ(entries(), 1u) << "the mark of a living writer is its own";
        EXPECT_TRUE(living->clear().ok());
    }
    EXPECT_EQ(entries(), 0u);
    EXPECT_EQ(remove_file(file_), ENOENT);
    EXPECT_EQ(remove_file(directory_), EISDIR);
}

TEST_F(Marks, OfAWriterThatDiedBeforeItWroteSayNothing) {
    MarkName name{"result", 0, place_of(file_.string()).inode, hex_of({}), false};
    make(name.text());
    EXPECT_EQ(states(file_), std::vector{State::begun});
    const Place place = place_of(file_.string());
    remove_all(place, marks_of(place));
    EXPECT_EQ(entries(), 2u) << "its writer may be about to write";
    fs::last_write_time(directory_ / name.text(), fs::file_time_type::clock::now() - std::chrono::minutes(2));
    remove_all(place, marks_of(place));
    EXPECT_EQ(entries(), 1u);
}

}  // namespace
}  // namespace kumihimo::iod::marks
