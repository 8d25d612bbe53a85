// Every call of the file system below PnetCDF fails once, on the first and on the last node: all nodes are told the same,
// nobody waits, another file stays as it is, and the next attempt succeeds. By the engine direct: the MPI libraries' own
// collective calls hang where one node fails. xmpio/faults.py preloads the injector.
#include "fixture.hpp"
#include "placed.hpp"
#include "sweep.hpp"

using namespace layout;

namespace {

// What a job does with one file.
class Work {
public:
    // Whether some call told a failure, the same on all nodes. If none did, what was read is what was written.
    bool fails(const std::string& path) {
        const bool written = write(path);
        return !(written && read(path));
    }

private:
    bool well(int code) const {
        EXPECT_TRUE(same_everywhere(code)) << xmp_io_error();
        return code == NC_NOERR;
    }
    bool write(const std::string& path) const {
        int file = -1, id = -1;
        if (!well(xmpnc_create_all(path.c_str(), NC_CLOBBER | NC_64BIT_DATA, &file))) return false;
        const char* const names[] = {"y", "x"};
        grid_.set(1);
        const bool done = well(xmpnc_def_var_of(file, "height", NC_NAT, grid_.array, 2, names, &id)) &&
                          well(xmpnc_enddef(file)) && well(xmpnc_put_vara_float_all(file, id, grid_.array)) &&
                          well(xmpnc_sync(file));
        return well(xmpnc_close(file)) && done;
    }
    bool read(const std::string& path) const {
        int file = -1, id = -1;
        if (!well(xmpnc_open_all(path.c_str(), NC_NOWRITE, &file))) return false;
        grid_.set(0);
        const bool done = well(xmpnc_inq_varid(file, "height", &id)) && well(xmpnc_get_vara_float_all(file, id, grid_.array));
        if (done) grid_.expect(1);
        return well(xmpnc_close(file)) && done;
    }

    Grid<float> grid_{XMP_TYPE_FLOAT, 6, 5};
};

TEST(FaultsOfNetcdf, ACallOfTheFileSystemFails) {
    const Injector injector;
    if (injector.arm == nullptr) GTEST_SKIP() << "the injector is not preloaded";
    setenv("KUMIHIMO_XMPIO_MESSAGES", "0", 1);
    setenv("KUMIHIMO_IO", "**=direct", 1);
    SharedFile neighbour("neighbour.nc"), swept("swept.nc");
    Work work;
    EXPECT_FALSE(work.fails(neighbour.path)) << xmp_io_error();
    const std::string before = contents_of(neighbour.path);
    int told = 0;
    for (const char* const call : {"open", "write", "read", "sync", "close", "truncate"}) {
        sweep(injector, "path=*kumihimo-swept.nc-*,call=" + std::string(call), [&](auto&&) { told += work.fails(swept.path); });
        EXPECT_FALSE(work.fails(swept.path)) << xmp_io_error();
    }
    EXPECT_GE(told, 8);
    EXPECT_EQ(contents_of(neighbour.path), before);
    for (const char* name : {"KUMIHIMO_XMPIO_MESSAGES", "KUMIHIMO_IO"}) unsetenv(name);
}

}  // namespace
