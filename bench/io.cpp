// Collective file I/O: what xmp_fwrite_darray_all, xmp_fread_darray_all and xmpnc cost beside the same transfer written by hand
// (MPI-IO with a subarray view, PnetCDF with start and count). Prints its records.
//   bench_io flat|netcdf ROWS COLUMNS REPETITIONS DIRECTORY
// The array is double, block x block, with a shadow of 1 as a stencil program has it. The variants take turns in each
// repetition; "control" is the hand-written one a second time (A/A).
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "bench/turns.hpp"
#include "kumihimo/generated.h"
#include "kumihimo/xmp_io.h"
#ifdef BENCH_NETCDF
#include "kumihimo/xmpnc.h"
#endif

namespace {

struct Field {
    XMP_Nodes* nodes;
    XMP_Template* target;
    XMP_Array* array;
    int sizes[2], starts[2], counts[2], allocated[2];  // global, and this node's part
    double *block, *second_block;                      // of the hand-written program and of its control: the same shape
};

double* new_block(std::size_t elements) {
    auto* const block = new double[elements];
    std::iota(block, block + elements, 0.0);
    return block;
}

// The hand-written program a second time, with memory of its own: blocks that two variants share stay warmer in the caches.
Field control_of(const Field& field) {
    Field control = field;
    control.block = field.second_block;
    return control;
}

Field declare(int rows, int columns) {
    static const XMP_Site site = {"bench/io.cpp", 1, "benchmark"};
    Field field{};
    int size = 0, rank = 0, grid[2] = {0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Dims_create(size, 2, grid);
    const XMP_Index extents[] = {grid[0], grid[1]};
    const XMP_Bounds bounds[] = {{0, rows - 1}, {0, columns - 1}};
    const XMP_Format formats[] = {XMP_FORMAT_BLOCK(0, 0), XMP_FORMAT_BLOCK(1, 0)};
    const XMP_Align align[] = {{0, 0}, {1, 0}};
    const XMP_Width shadow[] = {{1, 1, XMP_WIDTH_PLAIN}, {1, 1, XMP_WIDTH_PLAIN}};
    field.nodes = XMP_Nodes_declare(&site, "p", XMP_ROW_MAJOR, 2, extents, XMP_NODES_ENTIRE, nullptr);
    field.target = XMP_Template_declare(&site, "t", XMP_ROW_MAJOR, 2, bounds);
    XMP_Distribute(&site, field.target, field.nodes, formats);
    field.array =
        XMP_Array_declare(&site, "u", XMP_ROW_MAJOR, XMP_TYPE_DOUBLE, sizeof(double), 2, bounds, field.target, align, shadow);
    const int coordinates[] = {rank / grid[1], rank % grid[1]}, all[] = {rows, columns};
    std::size_t elements = 1;
    for (int d = 0; d < 2; ++d) {
        const int block = (all[d] + grid[d] - 1) / grid[d];
        field.sizes[d] = all[d];
        field.starts[d] = std::min(all[d], coordinates[d] * block);
        field.counts[d] = std::min(all[d], field.starts[d] + block) - field.starts[d];
        field.allocated[d] = field.counts[d] + 2;
        elements *= field.allocated[d];
    }
    field.block = new_block(elements);
    field.second_block = new_block(elements);
    std::memcpy(field.array->base, field.block, elements * sizeof(double));
    return field;
}

MPI_Datatype memory_type(const Field& field) {
    const int ones[] = {1, 1};
    MPI_Datatype type;
    MPI_Type_create_subarray(2, field.allocated, field.counts, ones, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "bench_io: %s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// By hand: file view and memory as subarrays, one collective call; types made once, as a good program does.
struct Hand {
    MPI_Datatype file_type, memory;
    explicit Hand(const Field& field) : memory(memory_type(field)) {
        MPI_Type_create_subarray(2, field.sizes, field.counts, field.starts, MPI_ORDER_C, MPI_DOUBLE, &file_type);
        MPI_Type_commit(&file_type);
    }
    void write(const Field& field, const std::string& path) const {
        MPI_File file;
        require(
            MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS,
            "open");
        MPI_File_set_size(file, 0);
        MPI_File_set_view(file, 0, MPI_DOUBLE, file_type, "native", MPI_INFO_NULL);
        require(MPI_File_write_all(file, field.block, 1, memory, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write_all");
        MPI_File_close(&file);
    }
    void read(const Field& field, const std::string& path) const {
        MPI_File file;
        require(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS, "open");
        MPI_File_set_view(file, 0, MPI_DOUBLE, file_type, "native", MPI_INFO_NULL);
        require(MPI_File_read_all(file, field.block, 1, memory, MPI_STATUS_IGNORE) == MPI_SUCCESS, "read_all");
        MPI_File_close(&file);
    }
};

void write_array(const Field& field, const std::string& path) {
    xmp_file_t* const file = xmp_fopen_all(path.c_str(), "w");
    require(file != nullptr && xmp_fwrite_darray_all(file, field.array, nullptr) >= 0 && xmp_fclose_all(file) == 0,
            "xmp_fwrite_darray_all");
}

void read_array(const Field& field, const std::string& path) {
    xmp_file_t* const file = xmp_fopen_all(path.c_str(), "r");
    require(file != nullptr && xmp_fread_darray_all(file, field.array, nullptr) >= 0 && xmp_fclose_all(file) == 0,
            "xmp_fread_darray_all");
}

#ifdef BENCH_NETCDF
int define(const Field& field, int file) {
    int dimensions[2], id;
    ncmpi_def_dim(file, "y", field.sizes[0], &dimensions[0]);
    ncmpi_def_dim(file, "x", field.sizes[1], &dimensions[1]);
    ncmpi_def_var(file, "u", NC_DOUBLE, 2, dimensions, &id);
    return id;
}

void put_by_hand(const Field& field, const Hand& hand, const std::string& path) {
    int file;
    const MPI_Offset start[] = {field.starts[0], field.starts[1]}, count[] = {field.counts[0], field.counts[1]};
    require(ncmpi_create(MPI_COMM_WORLD, path.c_str(), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file) == NC_NOERR,
            "ncmpi_create");
    const int id = define(field, file);
    ncmpi_enddef(file);
    require(ncmpi_put_vara_all(file, id, start, count, field.block, 1, hand.memory) == NC_NOERR, "ncmpi_put_vara_all");
    ncmpi_close(file);
}

void get_by_hand(const Field& field, const Hand& hand, const std::string& path) {
    int file;
    const MPI_Offset start[] = {field.starts[0], field.starts[1]}, count[] = {field.counts[0], field.counts[1]};
    require(ncmpi_open(MPI_COMM_WORLD, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file) == NC_NOERR, "ncmpi_open");
    require(ncmpi_get_vara_all(file, 0, start, count, field.block, 1, hand.memory) == NC_NOERR, "ncmpi_get_vara_all");
    ncmpi_close(file);
}

void put_array(const Field& field, const std::string& path) {
    int file;
    require(xmpnc_create_all(path.c_str(), NC_CLOBBER | NC_64BIT_DATA, &file) == NC_NOERR, "xmpnc_create_all");
    const int id = define(field, file);
    xmpnc_enddef(file);
    require(xmpnc_put_vara_double_all(file, id, field.array) == NC_NOERR, "xmpnc_put_vara_double_all");
    xmpnc_close(file);
}

void get_array(const Field& field, const std::string& path) {
    int file;
    require(xmpnc_open_all(path.c_str(), NC_NOWRITE, &file) == NC_NOERR, "xmpnc_open_all");
    require(xmpnc_get_vara_double_all(file, 0, field.array) == NC_NOERR, "xmpnc_get_vara_double_all");
    xmpnc_close(file);
}
#endif

}  // namespace

int main(int argc, char** argv) {
    XMP_Start(&argc, &argv);
    if (argc != 6) {
        std::fprintf(stderr, "bench_io flat|netcdf ROWS COLUMNS REPETITIONS DIRECTORY\n");
        return 2;
    }
    const Field field = declare(std::atoi(argv[2]), std::atoi(argv[3]));
    const Field control_field = control_of(field);
    const Hand hand(field);
    const int repetitions = std::max(1, std::atoi(argv[4]));
    const long long bytes = 8LL * field.sizes[0] * field.sizes[1];
    const std::string stem = std::string(argv[5]) + "/kumihimo-bench-";
    if (std::strcmp(argv[1], "flat") == 0) {
        const std::string ours = stem + "x.dat", theirs = stem + "h.dat", control = stem + "c.dat";
        bench::take_random_turns("write", bytes,
                                 {{"by hand", [&] { hand.write(field, theirs); }, theirs},
                                  {"by hand again", [&] { hand.write(control_field, control); }, control},
                                  {"xmp", [&] { write_array(field, ours); }, ours}},
                                 repetitions);
        // All read the same file: how it lies in the kernel's cache depends on who wrote it.
        bench::take_random_turns("read", bytes,
                                 {{"by hand", [&] { hand.read(field, theirs); }},
                                  {"by hand again", [&] { hand.read(control_field, theirs); }},
                                  {"xmp", [&] { read_array(field, theirs); }}},
                                 repetitions);
    }
#ifdef BENCH_NETCDF
    if (std::strcmp(argv[1], "netcdf") == 0) {
        const std::string ours = stem + "x.nc", theirs = stem + "h.nc", control = stem + "c.nc";
        bench::take_random_turns("put", bytes,
                                 {{"by hand", [&] { put_by_hand(field, hand, theirs); }, theirs},
                                  {"by hand again", [&] { put_by_hand(control_field, hand, control); }, control},
                                  {"xmp", [&] { put_array(field, ours); }, ours}},
                                 repetitions);
        bench::take_random_turns("get", bytes,
                                 {{"by hand", [&] { get_by_hand(field, hand, theirs); }},
                                  {"by hand again", [&] { get_by_hand(control_field, hand, theirs); }},
                                  {"xmp", [&] { get_array(field, theirs); }}},
                                 repetitions);
    }
#endif
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) bench_end();
    return 0;
}
