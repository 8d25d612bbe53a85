// A whole file as a simulation writes it: dimensions, attributes, a field, and records that grow with time.
#include <cstdlib>
#include <cstring>

#include "fixture.hpp"

using namespace layout;

namespace {

int communicators_copied = 0;

}  // namespace

// Also PnetCDF's calls.
extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
    ++communicators_copied;
    return PMPI_Comm_dup(comm, copy);
}

namespace {

constexpr Index record_rows = 11, record_columns = 5;

void define(int file, int* field, int* series, int* clock) {
    int y, x, time;
    ASSERT_EQ(xmpnc_def_dim(file, "time", NC_UNLIMITED, &time), NC_NOERR);
    ASSERT_EQ(xmpnc_def_dim(file, "y", record_rows, &y), NC_NOERR);
    ASSERT_EQ(xmpnc_def_dim(file, "x", record_columns, &x), NC_NOERR);
    const int shape[] = {time, y, x};
    ASSERT_EQ(xmpnc_def_var(file, "field", NC_DOUBLE, 2, shape + 1, field), NC_NOERR);
    ASSERT_EQ(xmpnc_def_var(file, "series", NC_FLOAT, 3, shape, series), NC_NOERR);
    ASSERT_EQ(xmpnc_def_var(file, "time", NC_DOUBLE, 1, &time, clock), NC_NOERR);
    const float missing = -99;
    EXPECT_EQ(xmpnc_put_att_text(file, *series, "units", 1, "m"), NC_NOERR);
    EXPECT_EQ(xmpnc_put_att_float(file, *series, "missing_value", NC_FLOAT, 1, &missing), NC_NOERR);
    EXPECT_EQ(xmpnc_put_att_text(file, NC_GLOBAL, "title", 5, "waves"), NC_NOERR);
    ASSERT_EQ(xmpnc_enddef(file), NC_NOERR);
}

// By one process with plain PnetCDF.
void check_serially(const std::string& path, int records) {
    barrier();
    if (!SharedFile::first()) return;
    int file, id;
    std::vector<double> field(record_rows * record_columns), clock(records);
    std::vector<float> series(records * record_rows * record_columns);
    ASSERT_EQ(ncmpi_open(MPI_COMM_SELF, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), NC_NOERR);
    MPI_Offset length = 0;
    EXPECT_EQ(ncmpi_inq_dimlen(file, 0, &length), NC_NOERR);
    EXPECT_EQ(length, records);
    EXPECT_EQ(ncmpi_inq_varid(file, "field", &id), NC_NOERR);
    EXPECT_EQ(ncmpi_get_var_double_all(file, id, field.data()), NC_NOERR);
    EXPECT_EQ(ncmpi_inq_varid(file, "series", &id), NC_NOERR);
    EXPECT_EQ(ncmpi_get_var_float_all(file, id, series.data()), NC_NOERR);
    char units = 0;
    EXPECT_EQ(ncmpi_get_att_text(file, id, "units", &units), NC_NOERR);
    EXPECT_EQ(units, 'm');
    EXPECT_EQ(ncmpi_inq_varid(file, "time", &id), NC_NOERR);
    EXPECT_EQ(ncmpi_get_var_double_all(file, id, clock.data()), NC_NOERR);
    EXPECT_EQ(ncmpi_close(file), NC_NOERR);
    for (Index j = 0; j < record_rows; ++j)
        for (Index i = 0; i < record_columns; ++i) {
            EXPECT_EQ(field[j * record_columns + i], 100.0 * j + i + 0.5);
            for (int record = 0; record < records; ++record)
                EXPECT_EQ(series[(record * record_rows + j) * record_columns + i],
                          static_cast<float>(100 * j + i + 1000 * record))
                    << record;
        }
    for (int record = 0; record < records; ++record) EXPECT_EQ(clock[record], 60.0 * record);
}

TEST(Records, GrowOverTimeAndBetweenRuns) {
    SharedFile path("records.nc");
    Grid<double> field(XMP_TYPE_DOUBLE, record_rows, record_columns);
    Grid<float> wave(XMP_TYPE_FLOAT, record_rows, record_columns);
    int file, field_id, series, clock;
    ASSERT_EQ(xmpnc_create_all(path.path.c_str(), NC_CLOBBER | NC_64BIT_OFFSET, &file), NC_NOERR) << xmp_io_error();
    define(file, &field_id, &series, &clock);
    field.set(0.5);
    EXPECT_EQ(xmpnc_put_vara_double_all(file, field_id, field.array), NC_NOERR) << xmp_io_error();
    for (MPI_Offset record = 0; record < 4; ++record) {
        if (record == 2) {  // a second program goes on
            EXPECT_EQ(xmpnc_close(file), NC_NOERR);
            ASSERT_EQ(xmpnc_open_all(path.path.c_str(), NC_WRITE, &file), NC_NOERR) << xmp_io_error();
            EXPECT_EQ(xmpnc_inq_varid(file, "series", &series), NC_NOERR);
        }
        const MPI_Offset start[] = {record, 0, 0};
        const double now = 60.0 * static_cast<double>(record);
        wave.set(1000.0 * static_cast<double>(record));
        EXPECT_EQ(xmpnc_put_varx_float_all(file, series, start, nullptr, wave.array, nullptr), NC_NOERR) << xmp_io_error();
        EXPECT_EQ(xmpnc_put_var1_double_all(file, clock, start, &now), NC_NOERR);
    }
    const MPI_Offset second[] = {1, 0, 0};
    EXPECT_EQ(xmpnc_get_varx_float_all(file, series, second, nullptr, wave.array, nullptr), NC_NOERR) << xmp_io_error();
    wave.expect(1000);
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    check_serially(path.path, 4);
}

// The two halves of the nodes have files of their own at the same time.
// A copy takes several collective calls, each of which may cost a time slice: PnetCDF makes one of every communicator but the
// one of all processes.
TEST(Records, OpeningCopiesNoCommunicatorOfAllNodes) {
    SharedFile shared("copies.nc");
    const auto copies = [](auto&& open) {
        int file = -1;
        communicators_copied = 0;
        EXPECT_EQ(open(&file), NC_NOERR) << xmp_io_error();
        return std::pair(communicators_copied, file);
    };
    const auto [created, file] = copies([&](int* id) { return xmpnc_create_all(shared.path.c_str(), NC_CLOBBER, id); });
    EXPECT_EQ(created, 0);
    EXPECT_EQ(xmpnc_enddef(file), NC_NOERR);
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    const auto [opened, again] = copies([&](int* id) { return xmpnc_open_all(shared.path.c_str(), NC_NOWRITE, id); });
    EXPECT_EQ(opened, 0);
    EXPECT_EQ(xmpnc_close(again), NC_NOERR);
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    const auto [by_hand, third] =
        copies([&](int* id) { return ncmpi_open(other, shared.path.c_str(), NC_NOWRITE, MPI_INFO_NULL, id); });
    EXPECT_GT(by_hand, 0);
    EXPECT_EQ(ncmpi_close(third), NC_NOERR);
    MPI_Comm_free(&other);
}

TEST(Records, FilesOfTasks) {
    SharedFile low("low.nc"), high("high.nc");
    const Index sizes[] = {node_count()}, half = node_count() / 2;
    const bool first = node_number() < half;
    XMP_Nodes* all = XMP_Nodes_declare(site(), "all", XMP_ROW_MAJOR, 1, sizes, XMP_NODES_ENTIRE, nullptr);
    const XMP_Range range[] = {first ? XMP_Range XMP_FROM_TO(0, half - 1, 1)
                                     : XMP_Range XMP_FROM_TO(half, node_count() - 1, 1)};
    const XMP_On on = {all, 1, range};
    XMP_Task task = XMP_Task_prepare(site(), &on, 0);
    if (XMP_Task_enter(&task)) {
        Grid<int> grid(XMP_TYPE_INT, record_rows, record_columns, XMP_NODES_EXECUTING);
        const char* const names[] = {"y", "x"};
        int file, id;
        EXPECT_EQ(xmpnc_create_all((first ? low : high).path.c_str(), NC_CLOBBER, &file), NC_NOERR) << xmp_io_error();
        EXPECT_EQ(xmpnc_def_var_of(file, "grid", NC_NAT, grid.array, 2, names, &id), NC_NOERR) << xmp_io_error();
        EXPECT_EQ(xmpnc_enddef(file), NC_NOERR);
        grid.set(first);
        EXPECT_EQ(xmpnc_put_var_int_all(file, id, grid.array), NC_NOERR) << xmp_io_error();
        grid.set(7);
        EXPECT_EQ(xmpnc_get_var_int_all(file, id, grid.array), NC_NOERR) << xmp_io_error();
        grid.expect(first);
        EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    }
    XMP_Task_leave(&task);
    XMP_Nodes_release(&all);
}

// double in the program, float in the file: PnetCDF converts.
TEST(Records, ExternalTypeMayDiffer) {
    SharedFile path("convert.nc");
    Grid<double> field(XMP_TYPE_DOUBLE, record_rows, record_columns);
    int file, y, x, id;
    ASSERT_EQ(xmpnc_create(MPI_COMM_WORLD, path.path.c_str(), NC_CLOBBER, MPI_INFO_NULL, &file), NC_NOERR);
    ASSERT_EQ(xmpnc_def_dim(file, "y", record_rows, &y), NC_NOERR);
    ASSERT_EQ(xmpnc_def_dim(file, "x", record_columns, &x), NC_NOERR);
    const int shape[] = {y, x};
    ASSERT_EQ(xmpnc_def_var(file, "short", NC_SHORT, 2, shape, &id), NC_NOERR);
    ASSERT_EQ(xmpnc_enddef(file), NC_NOERR);
    field.set(7);
    EXPECT_EQ(xmpnc_put_vara_double_all(file, id, field.array), NC_NOERR) << xmp_io_error();
    field.set(0);
    EXPECT_EQ(xmpnc_get_vara_all(file, id, field.array), NC_NOERR) << xmp_io_error();
    field.expect(7);
    field.set(40000);  // not a short
    setenv("KUMIHIMO_XMPIO_MESSAGES", "0", 1);
    const int code = xmpnc_put_vara_double_all(file, id, field.array);
    unsetenv("KUMIHIMO_XMPIO_MESSAGES");
    EXPECT_EQ(code, NC_ERANGE);
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
}

template <typename T, typename Put, typename Get>
void round_trip(int file, const char* name, nc_type type, Put put, Get get, bool reading) {
    const T values[] = {static_cast<T>(1), static_cast<T>(2), static_cast<T>(100)};
    T found[3] = {};
    if (!reading) {
        EXPECT_EQ(put(file, NC_GLOBAL, name, type, 3, values), NC_NOERR) << name;
        return;
    }
    EXPECT_EQ(get(file, NC_GLOBAL, name, found), NC_NOERR) << name;
    EXPECT_EQ(std::memcmp(found, values, sizeof values), 0) << name;
    MPI_Offset length = 0;
    nc_type external = NC_NAT;
    EXPECT_EQ(xmpnc_inq_att(file, NC_GLOBAL, name, &external, &length), NC_NOERR);
    EXPECT_EQ(external, type);
    EXPECT_EQ(length, 3);
}

#define ATTRIBUTE(type, c_type, external) \
    round_trip<c_type>(file, #type, external, xmpnc_put_att_##type, xmpnc_get_att_##type, reading)

TEST(Records, AttributesOfEveryTypeAndInquiry) {
    SharedFile path("attributes.nc");
    int file = -1;
    for (const bool reading : {false, true}) {
        if (!reading) {
            ASSERT_EQ(xmpnc_create_all(path.path.c_str(), NC_CLOBBER | NC_64BIT_DATA, &file), NC_NOERR);
        } else {
            ASSERT_EQ(xmpnc_open_all(path.path.c_str(), NC_NOWRITE, &file), NC_NOERR);
        }
        ATTRIBUTE(schar, signed char, NC_BYTE);
        ATTRIBUTE(uchar, unsigned char, NC_UBYTE);
        ATTRIBUTE(ubyte, unsigned char, NC_UBYTE);
        ATTRIBUTE(short, short, NC_SHORT);
        ATTRIBUTE(ushort, unsigned short, NC_USHORT);
        ATTRIBUTE(int, int, NC_INT);
        ATTRIBUTE(uint, unsigned, NC_UINT);
        ATTRIBUTE(long, long, NC_INT64);
        ATTRIBUTE(float, float, NC_FLOAT);
        ATTRIBUTE(double, double, NC_DOUBLE);
        ATTRIBUTE(longlong, long long, NC_INT64);
        ATTRIBUTE(ulonglong, unsigned long long, NC_UINT64);
        if (reading) {
            int dimensions = -1, variables = -1, attributes = -1, unlimited = -1;
            EXPECT_EQ(xmpnc_inq(file, &dimensions, &variables, &attributes, &unlimited), NC_NOERR);
            EXPECT_EQ(dimensions, 0);
            EXPECT_EQ(variables, 0);
            EXPECT_EQ(attributes, 12);
            EXPECT_EQ(unlimited, -1);
        }
        EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    }
    EXPECT_STREQ(xmpnc_strerror(NC_NOERR), ncmpi_strerror(NC_NOERR));
}

}  // namespace
