// Error handlers (MPI 3.1, 13.7), memory of a GPU, handles of files that are not served.
#include <cstdint>
#include <utility>

#include "tests/mpiio/file/scratch.hpp"

namespace {

struct Seen {
    int calls = 0;
    MPI_File file = MPI_FILE_NULL;
    int error_class = MPI_SUCCESS;
} seen;

void remember(MPI_File* file, int* code, ...) {
    seen.calls += 1;
    seen.file = *file;
    seen.error_class = error_class(*code);
}

void forgive(MPI_File*, int* code, ...) {
    *code = MPI_SUCCESS;
}

// What fails in it changes nothing outside.
void fail_and_replace(MPI_File* file, int* code, ...) {
    static bool inside = false;
    if (!std::exchange(inside, true)) {
        EXPECT_EQ(MPI_ERR_QUOTA, MPI_File_seek(*file, -1, MPI_SEEK_SET));
        inside = false;
    }
    *code = MPI_ERR_QUOTA;
}

MPI_Offset position_in_handler = -1;
void ask_position(MPI_File* file, int*, ...) {
    MPI_File_get_position(*file, &position_in_handler);
}

const char* device_pointer = nullptr;

}  // namespace

// What a program with CUDA has in its address space.
extern "C" __attribute__((visibility("default"))) int cuPointerGetAttribute(void* data, int, std::uintptr_t pointer) {
    if (pointer != reinterpret_cast<std::uintptr_t>(device_pointer)) return 1;
    *static_cast<unsigned*>(data) = 2;  // CU_MEMORYTYPE_DEVICE
    return 0;
}

TEST(Errors, HandlerIsCalledWithTheFile) {
    const Scratch scratch("handler");
    MPI_File file = scratch.open(create_and_write);
    MPI_Errhandler handler, back;
    MPI_File_create_errhandler(remember, &handler);
    EXPECT_OK(MPI_File_set_errhandler(file, handler));
    EXPECT_OK(MPI_File_get_errhandler(file, &back));
    EXPECT_EQ(handler, back);
    seen = {};
    char byte = 0;
    MPI_File_write_at(file, -1, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE);
    EXPECT_EQ(1, seen.calls);
    EXPECT_EQ(file, seen.file);
    EXPECT_EQ(MPI_ERR_ARG, seen.error_class);
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&back);
    EXPECT_OK(MPI_File_close(&file));
}

// A handler may ask the file what it was doing.
TEST(Errors, HandlerMayUseTheFile) {
    const Scratch scratch("reentry");
    MPI_File file = scratch.open(create_and_write);
    position_in_handler = -1;
    MPI_Errhandler handler;
    MPI_File_create_errhandler(ask_position, &handler);
    EXPECT_OK(MPI_File_set_errhandler(file, handler));
    EXPECT_OK(MPI_File_seek(file, 5, MPI_SEEK_SET));
    MPI_File_seek(file, -1, MPI_SEEK_SET);
    EXPECT_EQ(5, position_in_handler);
    MPI_Errhandler_free(&handler);
    EXPECT_OK(MPI_File_close(&file));
}

// The call returns what its handler makes of the code (8.3).
TEST(Errors, HandlerMayChangeTheCode) {
    const Scratch scratch("forgiven");
    MPI_File file = scratch.open(create_and_write);
    MPI_Errhandler handlers[2];
    MPI_File_create_errhandler(forgive, &handlers[0]);
    MPI_File_create_errhandler(fail_and_replace, &handlers[1]);
    MPI_File_set_errhandler(file, handlers[0]);
    EXPECT_OK(MPI_File_seek(file, -1, MPI_SEEK_SET));
    MPI_File_set_errhandler(file, handlers[1]);
    EXPECT_EQ(MPI_ERR_QUOTA, MPI_File_seek(file, -1, MPI_SEEK_SET));
    MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
    EXPECT_CLASS(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
    for (MPI_Errhandler& handler : handlers) MPI_Errhandler_free(&handler);
    EXPECT_OK(MPI_File_close(&file));
}

TEST(Errors, NewFilesInheritTheHandlerOfNoFile) {
    const Scratch scratch("inherit");
    MPI_Errhandler handler, before;
    MPI_File_get_errhandler(MPI_FILE_NULL, &before);
    EXPECT_EQ(MPI_ERRORS_RETURN, before);
    MPI_File_create_errhandler(remember, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    seen = {};
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, scratch.name(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    EXPECT_EQ(1, seen.calls);
    EXPECT_EQ(MPI_ERR_NO_SUCH_FILE, seen.error_class);
    MPI_File_set_errhandler(MPI_FILE_NULL, before);
    MPI_Errhandler_free(&handler);
    file = scratch.open(create_and_write);  // a handle that was used before must not keep the old handler
    EXPECT_CLASS(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
    EXPECT_EQ(1, seen.calls);
    EXPECT_OK(MPI_File_close(&file));
}

TEST(Errors, HandlesGoToFortranAndBack) {
    const Scratch scratch("fortran");
    MPI_File file = scratch.open(create_and_write);
    EXPECT_EQ(file, MPI_File_f2c(MPI_File_c2f(file)));
    EXPECT_EQ(MPI_FILE_NULL, MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)));
    EXPECT_OK(MPI_File_close(&file));
}

TEST(Errors, MemoryOfAGpuIsRefused) {
    const Scratch scratch("gpu");
    MPI_File file = scratch.open(create_and_write);
    const char device[16] = {}, host[16] = {};
    device_pointer = device;
    EXPECT_CLASS(MPI_ERR_BUFFER, MPI_File_write_at(file, 0, device, 16, MPI_CHAR, MPI_STATUS_IGNORE));
    EXPECT_OK(MPI_File_write_at(file, 0, host, 16, MPI_CHAR, MPI_STATUS_IGNORE));
    device_pointer = nullptr;
    EXPECT_OK(MPI_File_close(&file));
}
