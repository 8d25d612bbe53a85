// Counts and places beyond 2 and 4 GiB.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/datatype.hpp"
#include "layout.hpp"
#include "tests/support/long_form.hpp"

using namespace layout;

namespace {

constexpr Index gibi = Index{1} << 30;

void expect_type(MPI_Datatype type, MPI_Count size, MPI_Count extent) {
    MPI_Count found = 0, lower = 0, span = 0;
    MPI_Type_size_x(type, &found);
    EXPECT_EQ(found, size);
    for (const auto get_extent : {MPI_Type_get_extent_x, MPI_Type_get_true_extent_x}) {
        get_extent(type, &lower, &span);
        EXPECT_EQ(lower, 0);
        EXPECT_EQ(span, extent);
    }
}

TEST(Datatypes, HaveCountsBeyondAnInt) {
    using kumihimo::base::Datatype;
    constexpr Index many = 5 * gibi + 3;
    expect_type(Datatype::row(MPI_BYTE, 12), 12, 12);
    expect_type(Datatype::row(MPI_BYTE, many), many, many);
    expect_type(Datatype::row(MPI_DOUBLE, 3 * gibi), 24 * gibi, 24 * gibi);
    expect_type(Datatype::row(MPI_INT, 2).repeated(many, 12).committed(), 8 * many, 12 * (many - 1) + 8);
    expect_type(Datatype::row(MPI_INT, 2).repeated(2 * gibi, 12), 16 * gibi, 12 * (2 * gibi - 1) + 8);
}

// In a file that is mostly a hole.
TEST(Large, PlacesBeyondFourGiB) {
    for (const XMP_Format format : {XMP_Format XMP_FORMAT_BLOCK(0, 0), XMP_Format XMP_FORMAT_CYCLIC(0, 3)}) {
        SharedFile file("places");
        Global global;
        declare_line(global, {XMP_TYPE_INT, 4}, 1000, format);
        xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), "w+");
        ASSERT_NE(handle, nullptr) << xmp_io_error();
        const auto right = [&] {
            bool all = true;
            global.for_each_owned([&](const std::vector<Index>& indices) {
                std::byte expected[4];
                value(global.linear(indices), 4, expected);
                all = all && std::memcmp(global.object().address(indices), expected, 4) == 0;
            });
            return all;
        };
        global.fill();
        EXPECT_EQ(xmp_fseek(handle, 5 * gibi + 1, SEEK_SET), 0);
        EXPECT_GE(xmp_fwrite_darray_all(handle, global.array, nullptr), 0) << xmp_io_error();
        EXPECT_EQ(xmp_ftell(handle), 5 * gibi + 4001);
        EXPECT_EQ(xmp_file_sync_all(handle), 0);
        global.blank();
        EXPECT_EQ(xmp_fseek(handle, -4000, SEEK_CUR), 0);
        EXPECT_GE(xmp_fread_darray_all(handle, global.array, nullptr), 0) << xmp_io_error();
        EXPECT_TRUE(right());
        ASSERT_EQ(xmp_file_set_view_all(handle, 6 * gibi, global.array, nullptr), 0) << xmp_io_error();
        EXPECT_GE(xmp_fwrite_darray_all(handle, global.array, nullptr), 0) << xmp_io_error();
        EXPECT_EQ(xmp_file_sync_all(handle), 0);
        ASSERT_EQ(xmp_file_clear_view_all(handle, 6 * gibi), 0) << xmp_io_error();
        global.blank();
        EXPECT_GE(xmp_fread_darray_all(handle, global.array, nullptr), 0) << xmp_io_error();
        EXPECT_TRUE(right());
        EXPECT_EQ(xmp_fseek_shared_all(handle, 7 * gibi, SEEK_SET), 0) << xmp_io_error();
        EXPECT_EQ(xmp_fwrite_shared(handle, "12345678", 1, 8), 8) << xmp_io_error();
        barrier();
        EXPECT_EQ(xmp_ftell_shared(handle), 7 * gibi + 8 * node_count());
        EXPECT_EQ(xmp_fclose_all(handle), 0);
        EXPECT_EQ(std::filesystem::file_size(file.path), static_cast<std::uintmax_t>(7 * gibi + 8 * node_count()));
        barrier();
    }
}

// More elements on each node than an int can count; nobody touches most of them.
TEST(Large, AViewOfFourAndAHalfGiB) {
    constexpr Index extent = 9 * (gibi / 2) + 7;
    SharedFile file("large");
    Global global;
    declare_line(global, {XMP_TYPE_CHAR, 1}, extent, XMP_Format XMP_FORMAT_BLOCK(0, 0));
    const Index mine = global.mapping().owned_size(0, global.object().coordinate(0));
    const Index last = std::min(extent, (extent + node_count() - 1) / node_count() * (node_number() + 1)) - 1;
    const char sign = static_cast<char>('A' + node_number());
    xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), "w+");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    ASSERT_EQ(xmp_file_set_view_all(handle, 0, global.array, nullptr), 0) << xmp_io_error();
    EXPECT_EQ(xmp_fseek(handle, mine - 1, SEEK_SET), 0);
    EXPECT_EQ(xmp_fwrite(handle, &sign, 1, 1), 1) << xmp_io_error();
    ASSERT_EQ(xmp_file_clear_view_all(handle, 0), 0) << xmp_io_error();
    char found = 0;
    EXPECT_EQ(xmp_fseek(handle, last, SEEK_SET), 0);
    EXPECT_EQ(xmp_fread(handle, &found, 1, 1), 1) << xmp_io_error();
    EXPECT_EQ(found, sign);
    EXPECT_EQ(xmp_fclose_all(handle), 0);
    EXPECT_EQ(std::filesystem::file_size(file.path), static_cast<std::uintmax_t>(extent));
}

// Every node writes more than an int can count by one call at the shared pointer; nobody's bytes stand within another's.
TEST(Large, MoreThanTwoGiBAtTheSharedPointer) {
    if (!kumihimo::support::long_form() || node_count() != 2) GTEST_SKIP() << "a long form, on 2 nodes";
    constexpr Index bytes = 2 * gibi + 8, start = 5 * gibi;
    void* const zeros = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(zeros, MAP_FAILED);
    char* const row = static_cast<char*>(zeros);
    row[0] = row[bytes - 1] = static_cast<char>('A' + node_number());
    SharedFile file("shared");
    xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), "w+");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    EXPECT_EQ(xmp_fseek_shared_all(handle, start, SEEK_SET), 0);
    EXPECT_EQ(xmp_fwrite_shared(handle, row, 1, bytes), bytes) << xmp_io_error();
    EXPECT_EQ(xmp_file_sync_all(handle), 0);
    EXPECT_EQ(xmp_ftell_shared(handle), start + 2 * bytes);
    barrier();
    EXPECT_EQ(xmp_fseek_shared_all(handle, start, SEEK_SET), 0);
    row[0] = row[bytes - 1] = 0;
    EXPECT_EQ(xmp_fread_shared(handle, row, 1, bytes), bytes) << xmp_io_error();
    EXPECT_TRUE(row[0] == row[bytes - 1] && row[0] >= 'A' && row[0] <= 'B');
    int sum = row[0], all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all, 'A' + 'B');
    EXPECT_EQ(xmp_fclose_all(handle), 0);
    munmap(zeros, bytes);
}

TEST(Large, AnArrayOfFourAndAHalfGiB) {
    if (!kumihimo::support::long_form() || node_count() != 2) GTEST_SKIP() << "a long form, on 2 nodes";
    constexpr Index extent = 9 * (gibi / 8) + 7;
    SharedFile file("large");
    const auto each = [](const Global& global, auto&& work) {
        global.mapping().owned(0, global.object().coordinate(0)).for_each_run([&](Index first, Index length) {
            work(first, length, reinterpret_cast<unsigned*>(global.object().address({first})));
        });
    };
    {
        Global global;
        declare_line(global, {XMP_TYPE_UINT, 4}, extent, XMP_Format XMP_FORMAT_BLOCK(0, 0));
        each(global, [&](Index first, Index length, unsigned* block) {
            for (Index i = 0; i < length; ++i) block[i] = static_cast<unsigned>(first + i) * 2654435761u;
        });
        xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), "w");
        ASSERT_NE(handle, nullptr) << xmp_io_error();
        EXPECT_GT(xmp_fwrite_darray_all(handle, global.array, nullptr), Index{INT32_MAX}) << xmp_io_error();
        EXPECT_EQ(xmp_fclose_all(handle), 0);
        EXPECT_EQ(std::filesystem::file_size(file.path), static_cast<std::uintmax_t>(extent * 4));
    }
    Global global;
    declare_line(global, {XMP_TYPE_UINT, 4}, extent, XMP_Format XMP_FORMAT_CYCLIC(0, 1 << 20));
    xmp_file_t* const handle = xmp_fopen_all(file.path.c_str(), "r");
    ASSERT_NE(handle, nullptr) << xmp_io_error();
    EXPECT_GT(xmp_fread_darray_all(handle, global.array, nullptr), Index{INT32_MAX}) << xmp_io_error();
    EXPECT_EQ(xmp_fclose_all(handle), 0);
    Index wrong = 0;
    each(global, [&](Index first, Index length, const unsigned* block) {
        for (Index i = 0; i < length; ++i) wrong += block[i] != static_cast<unsigned>(first + i) * 2654435761u;
    });
    EXPECT_EQ(wrong, 0);
}

}  // namespace
