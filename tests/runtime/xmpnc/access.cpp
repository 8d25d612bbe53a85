// Every form of access and every type on random arrays and sections. The oracle is one process that reads and writes the
// same file through PnetCDF's plain calls on MPI_COMM_SELF.
#include <functional>

#include "kumihimo/xmpnc.h"
#include "layout.hpp"

using namespace layout;

namespace {

using Section = int (*)(int, int, xmp_array_t, xmp_range_t*);
using Whole = int (*)(int, int, xmp_array_t);
using Placed = int (*)(int, int, const MPI_Offset*, const MPI_Offset*, xmp_array_t, xmp_range_t*);

struct Functions {
    const char* name;
    ElementType element;
    nc_type external;
    MPI_Datatype mpi;
    Section put_section, get_section, put_section_alone, get_section_alone;
    Whole put_whole, get_whole;
    Placed put_placed, get_placed;
};

#define FUNCTIONS(type, c_type, code, external, mpi)                                                                      \
    {                                                                                                                     \
#type, {code, sizeof(c_type) }, external, mpi, xmpnc_put_varas_##type##_all, xmpnc_get_varas_##type##_all,        \
                xmpnc_put_varas_##type, xmpnc_get_varas_##type, xmpnc_put_vara_##type##_all, xmpnc_get_vara_##type##_all, \
                xmpnc_put_varx_##type##_all, xmpnc_get_varx_##type##_all                                                  \
    }

const std::vector<Functions>& all_types() {
    static const std::vector<Functions> table = {
        FUNCTIONS(text, char, XMP_TYPE_CHAR, NC_CHAR, MPI_CHAR),
        FUNCTIONS(schar, signed char, XMP_TYPE_SCHAR, NC_BYTE, MPI_SIGNED_CHAR),
        FUNCTIONS(uchar, unsigned char, XMP_TYPE_UCHAR, NC_UBYTE, MPI_UNSIGNED_CHAR),
        FUNCTIONS(short, short, XMP_TYPE_SHORT, NC_SHORT, MPI_SHORT),
        FUNCTIONS(ushort, unsigned short, XMP_TYPE_USHORT, NC_USHORT, MPI_UNSIGNED_SHORT),
        FUNCTIONS(int, int, XMP_TYPE_INT, NC_INT, MPI_INT),
        FUNCTIONS(uint, unsigned, XMP_TYPE_UINT, NC_UINT, MPI_UNSIGNED),
        FUNCTIONS(long, long, XMP_TYPE_LONG, NC_INT64, MPI_LONG),
        FUNCTIONS(float, float, XMP_TYPE_FLOAT, NC_FLOAT, MPI_FLOAT),
        FUNCTIONS(double, double, XMP_TYPE_DOUBLE, NC_DOUBLE, MPI_DOUBLE),
        FUNCTIONS(longlong, long long, XMP_TYPE_LONGLONG, NC_INT64, MPI_LONG_LONG),
        FUNCTIONS(ulonglong, unsigned long long, XMP_TYPE_ULONGLONG, NC_UINT64, MPI_UNSIGNED_LONG_LONG),
        {"any type",
         {XMP_TYPE_FLOAT, 4},
         NC_FLOAT,
         MPI_FLOAT,
         xmpnc_put_varas_all,
         xmpnc_get_varas_all,
         xmpnc_put_varas,
         xmpnc_get_varas,
         xmpnc_put_vara_all,
         xmpnc_get_vara_all,
         xmpnc_put_varx_all,
         xmpnc_get_varx_all},
    };
    return table;
}

constexpr std::uint64_t before = 7777;  // the serial program's values are those of other indices

// A variable and what it holds, element by element.
struct Variable {
    std::vector<MPI_Offset> extents;
    std::vector<std::byte> contents;
    std::size_t width;
    std::size_t position(const std::vector<MPI_Offset>& indices) const {
        std::size_t sum = 0;
        for (std::size_t d = 0; d < extents.size(); ++d) sum = sum * extents[d] + indices[d];
        return sum * width;
    }
};

Variable create(const std::string& path, const Functions& type, const std::vector<MPI_Offset>& extents) {
    Variable variable{extents, {}, type.element.bytes};
    std::size_t total = 1;
    for (const MPI_Offset n : extents) total *= n;
    variable.contents.resize(total * type.element.bytes);
    for (std::size_t i = 0; i < total; ++i)
        value(i + before, type.element.bytes, variable.contents.data() + i * type.element.bytes);
    if (SharedFile::first()) {
        int file, id;
        std::vector<int> dimensions(extents.size());
        EXPECT_EQ(ncmpi_create(MPI_COMM_SELF, path.c_str(), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file), NC_NOERR);
        for (std::size_t d = 0; d < extents.size(); ++d)
            EXPECT_EQ(ncmpi_def_dim(file, ("d" + std::to_string(d)).c_str(), extents[d], &dimensions[d]), NC_NOERR);
        EXPECT_EQ(ncmpi_def_var(file, "v", type.external, static_cast<int>(extents.size()), dimensions.data(), &id), NC_NOERR);
        EXPECT_EQ(ncmpi_enddef(file), NC_NOERR);
        EXPECT_EQ(ncmpi_put_var_all(file, id, variable.contents.data(), static_cast<MPI_Offset>(total), type.mpi), NC_NOERR);
        EXPECT_EQ(ncmpi_close(file), NC_NOERR);
    }
    barrier();
    return variable;
}

void expect_contents(const std::string& path, const Functions& type, const Variable& variable, const std::string& label) {
    barrier();
    if (SharedFile::first()) {
        int file;
        std::vector<std::byte> found(variable.contents.size());
        EXPECT_EQ(ncmpi_open(MPI_COMM_SELF, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), NC_NOERR);
        EXPECT_EQ(ncmpi_get_var_all(file, 0, found.data(), static_cast<MPI_Offset>(found.size() / variable.width), type.mpi),
                  NC_NOERR);
        EXPECT_EQ(ncmpi_close(file), NC_NOERR);
        EXPECT_TRUE(found == variable.contents) << label;
    }
    barrier();
}

// Where a section element lies in the variable: indices in file order.
using Mapping = std::function<std::vector<MPI_Offset>(const std::vector<Index>&)>;

std::vector<int> order(const Global& global) {
    std::vector<int> result;
    for (int i = 0; i < global.mapping().rank(); ++i)
        result.push_back(global.mapping().order() == kumihimo::sets::Order::row_major ? i : global.mapping().rank() - 1 - i);
    return result;
}

Mapping same_indices(const Global& global) {
    return [&global](const std::vector<Index>& indices) {
        std::vector<MPI_Offset> result;
        for (const int d : order(global)) result.push_back(indices[d] - global.mapping().lower(d));
        return result;
    };
}

// What the node's block has to be after a get.
void expect_block(const Global& global, const std::vector<std::byte>& blank, const SectionChoice& section,
                  const Variable& variable, const Mapping& place, const std::string& label) {
    std::vector<std::byte> expected = blank;
    const auto& array = global.object();
    global.for_each_owned([&](const std::vector<Index>& indices) {
        if (!contains(section.ranges, indices)) return;
        std::memcpy(expected.data() + (array.address(indices) - static_cast<std::byte*>(array.base)),
                    variable.contents.data() + variable.position(place(indices)), variable.width);
    });
    if (!expected.empty()) {
        EXPECT_EQ(std::memcmp(expected.data(), array.base, expected.size()), 0) << label;
    }
}

std::vector<std::byte> blanked(const Global& global) {
    global.blank();
    const auto& array = global.object();
    if (!array.member() || array.base == nullptr) return {};
    const auto* const base = static_cast<std::byte*>(array.base);
    return {base, base + array.allocated_bytes()};
}

void update(Variable& variable, const Global& global, const SectionChoice& section, const Mapping& place) {
    for_each_in_file(global, section.ranges, [&](const std::vector<Index>& indices) {
        value(global.linear(indices), variable.width, variable.contents.data() + variable.position(place(indices)));
    });
}

void put_and_get_sections(Random& random, const Functions& type, const std::string& path, const std::string& label) {
    Global global;
    declare(random, type.element, node_count(), global, 9);
    std::vector<MPI_Offset> extents;
    for (const int d : order(global)) extents.push_back(global.mapping().extent(d) + random(0, 2));
    Variable variable = create(path, type, extents);
    SectionChoice section;
    choose(random, global, section);
    const bool alone = random.chance(25);  // independent data mode
    int file = -1;
    ASSERT_EQ(xmpnc_open_all(path.c_str(), NC_WRITE, &file), NC_NOERR) << xmp_io_error();
    global.fill();
    if (alone) {
        EXPECT_EQ(xmpnc_begin_indep_data(file), NC_NOERR);
    }
    if (section.rp == nullptr && !alone) {
        EXPECT_EQ(type.put_whole(file, 0, global.array), NC_NOERR) << label << xmp_io_error();
    } else {
        EXPECT_EQ((alone ? type.put_section_alone : type.put_section)(file, 0, global.array, section.rp), NC_NOERR)
            << label << xmp_io_error();
    }
    if (alone) {
        EXPECT_EQ(xmpnc_end_indep_data(file), NC_NOERR);
    }
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    update(variable, global, section, same_indices(global));
    expect_contents(path, type, variable, label + "put ");

    SectionChoice other;
    choose(random, global, other);
    const std::vector<std::byte> blank = blanked(global);
    ASSERT_EQ(xmpnc_open(MPI_COMM_WORLD, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), NC_NOERR) << xmp_io_error();
    if (alone) {
        EXPECT_EQ(xmpnc_begin_indep_data(file), NC_NOERR);
    }
    if (other.rp == nullptr && !alone) {
        EXPECT_EQ(type.get_whole(file, 0, global.array), NC_NOERR) << label << xmp_io_error();
    } else {
        EXPECT_EQ((alone ? type.get_section_alone : type.get_section)(file, 0, global.array, other.rp), NC_NOERR)
            << label << xmp_io_error();
    }
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    expect_block(global, blank, other, variable, same_indices(global), label + "get ");
    barrier();
}

// varx: elsewhere, with strides in the file, into a variable of higher rank.
void put_and_get_placed(Random& random, const Functions& type, const std::string& path, const std::string& label) {
    Global global;
    declare(random, type.element, node_count(), global, 7, 3);
    SectionChoice section;
    choose(random, global, section);
    const int rank = global.mapping().rank(), leading = static_cast<int>(random(0, 2));
    std::vector<MPI_Offset> start, stride, extents;
    for (int d = 0; d < leading + rank; ++d) {
        start.push_back(random(0, 2));
        stride.push_back(random(1, 3));
        const Index count = d < leading ? 1 : section.ranges[order(global)[d - leading]].count;
        extents.push_back(start[d] + std::max<Index>(0, count - 1) * stride[d] + 1 + random(0, 1));
    }
    const Mapping place = [&](const std::vector<Index>& indices) {
        std::vector<MPI_Offset> result(start);
        for (int i = 0; i < rank; ++i) {
            const Range& range = section.ranges[order(global)[i]];
            result[leading + i] += (indices[order(global)[i]] - range.first) / range.step * stride[leading + i];
        }
        return result;
    };
    Variable variable = create(path, type, extents);
    int file = -1;
    ASSERT_EQ(xmpnc_open_all(path.c_str(), NC_WRITE, &file), NC_NOERR) << xmp_io_error();
    global.fill();
    EXPECT_EQ(type.put_placed(file, 0, start.data(), stride.data(), global.array, section.rp), NC_NOERR)
        << label << xmp_io_error();
    EXPECT_EQ(xmpnc_sync(file), NC_NOERR);
    update(variable, global, section, place);
    expect_contents(path, type, variable, label + "put ");
    const std::vector<std::byte> blank = blanked(global);
    EXPECT_EQ(type.get_placed(file, 0, start.data(), stride.data(), global.array, section.rp), NC_NOERR)
        << label << xmp_io_error();
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    expect_block(global, blank, section, variable, place, label + "get ");
    barrier();
}

TEST(Access, EveryTypeOnRandomSections) {
    SharedFile file("sections.nc");
    unsigned one = seed();
    for (int i = 0; i < cases(2); ++i)
        for (const Functions& type : all_types()) {
            Random random(++one);
            put_and_get_sections(random, type, file.path,
                                 "KUMIHIMO_TEST_SEED=" + std::to_string(one - 1) + " " + type.name + " nodes " +
                                     std::to_string(node_count()) + " ");
            if (testing::Test::HasFatalFailure()) return;
        }
}

TEST(Access, EveryTypeAtOtherPositions) {
    SharedFile file("placed.nc");
    unsigned one = seed() + 500000;
    for (int i = 0; i < cases(1); ++i)
        for (const Functions& type : all_types()) {
            Random random(++one);
            put_and_get_placed(random, type, file.path, "placed, seed " + std::to_string(one) + " " + type.name + " ");
            if (testing::Test::HasFatalFailure()) return;
        }
}

}  // namespace
