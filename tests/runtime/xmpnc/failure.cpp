// Missing, short and wrong files, wrong arguments, no room: the same code on all nodes, and nobody waits.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "fixture.hpp"

using namespace layout;

namespace {

constexpr Index rows = 64, columns = 512;

class NetcdfFailure : public testing::Test {
protected:
    void SetUp() override { setenv("KUMIHIMO_XMPIO_MESSAGES", "0", 1); }
    void TearDown() override { unsetenv("KUMIHIMO_XMPIO_MESSAGES"); }

    static int create(const std::string& path) {
        int file, y, x, id;
        EXPECT_EQ(xmpnc_create_all(path.c_str(), NC_CLOBBER, &file), NC_NOERR) << xmp_io_error();
        EXPECT_EQ(xmpnc_def_dim(file, "y", rows, &y), NC_NOERR);
        EXPECT_EQ(xmpnc_def_dim(file, "x", columns, &x), NC_NOERR);
        const int shape[] = {y, x};
        EXPECT_EQ(xmpnc_def_var(file, "height", NC_FLOAT, 2, shape, &id), NC_NOERR);
        EXPECT_EQ(xmpnc_enddef(file), NC_NOERR);
        return file;
    }
    static void expect_same(int code, int expected, const std::string& part) {
        EXPECT_EQ(code, expected) << ncmpi_strerror(code) << " " << xmp_io_error();
        EXPECT_TRUE(same_everywhere(code));
        EXPECT_NE(std::string(xmp_io_error()).find(part), std::string::npos) << xmp_io_error();
        EXPECT_TRUE(same_everywhere(hash_of(xmp_io_error()))) << xmp_io_error();
    }
};

TEST_F(NetcdfFailure, MissingFile) {
    int file = -1;
    expect_same(xmpnc_open_all("/nowhere/x.nc", NC_NOWRITE, &file), NC_ENOENT, "No such file or directory");
    expect_same(xmpnc_create_all("/nowhere/x.nc", NC_CLOBBER, &file), NC_ENOENT, "/nowhere/x.nc");
}

TEST_F(NetcdfFailure, MissingOnOneNodeOnly) {
    if (node_count() == 1) GTEST_SKIP() << "needs two nodes";
    SharedFile path("one.nc");
    EXPECT_EQ(xmpnc_close(create(path.path)), NC_NOERR);
    char directory[4096];
    ASSERT_NE(getcwd(directory, sizeof directory), nullptr);
    const auto slash = path.path.rfind('/');
    ASSERT_EQ(chdir(node_number() == node_count() - 1 ? "/" : path.path.substr(0, slash).c_str()), 0);
    int file = -1;
    expect_same(xmpnc_open_all(path.path.substr(slash + 1).c_str(), NC_NOWRITE, &file), NC_ENOENT,
                "node " + std::to_string(node_count() - 1));
    ASSERT_EQ(chdir(directory), 0);
}

TEST_F(NetcdfFailure, NotNetcdf) {
    SharedFile path("other.nc");
    if (SharedFile::first()) {
        FILE* const out = std::fopen(path.path.c_str(), "w");
        std::fputs("This is no netCDF file, but it is long enough to be one.", out);
        std::fclose(out);
    }
    barrier();
    int file = -1;
    expect_same(xmpnc_open_all(path.path.c_str(), NC_NOWRITE, &file), NC_ENOTNC, path.path);
}

TEST_F(NetcdfFailure, ShortFile) {
    SharedFile path("short.nc");
    Grid<float> grid(XMP_TYPE_FLOAT, rows, columns);
    int file = create(path.path);
    grid.set(1);
    EXPECT_EQ(xmpnc_put_vara_float_all(file, 0, grid.array), NC_NOERR) << xmp_io_error();
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    barrier();
    if (SharedFile::first()) {
        ASSERT_EQ(truncate(path.path.c_str(), rows * columns * 4 / 2), 0);
    }
    barrier();
    const int code = xmpnc_open_all(path.path.c_str(), NC_NOWRITE, &file);
    if (code == NC_NOERR) {
        expect_same(xmpnc_get_vara_float_all(file, 0, grid.array), NC_ETRUNC, "is too short");
        EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    } else {
        EXPECT_TRUE(same_everywhere(code));
    }
}

TEST_F(NetcdfFailure, WrongVariableTypeShapeAndArguments) {
    SharedFile path("wrong.nc");
    Grid<float> grid(XMP_TYPE_FLOAT, rows, columns);
    Grid<float> tall(XMP_TYPE_FLOAT, rows + 1, columns);
    const int file = create(path.path);
    expect_same(xmpnc_put_vara_float_all(file, 5, grid.array), NC_ENOTVAR, "variable 5");
    expect_same(xmpnc_put_vara_double_all(file, 0, grid.array), NC_EBADTYPE, "array 'grid'");
    expect_same(xmpnc_put_vara_float_all(file, 0, tall.array), NC_EEDGE, "dimension 1 of variable 'height', which has 64");
    expect_same(xmpnc_put_vara_float_all(file, 0, grid.target), NC_EINVAL, "height");
    const MPI_Offset start[] = {0, -1}, zero[] = {0, 0};
    expect_same(xmpnc_put_varx_float_all(file, 0, start, nullptr, grid.array, nullptr), NC_EINVALCOORDS, "negative");
    expect_same(xmpnc_put_varx_float_all(file, 0, zero, zero, grid.array, nullptr), NC_ESTRIDE, "stride");
    // One node alone is wrong.
    xmp_range_t* range = xmp_allocate_range(2);
    xmp_set_range(range, 1, node_number() == node_count() - 1 ? 1 : 0, rows, 1);
    expect_same(xmpnc_put_varas_float_all(file, 0, grid.array, range), NC_EINVAL, "leaves dimension 1 of array 'grid'");
    xmp_free_range(range);
    EXPECT_EQ(xmpnc_put_vara_float_all(file + 100, 0, grid.array), NC_EBADID);
    grid.set(3);
    EXPECT_EQ(xmpnc_put_vara_float_all(file, 0, grid.array), NC_NOERR) << xmp_io_error();  // and it still works
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    int again = -1;
    ASSERT_EQ(xmpnc_open_all(path.path.c_str(), NC_NOWRITE, &again), NC_NOERR);
    expect_same(xmpnc_put_vara_float_all(again, 0, grid.array), NC_EPERM, "Write to read only");
    grid.set(0);
    EXPECT_EQ(xmpnc_get_vara_float_all(again, 0, grid.array), NC_NOERR) << xmp_io_error();
    grid.expect(3);
    EXPECT_EQ(xmpnc_close(again), NC_NOERR);
}

// The header is cut off, or says nonsense behind its first bytes.
TEST_F(NetcdfFailure, CorruptHeader) {
    SharedFile path("corrupt.nc");
    int file = create(path.path);
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    for (const bool cut : {false, true}) {
        barrier();
        if (SharedFile::first()) {
            FILE* const out = std::fopen(path.path.c_str(), "r+");
            std::fseek(out, 8, SEEK_SET);
            for (int i = 0; i < 24; ++i) std::fputc(0x7f, out);
            std::fclose(out);
            if (cut) {
                ASSERT_EQ(truncate(path.path.c_str(), 6), 0);
            }
        }
        barrier();
        const int code = xmpnc_open_all(path.path.c_str(), NC_NOWRITE, &file);
        EXPECT_NE(code, NC_NOERR) << cut;
        expect_same(code, code, path.path);
    }
}

TEST_F(NetcdfFailure, DirectoryThatNobodyMayWriteTo) {
    int file = -1;
    const int code = xmpnc_create_all("/sys/kumihimo.nc", NC_CLOBBER, &file);
    EXPECT_TRUE(code == NC_EACCESS || code == NC_EPERM) << code;
    expect_same(code, code, "/sys/kumihimo.nc");
}

TEST_F(NetcdfFailure, NodesThatCallItWithDifferentArguments) {
    SharedFile path("differ.nc");
    Grid<float> grid(XMP_TYPE_FLOAT, rows, columns);
    const int file = create(path.path);
    const bool last = node_number() == node_count() - 1 && node_count() > 1;
    xmp_range_t* const range = xmp_allocate_range(2);
    xmp_set_range(range, 1, 0, last ? 0 : rows, 1);
    xmp_range_t* const both[] = {range, nullptr};
    grid.set(4);
    const int expected = node_count() > 1 ? NC_EMULTIDEFINE_FNC_ARGS : NC_NOERR;
    const char* const part = node_count() > 1 ? "different arrays or sections" : "";
    expect_same(xmpnc_put_varas_float_all(file, 0, grid.array, range), expected, part);
    expect_same(xmpnc_put_varn_float_all(file, 0, last ? 2 : 1, grid.array, both), expected, part);
    xmp_free_range(range);
    EXPECT_EQ(xmpnc_put_var_float_all(file, 0, grid.array), NC_NOERR) << xmp_io_error();
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
}

// The forms whose arguments are not those of PnetCDF, and requests.
TEST_F(NetcdfFailure, ShapesOrdersAndLists) {
    SharedFile path("shapes.nc");
    Grid<float> grid(XMP_TYPE_FLOAT, rows, columns), small(XMP_TYPE_FLOAT, rows - 1, columns);
    int file, other, steps, request, left = -1;
    ASSERT_EQ(xmpnc_create_all(path.path.c_str(), NC_CLOBBER, &file), NC_NOERR) << xmp_io_error();
    const char *const names[] = {"time", "y", "x"}, *const turned[] = {"x", "y"};
    EXPECT_EQ(xmpnc_def_var_of(file, "height", NC_NAT, grid.array, 2, names + 1, &other), NC_NOERR) << xmp_io_error();
    EXPECT_EQ(xmpnc_def_var_of(file, "steps", NC_SHORT, grid.array, 3, names, &steps), NC_NOERR) << xmp_io_error();
    expect_same(xmpnc_def_var_of(file, "wrong", NC_NAT, grid.array, 2, turned, &other), NC_EDIMSIZE, "dimension 'x'");
    expect_same(xmpnc_def_var_of(file, "wrong", NC_NAT, grid.array, 1, names, &other), NC_EINVAL, "has 2 dimensions");
    EXPECT_EQ(xmpnc_enddef(file), NC_NOERR);
    nc_type type = NC_NAT;
    EXPECT_EQ(xmpnc_inq_vartype(file, 0, &type), NC_NOERR);
    EXPECT_EQ(type, NC_FLOAT);
    grid.set(1);
    small.set(2);
    EXPECT_EQ(xmpnc_put_var_float_all(file, 0, grid.array), NC_NOERR) << xmp_io_error();
    expect_same(xmpnc_put_var_float_all(file, 0, small.array), NC_EEDGE, "has 63 elements in dimension 1");
    expect_same(xmpnc_put_vara_float_all(file, steps, grid.array), NC_EINVAL, "the variable has 3 dimensions");
    const MPI_Offset zeros[] = {0, 0, 0}, twice[] = {0, 0}, beyond[] = {0, 2}, missing[] = {-1, 0};
    for (const MPI_Offset* const map : {twice, beyond, missing})
        expect_same(xmpnc_put_varm_float_all(file, 0, zeros, nullptr, map, grid.array, nullptr), NC_EINVAL, "imap");
    // The second of two is wrong: the first is not written either.
    const int ids[] = {0, 7};
    const xmp_array_t arrays[] = {small.array, grid.array};
    expect_same(xmpnc_mput_vara_float_all(file, 2, ids, arrays), NC_ENOTVAR, "variable 7");
    EXPECT_EQ(xmpnc_mput_vara_float_all(file, 0, ids, arrays), NC_NOERR);
    expect_same(xmpnc_mput_vara_float_all(file, -1, ids, arrays), NC_EINVAL, "");
    EXPECT_EQ(xmpnc_bput_vara_float(file, 0, small.array, &request), NC_ENULLABUF);
    EXPECT_EQ(xmpnc_iput_vara_double(file, 0, small.array, &request), NC_EBADTYPE);
    EXPECT_EQ(request, NC_REQ_NULL);
    EXPECT_EQ(xmpnc_iput_vara_float(file, 0, small.array, &request), NC_NOERR) << xmp_io_error();
    EXPECT_EQ(xmpnc_cancel(file, 1, &request, nullptr), NC_NOERR);
    EXPECT_EQ(xmpnc_inq_nreqs(file, &left), NC_NOERR);
    EXPECT_EQ(left, 0);
    EXPECT_EQ(xmpnc_get_vara_float_all(file, 0, grid.array), NC_NOERR) << xmp_io_error();
    grid.expect(1);
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
}

// What a call returns where the last node may write the first bytes of files only.
template <typename Call>
int without_room_on_last_node(Call&& call) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 50000;
    if (node_number() == node_count() - 1) setrlimit(RLIMIT_FSIZE, &small);
    const int code = call();
    setrlimit(RLIMIT_FSIZE, &before);
    return code;
}

TEST_F(NetcdfFailure, NoRoomWhenRequestsEnd) {
    SharedFile path("late.nc");
    Grid<float> grid(XMP_TYPE_FLOAT, rows, columns);
    const int file = create(path.path);
    int request = NC_REQ_NULL, status = NC_NOERR;
    grid.set(5);
    EXPECT_EQ(xmpnc_iput_vara_float(file, 0, grid.array, &request), NC_NOERR) << xmp_io_error();
    const int code = without_room_on_last_node([&] { return xmpnc_wait_all(file, 1, &request, &status); });
    expect_same(code, NC_ENO_SPACE, "File too large");
    EXPECT_EQ(xmpnc_wait_all(file, NC_REQ_ALL, nullptr, nullptr), NC_NOERR) << xmp_io_error();
    grid.set(0);
    EXPECT_EQ(xmpnc_get_vara_float_all(file, 0, grid.array), NC_NOERR) << xmp_io_error();
    grid.expect(5);
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
}

TEST_F(NetcdfFailure, NoRoomOnOneNode) {
    SharedFile path("room.nc");
    Grid<float> grid(XMP_TYPE_FLOAT, rows, columns);
    const int file = create(path.path);
    const int code = without_room_on_last_node([&] { return xmpnc_put_vara_float_all(file, 0, grid.array); });
    expect_same(code, NC_ENO_SPACE, "File too large");
    EXPECT_EQ(xmpnc_put_vara_float_all(file, 0, grid.array), NC_NOERR) << xmp_io_error();
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
}

// A file system of 64 KiB, where this user may mount one. A mount is its machine's: nodes on others do not see it.
class SmallDisk {
public:
    SmallDisk() : directory_("full") {
        if (SharedFile::first()) {
            mounted_ = shell("mkdir " + path() + " && mount -t tmpfs -o size=64k tmpfs " + path());
            if (mounted_) shell("touch " + mark());
        }
        barrier();
        int visible = access(mark().c_str(), F_OK) == 0;
        MPI_Allreduce(MPI_IN_PLACE, &visible, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        visible_ = visible != 0;
        MPI_Bcast(&mounted_, 1, MPI_CXX_BOOL, 0, MPI_COMM_WORLD);
    }
    ~SmallDisk() {
        barrier();
        if (SharedFile::first() && mounted_) shell("umount " + path());
    }
    std::string path() const { return directory_.path; }
    // Why it cannot be used; the same on all nodes.
    const char* missing() const {
        if (!mounted_) return "may not mount a small file system";
        return visible_ ? nullptr : "the small file system is one machine's, and there are nodes on others";
    }

private:
    static bool shell(const std::string& command) { return std::system(("(" + command + ") 2>/dev/null").c_str()) == 0; }
    std::string mark() const { return path() + "/mark"; }

    SharedFile directory_;
    bool mounted_ = false, visible_ = false;
};

TEST_F(NetcdfFailure, FullDisk) {
    const SmallDisk disk;
    if (disk.missing()) GTEST_SKIP() << disk.missing();
    Grid<float> grid(XMP_TYPE_FLOAT, rows, columns);
    const int file = create(disk.path() + "/full.nc");
    expect_same(xmpnc_put_vara_float_all(file, 0, grid.array), NC_ENO_SPACE, "No space left on device");
    EXPECT_EQ(xmpnc_close(file), NC_NOERR);
    xmp_file_t* const flat = xmp_fopen_all((disk.path() + "/full.dat").c_str(), "w");
    EXPECT_NE(flat, nullptr) << xmp_io_error();
    EXPECT_EQ(xmp_fwrite_darray_all(flat, grid.array, nullptr), -1);
    EXPECT_NE(std::string(xmp_io_error()).find("No space left on device"), std::string::npos) << xmp_io_error();
    EXPECT_EQ(xmp_fclose_all(flat), 0);
}

}  // namespace
