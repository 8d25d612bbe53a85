// Several openings of one file at a time, and names that change meanwhile: a crash is told by a mark of the opening that it
// hit, a living writer is no crash, and what belongs to it is left alone (docs/explanation/catwalk.md, "After a crash").
#include <algorithm>

#include "iod/recover/report.hpp"
#include "iod/recover/survivors.hpp"
#include "tests/iod/process/agent_fixture.hpp"

namespace kumihimo::iod::test {
namespace {

class Handles : public AgentTest {
protected:
    std::unique_ptr<Job> open(const fs::path& path) const {
        JobOptions wanted = options();
        wanted.path = path.string();
        wanted.options.method = Method::immediate;
        return std::make_unique<Job>(wanted);
    }
    std::unique_ptr<Job> open() const { return open(path_); }
    // What is written is in the file, and not durable.
    static void write(Job& job, std::size_t bytes = 1000) {
        ASSERT_TRUE(job.status().ok()) << job.status().text;
        job.rank(0).write(0, std::vector<std::byte>(bytes, std::byte{1}));
        expect_all_ok(job.drain(Purpose::show));
    }
    static void die(std::unique_ptr<Job> job) {
        const int process = job->process(0);
        kill(process, SIGKILL);
        EXPECT_TRUE(gone(process));
    }
    recover::Survivors survivors(const fs::path& path) const { return recover::find_survivors(path.string(), {directory_}); }
    recover::Survivors survivors() const { return survivors(path_); }
    Code opening(const fs::path& path) const { return open(path)->status().code; }
};

TEST_F(Handles, AreEachIncompleteForThemselves) {
    auto first = open();
    write(*first);
    auto second = open();
    write(*second);
    expect_all_ok(second->drain(Purpose::sync));
    EXPECT_TRUE(survivors().in_use());
    die(std::move(first));
    die(std::move(second));
    EXPECT_TRUE(survivors().incomplete()) << "what the first wrote was not durable";
    EXPECT_EQ(opening(path_), Code::incomplete);
}

TEST_F(Handles, OfALivingJobAreNoCrash) {
    auto first = open(), second = open();
    write(*first);
    write(*second);
    for (int i = 0; i < 3; ++i) {
        auto another = open();
        write(*another);
        expect_all_ok(another->close());
    }
    const recover::Survivors found = survivors();
    EXPECT_TRUE(found.in_use());
    EXPECT_FALSE(found.incomplete());
    EXPECT_NE(recover::report(found).find("in use by I/O process " + std::to_string(first->process(0))), std::string::npos)
        << recover::report(found);
    recover::remove(found, false);
    EXPECT_EQ(survivors().marks.size(), 2u) << "those of living writers stay";
    die(std::move(first));
    EXPECT_EQ(opening(path_), Code::incomplete) << "though the second lives";
    recover::remove(survivors(), false);
    EXPECT_EQ(survivors().marks.size(), 1u);
    expect_all_ok(second->close());
    EXPECT_EQ(neighbours(), 0u);
    EXPECT_EQ(opening(path_), Code::ok);
}

// A journal has no mark as long as nothing has arrived at the server.
TEST_F(Handles, KeepTheirJournalsWhileTheyLive) {
    JobOptions wanted = options();
    wanted.options.method = Method::journal;
    wanted.options.sort_buffer = 2 << 20;
    wanted.options.journal_directory = directory_.string();
    auto job = std::make_unique<Job>(wanted);
    for (int i = 0; i < 2000; ++i) job->rank(0).write((i * 997 % 2000) * 4096, std::vector<std::byte>(4096, std::byte{1}));
    EXPECT_TRUE(job->rank(0).call(Function::size).status.ok());
    const recover::Survivors found = survivors();
    ASSERT_EQ(found.journals.size(), 1u);
    EXPECT_TRUE(found.in_use());
    recover::remove(found, false);
    EXPECT_EQ(survivors().journals.size(), 1u);
    fs::rename(path_, directory_ / "renamed");
    die(std::move(job));
    recover::Survivors renamed = survivors(directory_ / "renamed");
    ASSERT_EQ(renamed.journals.size(), 1u) << "known by the mark of the same opening";
    EXPECT_TRUE(renamed.replayable());
    recover::replay(renamed);
    recover::remove(renamed, true);
    EXPECT_TRUE(survivors(directory_ / "renamed").empty());
    EXPECT_GT(fs::file_size(directory_ / "renamed"), 0u);
}

// The mark is beside the file itself, whoever comes by which link.
TEST_F(Handles, OfLinksAreHandlesOfTheFile) {
    fs::create_directory(directory_ / "elsewhere");
    const fs::path link = directory_ / "elsewhere" / "link";
    std::ofstream(path_) << "";
    fs::create_symlink(path_, link);
    for (const auto& [written, opened] : {std::pair(link, path_), std::pair(path_, link)}) {
        auto job = open(written);
        write(*job);
        EXPECT_TRUE(survivors(opened).in_use());
        EXPECT_EQ(opening(opened), Code::ok);
        die(std::move(job));
        EXPECT_TRUE(survivors(opened).incomplete()) << written << " " << opened;
        EXPECT_TRUE(survivors(written).incomplete()) << written << " " << opened;
        EXPECT_EQ(opening(opened), Code::incomplete);
        EXPECT_EQ(opening(written), Code::incomplete);
        EXPECT_EQ(std::distance(fs::directory_iterator(link.parent_path()), {}), 1) << "nothing beside the link";
        recover::remove(survivors(opened), false);
        EXPECT_EQ(opening(written), Code::ok);
    }
}

TEST_F(Handles, OfFilesWithLongNamesHaveMarks) {
    for (const std::size_t length : {200u, 231u, 232u, 254u, 255u}) {
        const fs::path path = directory_ / std::string(length, 'n'),
                       neighbour = directory_ / (std::string(length - 1, 'n') + "m");
        auto job = open(path);
        write(*job);
        expect_all_ok(job->drain(Purpose::sync));
        write(*job);
        die(std::move(job));
        EXPECT_EQ(opening(path), Code::incomplete) << length;
        EXPECT_EQ(opening(neighbour), Code::ok) << length;
        EXPECT_TRUE(survivors(path).incomplete());
        recover::remove(survivors(path), false);
        job = open(path);
        write(*job);
        expect_all_ok(job->close());
    }
}

TEST_F(Handles, FollowTheirFileToItsOtherNames) {
    const fs::path other = directory_ / "other", renamed = directory_ / "renamed";
    auto job = open();
    write(*job);
    fs::create_hard_link(path_, other);
    fs::rename(path_, renamed);
    EXPECT_EQ(opening(path_), Code::ok);  // a new file
    EXPECT_TRUE(survivors(renamed).in_use());
    expect_all_ok(job->drain(Purpose::sync));
    EXPECT_TRUE(survivors(renamed).empty());
    write(*job);
    die(std::move(job));
    EXPECT_EQ(opening(path_), Code::ok);
    for (const fs::path& name : {other, renamed}) {
        EXPECT_EQ(opening(name), Code::incomplete) << name;
        EXPECT_TRUE(survivors(name).incomplete()) << name;
    }
    recover::remove(survivors(other), false);
    EXPECT_EQ(opening(renamed), Code::ok);
}

TEST_F(Handles, GoWithTheirDirectory) {
    fs::create_directory(directory_ / "before");
    auto job = open(directory_ / "before" / "data");
    write(*job);
    fs::rename(directory_ / "before", directory_ / "after");
    EXPECT_TRUE(survivors(directory_ / "after" / "data").in_use());
    expect_all_ok(job->drain(Purpose::sync));
    EXPECT_TRUE(survivors(directory_ / "after" / "data").empty());
    write(*job);
    die(std::move(job));
    EXPECT_TRUE(survivors(directory_ / "after" / "data").incomplete());
}

// A new size is no more what the last sync left.
TEST_F(Handles, ThatChangeTheSizeSaySo) {
    for (const Function function : {Function::set_size, Function::preallocate}) {
        auto job = open();
        write(*job);
        expect_all_ok(job->drain(Purpose::sync));
        EXPECT_TRUE(survivors().empty());
        EXPECT_TRUE(job->rank(0).call(function, 5000).status.ok());
        EXPECT_TRUE(survivors().in_use());
        expect_all_ok(job->drain(Purpose::sync));
        EXPECT_TRUE(survivors().empty());
        expect_all_ok(job->close());
    }
}

TEST_F(Handles, DeletedOnCloseLeaveNothing) {
    auto other = open();
    write(*other);
    JobOptions wanted = options();
    wanted.mode.delete_on_close = true;
    Job job(wanted);
    write(job);
    expect_all_ok(job.close());
    EXPECT_FALSE(fs::exists(path_));
    EXPECT_EQ(neighbours(), 1u) << "of the other, which has it open";
    EXPECT_EQ(opening(path_), Code::ok);
    expect_all_ok(other->close());
    EXPECT_EQ(neighbours(), 0u);
}

}  // namespace
}  // namespace kumihimo::iod::test
