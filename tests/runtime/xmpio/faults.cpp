// Files and checkpoints where the file system fails: call by call (the injector of tests/faults, where it is preloaded; the
// engine faulty), on a small disk and in a directory that is only read (faults.py), and where processes are killed (killed.py).
#include <filesystem>

#include "placed.hpp"
#include "sweep.hpp"

using namespace layout;

namespace {

// What a job does with one file. Every collective call returns the same on all nodes.
class Work {
public:
    explicit Work(Random& random) : pair_(random) {}

    // Whether some call told a failure. If none did, the file and what was read of it are right.
    bool fails(const std::string& path) {
        told_ = false;
        xmp_file_t* const handle = xmp_fopen_all(path.c_str(), "w+");
        EXPECT_TRUE(same_everywhere(handle == nullptr ? 1 : 0));
        if (handle == nullptr) return true;
        pair_.fill();
        for (const xmp_desc_t array : pair_.descriptors()) check(xmp_fwrite_darray_all(handle, array, nullptr));
        check(xmp_file_sync_all(handle));
        pair_.blank();
        EXPECT_EQ(xmp_fseek(handle, 0, SEEK_SET), 0);
        for (const xmp_desc_t array : pair_.descriptors()) check(xmp_fread_darray_all(handle, array, nullptr));
        const int closed = xmp_fclose_all(handle);
        EXPECT_TRUE(same_everywhere(closed));
        if (closed != 0) told_ = true;
        EXPECT_TRUE(told_ || pair_.right()) << path;
        return told_;
    }

private:
    void check(ssize_t result) {  // transfers tell each node its own bytes
        EXPECT_TRUE(same_everywhere(result < 0 ? 1 : 0)) << xmp_io_error();
        if (result < 0) told_ = true;
    }
    Pair pair_;
    bool told_ = false;
};

class Faults : public testing::Test {
protected:
    void SetUp() override {
        setenv("KUMIHIMO_XMPIO_MESSAGES", "0", 1);
        if (SharedFile::first()) std::filesystem::create_directory(directory_.path);
        barrier();
    }
    void TearDown() override {
        for (const char* name : {"KUMIHIMO_XMPIO_MESSAGES", "KUMIHIMO_IO", "KUMIHIMO_FAULTY_IO"}) unsetenv(name);
        barrier();
        if (SharedFile::first()) std::filesystem::remove_all(directory_.path);
    }
    std::string file(const std::string& name) const { return directory_.path + "/" + name; }

private:
    SharedFile directory_{"faults"};
};

// All nodes are told, nobody waits, another file stays as it is, and the next attempt succeeds.
TEST_F(Faults, ACallOfTheFileSystemFails) {
    const Injector injector;
    if (injector.arm == nullptr) GTEST_SKIP() << "the injector is not preloaded";
    Random random(seed());
    Work work(random);
    EXPECT_FALSE(work.fails(file("neighbour"))) << xmp_io_error();
    const std::string before = contents_of(file("neighbour"));
    int told = 0;
    for (const char* const call : {"open", "write", "read", "sync", "close", "truncate"}) {
        sweep(injector, "path=*kumihimo-faults-*/swept,call=" + std::string(call),
              [&](auto&&) { told += work.fails(file("swept")); });
        EXPECT_FALSE(work.fails(file("swept"))) << xmp_io_error();
    }
    EXPECT_GE(told, 8);
    EXPECT_EQ(contents_of(file("neighbour")), before);
}

// The same above the file system, where it is not preloaded, too.
TEST_F(Faults, ACallOfTheEngineFails) {
    Random random(seed());
    Work work(random);
    setenv("KUMIHIMO_IO", "**=faulty", 1);
    for (const int node : {0, node_count() - 1})
        for (int k = 1;; ++k) {
            setenv("KUMIHIMO_FAULTY_IO", ("fail=" + std::to_string(k) + " rank=" + std::to_string(node)).c_str(), 1);
            if (!work.fails(file("swept"))) {
                EXPECT_GE(k, 8);
                break;
            }
            ASSERT_LT(k, 100);
        }
}

// The newest whole checkpoint is there, whichever call fails.
TEST_F(Faults, ACallFailsInACheckpoint) {
    const Injector injector;
    if (injector.arm == nullptr) GTEST_SKIP() << "the injector is not preloaded";
    Random random(seed());
    const Pair pair(random);
    const std::string name = file("c");
    int step = 0, told = 0;
    ASSERT_EQ(pair.save(name, {step, 0}), 1) << xmp_io_error();
    for (const char* const call : {"open", "write", "sync", "rename", "close"})
        sweep(injector, "path=*kumihimo-faults-*/c.*,call=" + std::string(call), [&](auto&& disarm) {
            const long long number = pair.save(name, {step + 1, 0});
            disarm();
            EXPECT_TRUE(same_everywhere(number));
            if (number > 0) ++step;
            told += number < 0;
            EXPECT_EQ(xmp_checkpoint_latest(name.c_str()) > 0, true);
            Values values{-1, -1};
            pair.blank();
            EXPECT_GT(xmp_checkpoint_restore_values(name.c_str(), 2, pair.descriptors().data(), &values, sizeof values), 0);
            EXPECT_TRUE(pair.right());
            // A failure behind the last step leaves a whole checkpoint, too.
            EXPECT_TRUE(values.step == step || (number < 0 && values.step == step + 1))
                << call << ": " << values.step << " after " << step;
            step = values.step;
        });
    EXPECT_GE(told, 8);
}

// faults.py mounts both; without it there is nothing of the kind.
class FaultsOfDisks : public Faults {
protected:
    static std::string disk(const char* name) {
        const char* const directory = std::getenv("KUMIHIMO_TEST_DISKS");
        return directory == nullptr ? "" : std::string(directory) + "/" + name;
    }
    static void expect_message(const char* part) {
        EXPECT_NE(std::string(xmp_io_error()).find(part), std::string::npos) << xmp_io_error();
        EXPECT_TRUE(same_everywhere(hash_of(xmp_io_error()))) << xmp_io_error();
    }
};

// 256 KiB. What was there before stays, and what fits is written.
TEST_F(FaultsOfDisks, AFullDisk) {
    const std::string disk = this->disk("full");
    if (disk.empty()) GTEST_SKIP() << "no small disk could be mounted";
    Random random(seed());
    const Pair pair(random);
    ASSERT_EQ(pair.save(disk + "/c", {1, 0}), 1) << xmp_io_error();
    const Shape large = {"large", {XMP_TYPE_DOUBLE, 8}, XMP_ROW_MAJOR, {256, 256}};
    for (int layout = 0; layout < 3; ++layout) {
        const Placed array(random, large);
        const xmp_desc_t arrays[] = {array.array};
        xmp_file_t* const handle = xmp_fopen_all((disk + "/x").c_str(), "w");
        ASSERT_NE(handle, nullptr) << xmp_io_error();
        EXPECT_EQ(xmp_fwrite_darray_all(handle, array.array, nullptr), -1);
        expect_message("No space left on device");
        EXPECT_EQ(xmp_fclose_all(handle), 0) << xmp_io_error();
        barrier();
        if (SharedFile::first()) std::filesystem::remove(disk + "/x");
        EXPECT_EQ(xmp_checkpoint_save((disk + "/c").c_str(), 1, arrays), -1);
        expect_message("No space left on device");
        EXPECT_EQ(xmp_checkpoint_latest((disk + "/c").c_str()), 1);
    }
    pair.blank();
    EXPECT_EQ(xmp_checkpoint_restore((disk + "/c").c_str(), 2, pair.descriptors().data()), 1) << xmp_io_error();
    EXPECT_TRUE(pair.right());
    EXPECT_EQ(pair.save(disk + "/c", {2, 0}), 2) << xmp_io_error();
    barrier();
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(disk), {}), 4);  // two checkpoints, no remains
}

TEST_F(FaultsOfDisks, ADirectoryThatIsOnlyRead) {
    const std::string disk = this->disk("read");
    if (disk.empty()) GTEST_SKIP() << "no read-only directory could be mounted";
    Random random(seed());
    const Pair pair(random);
    EXPECT_EQ(xmp_fopen_all((disk + "/new").c_str(), "w"), nullptr);
    expect_message("Read-only file system");
    EXPECT_EQ(xmp_fopen_all((disk + "/old").c_str(), "r+"), nullptr);
    expect_message("Read-only file system");
    EXPECT_EQ(pair.save(disk + "/c", {1, 0}), -1);
    expect_message("Read-only file system");
    EXPECT_EQ(xmp_checkpoint_latest((disk + "/c").c_str()), 0);
    xmp_file_t* const handle = xmp_fopen_all((disk + "/old").c_str(), "r");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    char text[4] = {};
    EXPECT_EQ(xmp_fread_all(handle, text, 1, 3), 3) << xmp_io_error();
    EXPECT_STREQ(text, "old");
    EXPECT_EQ(xmp_fclose_all(handle), 0);
}

// killed.py kills it meanwhile. What it finds must be whole; then it saves as often as it is told to.
TEST(Killed, GoesOnAfterAKill) {
    const char* const name = std::getenv("KUMIHIMO_TEST_CHECKPOINT");
    if (name == nullptr) GTEST_SKIP() << "for killed.py";
    const bool speaks = SharedFile::first();
    Random random(seed());
    const Shape large = {"large", {XMP_TYPE_DOUBLE, 8}, XMP_ROW_MAJOR, {251, 509}};
    const Placed array(random, large);
    const xmp_desc_t arrays[] = {array.array};
    long long step = 0;
    const auto fill = [&] {
        array.for_each_owned([&](const std::vector<Index>& indices) {
            const auto value = static_cast<double>(array.linear(indices)) + 1e6 * static_cast<double>(step);
            std::memcpy(array.object().address(indices), &value, sizeof value);
        });
    };
    const long long latest = xmp_checkpoint_latest(name);
    ASSERT_GE(latest, 0) << xmp_io_error();
    if (latest > 0) {
        ASSERT_EQ(xmp_checkpoint_restore_values(name, 1, arrays, &step, sizeof step), latest) << xmp_io_error();
        EXPECT_GT(step, 0);
        array.for_each_owned([&](const std::vector<Index>& indices) {
            double found;
            std::memcpy(&found, array.object().address(indices), sizeof found);
            ASSERT_EQ(found, static_cast<double>(array.linear(indices)) + 1e6 * static_cast<double>(step));
        });
    }
    if (speaks) std::printf("\nrestored %lld step %lld\n", latest, step), std::fflush(stdout);
    for (int saves = std::atoi(std::getenv("KUMIHIMO_TEST_SAVES")); saves > 0; --saves) {
        ++step;
        fill();
        const long long number = xmp_checkpoint_save_values(name, 1, arrays, &step, sizeof step);
        ASSERT_GT(number, latest) << xmp_io_error();
        if (speaks) std::printf("\nsaved %lld step %lld\n", number, step), std::fflush(stdout);
    }
}

}  // namespace
