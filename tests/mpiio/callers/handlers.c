/* Error handlers, handle conversion and senseless calls, on a served file (argv[1]). Prints `ok` if all was as the standard says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int calls, class_seen;
static MPI_File file_seen;

static void handler(MPI_File *file, int *code, ...) {
    ++calls;
    file_seen = *file;
    MPI_Error_class(*code, &class_seen);
}

static void check(int right, const char *what) {
    if (right) return;
    fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void error_handlers(MPI_File file) {
    MPI_Errhandler mine, found;
    char byte = 0;
    MPI_File_get_errhandler(file, &found);
    check(found == MPI_ERRORS_RETURN, "the default handler");
    check(MPI_File_create_errhandler(handler, &mine) == MPI_SUCCESS, "create_errhandler");
    check(MPI_File_set_errhandler(file, mine) == MPI_SUCCESS, "set_errhandler");
    MPI_File_get_errhandler(file, &found);
    check(found == mine, "get_errhandler");
    MPI_Errhandler_free(&found);
    check(MPI_File_write_at(file, -1, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS, "a negative offset");
    check(calls == 1 && file_seen == file && class_seen == MPI_ERR_ARG, "the handler of a failing call");
    check(MPI_File_call_errhandler(file, MPI_ERR_IO) == MPI_SUCCESS, "call_errhandler");
    check(calls == 2 && file_seen == file && class_seen == MPI_ERR_IO, "the handler of call_errhandler");
    MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
    check(MPI_File_write_at(file, -1, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS && calls == 2, "the old handler");
    MPI_Errhandler_free(&mine);
}

static void inherited_handler(const char *name) {
    MPI_Errhandler mine;
    MPI_File file;
    char byte = 0;
    MPI_File_create_errhandler(handler, &mine);
    MPI_File_set_errhandler(MPI_FILE_NULL, mine);
    check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS, "open");
    calls = 0;
    check(MPI_File_read_at(file, -1, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS, "a negative offset");
    check(calls == 1 && file_seen == file, "the handler inherited from MPI_FILE_NULL");
    MPI_File_close(&file);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&mine);
}

static void senseless_calls(MPI_File file) {
    MPI_File none = MPI_FILE_NULL;
    MPI_Offset size;
    char byte = 0;
    check(MPI_File_get_size(MPI_FILE_NULL, &size) != MPI_SUCCESS, "get_size of MPI_FILE_NULL");
    check(MPI_File_write(MPI_FILE_NULL, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS, "write to MPI_FILE_NULL");
    check(MPI_File_close(&none) != MPI_SUCCESS, "close of MPI_FILE_NULL");
    check(MPI_File_open(MPI_COMM_WORLD, "/no/such/directory/x.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &none) != MPI_SUCCESS, "open");
    check(MPI_File_write(file, &byte, -1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS, "a negative count");
}

int main(int argc, char **argv) {
    MPI_File file;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS, "open");
    check(MPI_File_f2c(MPI_File_c2f(file)) == file, "MPI_File_f2c(MPI_File_c2f(file))");
    check(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL, "MPI_FILE_NULL through Fortran");
    error_handlers(file);
    senseless_calls(file);
    check(MPI_File_close(&file) == MPI_SUCCESS && file == MPI_FILE_NULL, "close");
    inherited_handler(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) check(MPI_File_delete(argv[1], MPI_INFO_NULL) == MPI_SUCCESS, "delete");
    if (rank == 0) check(MPI_File_delete(argv[1], MPI_INFO_NULL) != MPI_SUCCESS, "delete of what is not there");
    if (rank == 0) printf("ok\n");
    MPI_Finalize();
    return 0;
}
