// What fails on one node fails on all: nobody waits, all get the same code and the same message.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "layout.hpp"

using namespace layout;

namespace {

class Failure : public testing::Test {
protected:
    void SetUp() override { setenv("KUMIHIMO_XMPIO_MESSAGES", "0", 1); }
    void TearDown() override { unsetenv("KUMIHIMO_XMPIO_MESSAGES"); }
    // 1000 ints on all nodes; block, or cyclic so that everybody needs everybody.
    void declare_ints(Global& global, bool cyclic, Index extent = 1000) {
        const Index sizes[] = {node_count()};
        const XMP_Bounds bounds[] = {{0, extent - 1}};
        const XMP_Format formats[] = {{cyclic ? XMP_CYCLIC : XMP_BLOCK, 0, 0, nullptr}};
        const XMP_Align align[] = {{0, 0}};
        global.nodes = XMP_Nodes_declare(site(), "p", XMP_ROW_MAJOR, 1, sizes, XMP_NODES_ENTIRE, nullptr);
        global.target = XMP_Template_declare(site(), "t", XMP_ROW_MAJOR, 1, bounds);
        XMP_Distribute(site(), global.target, global.nodes, formats);
        global.array =
            XMP_Array_declare(site(), "ints", XMP_ROW_MAJOR, XMP_TYPE_INT, 4, 1, bounds, global.target, align, nullptr);
    }
    static void expect_message(const std::string& part) {
        EXPECT_NE(std::string(xmp_io_error()).find(part), std::string::npos) << xmp_io_error();
        EXPECT_TRUE(same_everywhere(hash_of(xmp_io_error()))) << xmp_io_error();
    }
};

TEST_F(Failure, MissingFile) {
    EXPECT_EQ(xmp_fopen_all("/nowhere/at/all", "r"), nullptr);
    expect_message("'/nowhere/at/all': No such file or directory");
    EXPECT_EQ(xmp_fopen_all("/nowhere/at/all", "w"), nullptr);
    expect_message("cannot open '/nowhere/at/all'");
    EXPECT_EQ(xmp_fopen_all("/tmp", "r+"), nullptr);
    expect_message("Is a directory");
    EXPECT_EQ(xmp_fopen_all("x", "rw"), nullptr);
    expect_message("unknown mode \"rw\"");
}

// The last node works in another directory, where the file does not exist.
TEST_F(Failure, MissingOnOneNodeOnly) {
    if (node_count() == 1) GTEST_SKIP() << "needs two nodes";
    SharedFile file("one");
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    char directory[4096];
    ASSERT_NE(getcwd(directory, sizeof directory), nullptr);
    if (SharedFile::first()) std::fclose(std::fopen(file.path.c_str(), "w"));
    barrier();
    ASSERT_EQ(chdir(node_number() == node_count() - 1 ? "/" : file.path.substr(0, file.path.rfind('/')).c_str()), 0);
    EXPECT_EQ(xmp_fopen_all(name.c_str(), "r"), nullptr);
    expect_message("node " + std::to_string(node_count() - 1) + ": ");
    ASSERT_EQ(chdir(directory), 0);
}

TEST_F(Failure, ShortFileAndEndOfFile) {
    for (const bool cyclic : {false, true}) {
        for (const Index bytes : {Index{0}, Index{3999}, Index{1}}) {
            SharedFile file("short");
            if (SharedFile::first()) {
                FILE* const out = std::fopen(file.path.c_str(), "wb");
                for (Index i = 0; i < bytes; ++i) std::fputc(1, out);
                std::fclose(out);
            }
            barrier();
            Global global;
            declare_ints(global, cyclic);
            xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), "r");
            ASSERT_NE(handle, nullptr) << xmp_io_error();
            EXPECT_EQ(xmp_fread_darray_all(handle, global.array, nullptr), bytes == 0 ? 0 : -1);
            if (bytes > 0)
                expect_message("is too short: 4000 bytes of array 'ints' were asked for at byte 0, the file has " +
                               std::to_string(bytes));
            EXPECT_EQ(xmp_ftell(handle), 0);
            EXPECT_EQ(xmp_fclose_all(handle), 0);
        }
    }
}

TEST_F(Failure, FullDisk) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
    for (const bool cyclic : {false, true}) {
        Global global;
        declare_ints(global, cyclic);
        xmp_file_t* const handle = xmp_fopen_all("/dev/full", "w");
        ASSERT_NE(handle, nullptr) << xmp_io_error();
        EXPECT_EQ(xmp_fwrite_darray_all(handle, global.array, nullptr), -1);
        expect_message("No space left on device");
        EXPECT_EQ(xmp_fclose_all(handle), 0);
    }
    setenv("KUMIHIMO_XMPIO_HINTS", "kumihimo_write_behind=1M", 1);  // put off, so closing tells
    Global global;
    declare_ints(global, true);
    xmp_file_t* const handle = xmp_fopen_all("/dev/full", "w");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    EXPECT_GE(xmp_fwrite_darray_all(handle, global.array, nullptr), 0);
    EXPECT_EQ(xmp_fclose_all(handle), 2);
    expect_message("No space left on device");
    unsetenv("KUMIHIMO_XMPIO_HINTS");
}

// Some nodes may not write as far as the others: 3 MiB, so that several nodes write.
TEST_F(Failure, LimitOnSomeNodesOnly) {
    std::signal(SIGXFSZ, SIG_IGN);
    for (const bool cyclic : {false, true}) {
        SharedFile file("limit");
        Global global;
        declare_ints(global, cyclic, 3 << 18);
        xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), "w");
        ASSERT_NE(handle, nullptr) << xmp_io_error();
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        // Cyclic: whichever node collects the last bytes, it is not the first unless it is alone.
        if (!cyclic ? node_number() == node_count() - 1 : node_number() > 0 || node_count() == 1) {
            rlimit small = before;
            small.rlim_cur = (3 << 20) - 1000;
            setrlimit(RLIMIT_FSIZE, &small);
        }
        const ssize_t result = xmp_fwrite_darray_all(handle, global.array, nullptr);
        setrlimit(RLIMIT_FSIZE, &before);
        EXPECT_EQ(result, -1);
        expect_message("node ");
        EXPECT_TRUE(same_everywhere(static_cast<long long>(result)));
        EXPECT_EQ(xmp_fwrite_darray_all(handle, global.array, nullptr) >= 0, true)
            << xmp_io_error();  // and goes on once there is room
        EXPECT_EQ(xmp_fclose_all(handle), 0);
    }
}

TEST_F(Failure, WrongUse) {
    SharedFile file("wrong");
    Global global;
    declare_ints(global, false);
    xmp_file_t* handle = xmp_fopen_all(file.path.c_str(), "w");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    EXPECT_EQ(xmp_fread_darray_all(handle, global.array, nullptr), -1);
    expect_message("was not opened for reading");
    EXPECT_EQ(xmp_fwrite_darray_all(handle, global.target, nullptr), -1);  // a template is no array
    xmp_range_t* range = xmp_allocate_range(2);
    EXPECT_EQ(xmp_fwrite_darray_all(handle, global.array, range), -1);
    expect_message("the range has 2 dimensions, array 'ints' has 1");
    xmp_free_range(range);
    range = xmp_allocate_range(1);
    // Only the first node's section is wrong; the others' differ from it.
    xmp_set_range(range, 1, node_number() == 0 ? 500 : 0, 600, 1);
    EXPECT_EQ(xmp_fwrite_darray_all(handle, global.array, range), -1);
    expect_message("node 0: section 500:1099:1 leaves dimension 1 of array 'ints', whose indices are 0 to 999");
    if (node_count() > 1) {
        xmp_set_range(range, 1, node_number() == 0 ? 1 : 0, 600, 1);
        EXPECT_EQ(xmp_fwrite_darray_all(handle, global.array, range), -1);
        expect_message("different arrays or sections");
        xmp_fseek(handle, node_number(), SEEK_SET);
        EXPECT_EQ(xmp_fwrite_darray_all(handle, global.array, nullptr), -1);
        expect_message("file positions differ (lowest 0, highest " + std::to_string(node_count() - 1));
    }
    xmp_set_range(range, 2, 0, 1, 1);
    EXPECT_EQ(xmp_fwrite_darray_all(handle, global.array, range), -1);
    xmp_free_range(range);
    EXPECT_EQ(xmp_fclose_all(handle), 0);
    EXPECT_EQ(xmp_fclose_all(nullptr), 1);
    EXPECT_LT(xmp_fwrite_darray_all(nullptr, global.array, nullptr), 0);
    EXPECT_EQ(xmp_allocate_range(8), nullptr);
}

}  // namespace
