// Checkpoints where the file system fails, call by call (the injector of tests/faults, where it is preloaded), and where
// processes are killed (killed.py, which starts this program again and again).
#include <dlfcn.h>

#include <filesystem>

#include "placed.hpp"

using namespace layout;

namespace {

struct Injector {
    int (*arm)(const char*) = reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_DEFAULT, "kumihimo_faults_arm"));
    long (*injected)() = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "kumihimo_faults_injected"));
};

// Each call of each kind fails once, on the first and on the last node: all nodes are told, the newest whole checkpoint is
// there.
TEST(CheckpointFaults, ACallOfTheFileSystemFails) {
    const Injector injector;
    if (injector.arm == nullptr) GTEST_SKIP() << "the injector is not preloaded";
    setenv("KUMIHIMO_XMPIO_MESSAGES", "0", 1);
    Random random(seed());
    const Pair pair(random);
    SharedFile directory("faults");
    if (SharedFile::first()) std::filesystem::create_directory(directory.path);
    barrier();
    const std::string name = directory.path + "/c";
    int step = 0, told = 0;
    ASSERT_EQ(pair.save(name, {step, 0}), 1) << xmp_io_error();
    // MPI libraries wait for ever where their own open fails on one node.
    for (const char* const calls :
         {"path=*kumihimo-faults-*/c.*,call=write", "path=*kumihimo-faults-*/c.*,call=sync",
          "path=*kumihimo-faults-*/c.*,call=rename", "path=*.json*,call=open", "path=*.json*,call=close"})
        for (const int rank : {0, node_count() - 1})
            for (int k = 1;; ++k) {
                injector.arm(
                    (std::string(calls) + ",rank=" + std::to_string(rank) + ",error=EIO,k=" + std::to_string(k)).c_str());
                const long long number = pair.save(name, {step + 1, 0});
                const bool failed = injector.injected() > 0;
                injector.arm("");
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
                    << calls << " " << k << ": " << values.step << " after " << step;
                step = values.step;
                int anywhere = failed, all = 0;
                MPI_Allreduce(&anywhere, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
                if (all == 0) break;
                ASSERT_LT(k, 100);
            }
    EXPECT_GE(told, 8);
    unsetenv("KUMIHIMO_XMPIO_MESSAGES");
    barrier();
    if (SharedFile::first()) std::filesystem::remove_all(directory.path);
}

// killed.py kills it meanwhile. What it finds must be whole; then it saves as often as it is told to.
TEST(CheckpointFaults, GoesOnAfterAKill) {
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
