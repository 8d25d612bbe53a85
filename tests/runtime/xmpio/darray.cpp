// xmp_fwrite_darray_all and xmp_fread_darray_all on random arrays and sections, byte for byte against a serial program.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "layout.hpp"

using namespace layout;

namespace {

const std::vector<ElementType> types = {{XMP_TYPE_CHAR, 1},   {XMP_TYPE_SHORT, 2},           {XMP_TYPE_INT, 4},
                                        {XMP_TYPE_DOUBLE, 8}, {XMP_TYPE_DOUBLE_COMPLEX, 16}, {XMP_TYPE_OTHER, 12}};

std::vector<std::byte> serial_bytes(const Global& global, const std::vector<Range>& ranges) {
    std::vector<std::byte> bytes;
    const std::size_t width = global.object().element_bytes;
    for_each_in_file(global, ranges, [&](const std::vector<Index>& indices) {
        bytes.resize(bytes.size() + width);
        value(global.linear(indices), width, bytes.data() + bytes.size() - width);
    });
    return bytes;
}

std::vector<std::byte> contents(const std::string& path) {
    std::vector<std::byte> bytes;
    FILE* const file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return bytes;
    std::byte buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.insert(bytes.end(), buffer, buffer + n);
    std::fclose(file);
    return bytes;
}

Index owned_in(const Global& global, const std::vector<Range>& ranges) {
    Index count = 0;
    global.for_each_owned([&](const std::vector<Index>& indices) { count += contains(ranges, indices); });
    return count * static_cast<Index>(global.object().element_bytes);
}

// By whom the file is served.
void choose_engine(Random& random) {
    setenv("KUMIHIMO_IO", random.pick<const char*>({"", "direct", "catwalk", "mpi"}), 1);
}

class Darray : public testing::Test {
protected:
    void SetUp() override { setenv("KUMIHIMO_IOD", "thread", 1); }  // of catwalk
    void TearDown() override {
        unsetenv("KUMIHIMO_IO");
        unsetenv("KUMIHIMO_IOD");
    }
};

void write_then_compare(Random& random, const Global& global, const std::string& path, const std::string& label) {
    SectionChoice section;
    choose(random, global, section);
    const std::vector<std::byte> expected = serial_bytes(global, section.ranges);
    const auto head = static_cast<std::size_t>(random(0, 40));
    global.fill();
    xmp_file_t* const file = xmp_fopen_all(path.c_str(), "w");
    ASSERT_NE(file, nullptr) << xmp_io_error();
    ASSERT_EQ(xmp_fseek(file, static_cast<long long>(head), SEEK_SET), 0);
    EXPECT_EQ(xmp_fwrite_darray_all(file, global.array, section.rp), owned_in(global, section.ranges))
        << label << xmp_io_error();
    EXPECT_EQ(xmp_ftell(file), static_cast<long long>(head + expected.size())) << label;
    EXPECT_EQ(xmp_fwrite_darray_all(file, global.array, section.rp), owned_in(global, section.ranges))
        << label << xmp_io_error();
    ASSERT_EQ(xmp_fclose_all(file), 0);
    barrier();
    if (SharedFile::first()) {
        std::vector<std::byte> twice(expected.empty() ? 0 : head);
        for (int copy = 0; copy < 2; ++copy) twice.insert(twice.end(), expected.begin(), expected.end());
        EXPECT_EQ(contents(path), twice) << label;
    }
    barrier();
}

void read_and_compare(Random& random, const Global& global, const std::string& path, const std::string& label) {
    SectionChoice section;
    choose(random, global, section);
    const std::vector<std::byte> bytes = serial_bytes(global, section.ranges);
    if (SharedFile::first()) {
        FILE* const file = std::fopen(path.c_str(), "wb");
        std::fwrite("0123456", 1, 7, file);
        std::fwrite(bytes.data(), 1, bytes.size(), file);
        std::fclose(file);
    }
    barrier();
    global.blank();
    const auto& array = global.object();
    std::vector<std::byte> block;
    if (array.member() && array.base != nullptr) {
        const auto* const base = static_cast<std::byte*>(array.base);
        block.assign(base, base + array.allocated_bytes());
    }
    barrier();  // before anybody's data arrives
    xmp_file_t* const file = xmp_fopen_all(path.c_str(), "r");
    ASSERT_NE(file, nullptr) << xmp_io_error();
    ASSERT_EQ(xmp_fseek(file, 7, SEEK_SET), 0);
    EXPECT_EQ(xmp_fread_darray_all(file, global.array, section.rp), owned_in(global, section.ranges))
        << label << xmp_io_error();
    EXPECT_EQ(xmp_ftell(file), 7 + static_cast<long long>(bytes.size())) << label;
    EXPECT_EQ(xmp_fclose_all(file), 0);
    // What the block should be: only owned elements of the section have changed, no shadow, no gap.
    global.for_each_owned([&](const std::vector<Index>& indices) {
        if (!contains(section.ranges, indices)) return;
        value(global.linear(indices), array.element_bytes,
              block.data() + (array.address(indices) - static_cast<std::byte*>(array.base)));
    });
    if (!block.empty()) {
        EXPECT_EQ(std::memcmp(block.data(), array.base, block.size()), 0) << label;
    }
    barrier();
}

TEST_F(Darray, RandomSectionsEqualTheSerialFile) {
    SharedFile file("darray");
    for (int i = 0; i < cases(16) && !HasFatalFailure(); ++i) {
        const unsigned one = seed() + i;
        Random random(one);
        const std::string label = "KUMIHIMO_TEST_SEED=" + std::to_string(one) + " nodes " + std::to_string(node_count()) + " ";
        choose_engine(random);
        setenv("KUMIHIMO_SHM", random.chance(30) ? "off" : "auto", 1);  // messages, or copies between nodes
        Global global;
        declare(random, random.pick(types), node_count(), global);
        write_then_compare(random, global, file.path, label);
        read_and_compare(random, global, file.path, label);
        unsetenv("KUMIHIMO_SHM");
    }
}

// Every node has elements in every part of the file, which several nodes write and read.
TEST_F(Darray, LargeCyclicArrays) {
    SharedFile file("cyclic");
    for (const XMP_Format& format : {XMP_Format XMP_FORMAT_CYCLIC(0, 1), XMP_Format XMP_FORMAT_CYCLIC(0, 3)}) {
        Random random(seed());
        const Index sizes[] = {node_count()};
        const XMP_Bounds bounds[] = {{0, 299'999}};
        const XMP_Align align[] = {{0, 0}};
        Global global;
        global.nodes = XMP_Nodes_declare(site(), "p", XMP_ROW_MAJOR, 1, sizes, XMP_NODES_ENTIRE, nullptr);
        global.target = XMP_Template_declare(site(), "t", XMP_ROW_MAJOR, 1, bounds);
        XMP_Distribute(site(), global.target, global.nodes, &format);
        global.array =
            XMP_Array_declare(site(), "a", XMP_ROW_MAJOR, XMP_TYPE_DOUBLE, 8, 1, bounds, global.target, align, nullptr);
        write_then_compare(random, global, file.path, "cyclic ");
        read_and_compare(random, global, file.path, "cyclic ");
    }
}

// Sizes at which buffers fill and several nodes write.
TEST_F(Darray, LargeBlocks) {
    SharedFile file("large");
    for (int i = 0; i < cases(2) && !HasFatalFailure(); ++i) {
        Random random(seed() + 1000 + i);
        setenv("KUMIHIMO_SHM", i % 2 == 1 ? "off" : "auto", 1);
        Global global;
        declare(random, {XMP_TYPE_DOUBLE, 8}, node_count(), global, 400, 2);
        write_then_compare(random, global, file.path, "large " + std::to_string(i) + " ");
        read_and_compare(random, global, file.path, "large " + std::to_string(i) + " ");
        unsetenv("KUMIHIMO_SHM");
    }
}

void declare_block(Global& global, Index extent) {
    const Index sizes[] = {node_count()};
    const XMP_Bounds bounds[] = {{0, extent - 1}};
    const XMP_Format formats[] = {XMP_FORMAT_BLOCK(0, 0)};
    const XMP_Align align[] = {{0, 0}};
    global.nodes = XMP_Nodes_declare(site(), "p", XMP_ROW_MAJOR, 1, sizes, XMP_NODES_ENTIRE, nullptr);
    global.target = XMP_Template_declare(site(), "t", XMP_ROW_MAJOR, 1, bounds);
    XMP_Distribute(site(), global.target, global.nodes, formats);
    global.array =
        XMP_Array_declare(site(), "a", XMP_ROW_MAJOR, XMP_TYPE_INT, sizeof(int), 1, bounds, global.target, align, nullptr);
}

TEST_F(Darray, AppendingGoesToTheEnd) {
    SharedFile file("append");
    Global global;
    declare_block(global, 10);
    global.fill();
    for (const char* mode : {"w", "a", "a+"}) {
        xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), mode);
        ASSERT_NE(handle, nullptr) << xmp_io_error();
        if (std::string(mode) == "a+") {  // reads from the beginning, writes at the end
            EXPECT_EQ(xmp_ftell(handle), 0);
            global.blank();
            EXPECT_GE(xmp_fread_darray_all(handle, global.array, nullptr), 0);
            global.for_each_owned([&](const std::vector<Index>& indices) {
                std::byte expected[4];
                value(global.linear(indices), 4, expected);
                EXPECT_EQ(std::memcmp(expected, global.object().address(indices), 4), 0);
            });
        }
        if (std::string(mode) == "a") {
            EXPECT_EQ(xmp_ftell(handle), 40);
        }
        EXPECT_GE(xmp_fwrite_darray_all(handle, global.array, nullptr), 0) << xmp_io_error();
        EXPECT_EQ(xmp_fclose_all(handle), 0);
    }
    barrier();
    if (SharedFile::first()) {
        EXPECT_EQ(contents(file.path).size(), 120u);
    }
}

// What was written is read in the same file, also where writes are put off.
TEST_F(Darray, ReadsWhatItHasWritten) {
    SharedFile file("back");
    setenv("KUMIHIMO_XMPIO_HINTS", "kumihimo_write_behind=1M", 1);
    for (const char* const by : {"direct", "catwalk", "mpi"}) {
        setenv("KUMIHIMO_IO", by, 1);
        Global global;
        declare_block(global, 1000);
        global.fill();
        xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), "w+");
        ASSERT_NE(handle, nullptr) << xmp_io_error();
        EXPECT_GE(xmp_fwrite_darray_all(handle, global.array, nullptr), 0) << xmp_io_error();
        EXPECT_EQ(xmp_fseek(handle, 0, SEEK_SET), 0);
        global.blank();
        EXPECT_GE(xmp_fread_darray_all(handle, global.array, nullptr), 0) << by << xmp_io_error();
        global.for_each_owned([&](const std::vector<Index>& indices) {
            std::byte expected[4];
            value(global.linear(indices), 4, expected);
            EXPECT_EQ(std::memcmp(expected, global.object().address(indices), 4), 0) << by;
        });
        EXPECT_EQ(xmp_fclose_all(handle), 0) << xmp_io_error();
    }
    unsetenv("KUMIHIMO_XMPIO_HINTS");
}

void use_views_and_pointers() {
    SharedFile file("view");
    Global global;
    declare_block(global, 4 * node_count() + 1);  // the last node owns less, or nothing
    const Index mine = global.mapping().owned_size(0, global.object().coordinate(0));
    std::vector<int> data(mine), back(mine);
    Index next = 0;
    global.for_each_owned([&](const std::vector<Index>& indices) { data[next++] = static_cast<int>(1000 + indices[0]); });
    xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), "w+");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    ASSERT_EQ(xmp_file_set_view_all(handle, 8, global.array, nullptr), 0) << xmp_io_error();
    EXPECT_EQ(xmp_fwrite_all(handle, data.data(), sizeof(int), mine), mine * 4) << xmp_io_error();
    EXPECT_EQ(xmp_file_sync_all(handle), 0);
    EXPECT_EQ(xmp_fseek(handle, 0, SEEK_SET), 0);
    EXPECT_EQ(xmp_fread_all(handle, back.data(), sizeof(int), mine), mine * 4) << xmp_io_error();
    EXPECT_EQ(back, data);
    ASSERT_EQ(xmp_file_clear_view_all(handle, 8), 0) << xmp_io_error();
    std::vector<int> all(4 * node_count() + 1);
    EXPECT_EQ(xmp_fread_all(handle, all.data(), sizeof(int), all.size()), static_cast<ssize_t>(all.size() * 4));
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<int>(1000 + i));
    EXPECT_EQ(xmp_fread_all(handle, all.data(), sizeof(int), 1), 0);  // at the end
    // Direct: every node one number at a place of its own.
    const int number = 77 + node_number();
    EXPECT_EQ(xmp_fseek(handle, 4 * node_number(), SEEK_SET), 0);
    EXPECT_EQ(xmp_fwrite(handle, &number, sizeof number, 1), 4);
    EXPECT_EQ(xmp_ftell(handle), 4 * node_number() + 4);
    EXPECT_EQ(xmp_file_sync_all(handle), 0);
    const int neighbour = (node_number() + 1) % node_count();
    int seen = 0;
    EXPECT_EQ(xmp_fseek(handle, 4 * neighbour, SEEK_SET), 0);
    EXPECT_EQ(xmp_fread(handle, &seen, sizeof seen, 1), 4);
    EXPECT_EQ(seen, 77 + neighbour);
    EXPECT_EQ(xmp_fclose_all(handle), 0);
}

TEST_F(Darray, ViewsLocalDataAndPointers) {
    for (const char* const by : {"direct", "catwalk", "mpi"}) {
        SCOPED_TRACE(by);
        setenv("KUMIHIMO_IO", by, 1);
        use_views_and_pointers();
    }
}

// Every node adds a record at the shared pointer: all arrive whole, in some order.
void share_a_pointer() {
    SharedFile file("shared");
    xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), "w+");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    for (int i = 0; i < 3; ++i) {
        const int record[2] = {node_number(), i};
        EXPECT_EQ(xmp_fwrite_shared(handle, record, sizeof record, 1), 8) << xmp_io_error();
    }
    EXPECT_EQ(xmp_file_sync_all(handle), 0);
    EXPECT_EQ(xmp_ftell_shared(handle), 24 * node_count());
    barrier();
    EXPECT_EQ(xmp_fseek_shared_all(handle, 0, SEEK_SET), 0);
    std::vector<int> seen(3 * node_count());
    for (int i = 0; i < 3; ++i) {
        int record[2] = {-1, -1};
        EXPECT_EQ(xmp_fread_shared(handle, record, sizeof record, 1), 8) << xmp_io_error();
        ASSERT_TRUE(record[0] >= 0 && record[0] < node_count() && record[1] >= 0 && record[1] < 3);
        ++seen[3 * record[0] + record[1]];
    }
    MPI_Allreduce(MPI_IN_PLACE, seen.data(), static_cast<int>(seen.size()), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(seen, std::vector<int>(3 * node_count(), 1));
    EXPECT_EQ(xmp_fclose_all(handle), 0);
}

TEST_F(Darray, SharedPointer) {
    for (const char* const by : {"direct", "catwalk", "mpi"}) {
        SCOPED_TRACE(by);
        setenv("KUMIHIMO_IO", by, 1);
        share_a_pointer();
    }
}

}  // namespace
