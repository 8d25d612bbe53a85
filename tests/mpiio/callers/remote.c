/* A program that knows nothing of where its file is:
 *     remote NAME write      a matrix by columns (collective), a block of each rank (independent, shared pointer), then sync
 *     remote NAME read       the same back, compared
 *     remote NAME lose MARK  writes; makes MARK.ready, waits until MARK.gone is there, and tells what every call says then
 *     remote NAME bulk BYTES so many bytes of each rank, in pieces, collective; they repeat themselves
 *     remote NAME delete
 * Each rank tells on a line what became of it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rows = 3000, block = 4096, lines = 5, line_bytes = 16 };

static int rank, ranks;

static void tell(const char* what, int code) {
    int class = MPI_SUCCESS, length = 0;
    char text[MPI_MAX_ERROR_STRING + 1] = "", line[MPI_MAX_ERROR_STRING + 64];
    MPI_Error_class(code, &class);
    if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
    snprintf(line, sizeof line, "rank %d: %s %s %s\n", rank, what, class == MPI_SUCCESS ? "well" : "failed", text);
    fputs(line, stdout);
    fflush(stdout);
    if (code != MPI_SUCCESS && strcmp(what, "lost") != 0 && strcmp(what, "open") != 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Byte `at` of the matrix. */
static unsigned char value(long at) {
    return (unsigned char)(at * 7 + at / 251);
}

static MPI_Datatype column(void) { /* every `ranks`-th element of 8 bytes */
    MPI_Datatype strided, type;
    MPI_Type_vector(rows, 8, 8 * ranks, MPI_BYTE, &strided);
    MPI_Type_create_resized(strided, 0, 8L * ranks * rows, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&strided);
    return type;
}

static long place(long i) {
    return (i / 8 * ranks + rank) * 8 + i % 8;
}

static void write_file(MPI_File file) {
    static unsigned char mine[rows * 8], own[block];
    MPI_Datatype type = column();
    for (long i = 0; i < (long)sizeof mine; ++i) mine[i] = value(place(i));
    MPI_File_set_view(file, 8 * rank, MPI_BYTE, type, "native", MPI_INFO_NULL);
    tell("write_all", MPI_File_write_all(file, mine, sizeof mine, MPI_BYTE, MPI_STATUS_IGNORE));
    const MPI_Offset matrix = 8L * ranks * rows;
    MPI_File_set_view(file, matrix, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    memset(own, 'a' + rank, sizeof own);
    tell("write_at", MPI_File_write_at(file, (MPI_Offset)rank * block, own, block, MPI_BYTE, MPI_STATUS_IGNORE));
    MPI_File_set_view(file, matrix + (MPI_Offset)ranks * block, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    for (int i = 0; i < lines; ++i) {
        char line[line_bytes + 1];
        snprintf(line, sizeof line, "%3d of rank %3d\n", i, rank);
        tell("write_shared", MPI_File_write_shared(file, line, line_bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    tell("sync", MPI_File_sync(file));
    MPI_Offset size = 0;
    tell("size", MPI_File_get_size(file, &size));
    if (size != matrix + (MPI_Offset)ranks * (block + lines * line_bytes)) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Type_free(&type);
}

static void read_file(MPI_File file) {
    static unsigned char mine[rows * 8], other[block];
    MPI_Datatype type = column();
    MPI_Status status;
    int count = 0, wrong = 0;
    MPI_File_set_view(file, 8 * rank, MPI_BYTE, type, "native", MPI_INFO_NULL);
    tell("read_all", MPI_File_read_all(file, mine, sizeof mine, MPI_BYTE, &status));
    MPI_Get_count(&status, MPI_BYTE, &count);
    for (long i = 0; i < (long)sizeof mine; ++i) wrong += mine[i] != value(place(i));
    MPI_File_set_view(file, 8L * ranks * rows, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    const int neighbour = (rank + 1) % ranks;
    MPI_Request request;
    tell("iread_at", MPI_File_iread_at(file, (MPI_Offset)neighbour * block, other, block, MPI_BYTE, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < block; ++i) wrong += other[i] != 'a' + neighbour;
    if (wrong != 0 || count != (int)sizeof mine) MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Type_free(&type);
}

static void write_bulk(MPI_File file, long bytes) {
    enum { piece = 1 << 18 };
    static unsigned char data[piece];
    for (long at = 0; at < bytes; at += piece) {
        for (long i = 0; i < piece; ++i) data[i] = (unsigned char)((at + i) * 7 / 1000);
        tell("write_all", MPI_File_write_at_all(file, rank * (MPI_Offset)bytes + at, data, piece, MPI_BYTE, MPI_STATUS_IGNORE));
    }
}

static void lose_file(MPI_File file, const char* mark) {
    static char data[1 << 20];
    char name[4096];
    tell("before", MPI_File_write_at_all(file, (MPI_Offset)rank << 20, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE));
    tell("before", MPI_File_sync(file));
    if (rank == 0) {
        snprintf(name, sizeof name, "%s.ready", mark);
        fclose(fopen(name, "w"));
        snprintf(name, sizeof name, "%s.gone", mark);
        while (access(name, F_OK) != 0) usleep(10000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_at_all(file, (MPI_Offset)rank << 20, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE);
    tell("lost", MPI_File_sync(file));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* const what = argv[2];
    MPI_File file;
    if (strcmp(what, "delete") == 0) {
        if (rank == 0) tell("delete", MPI_File_delete(argv[1], MPI_INFO_NULL));
        MPI_Finalize();
        return 0;
    }
    const int mode = strcmp(what, "read") == 0 ? MPI_MODE_RDONLY : MPI_MODE_RDWR | MPI_MODE_CREATE;
    const int opened = MPI_File_open(MPI_COMM_WORLD, argv[1], mode, MPI_INFO_NULL, &file);
    tell("open", opened);
    if (opened != MPI_SUCCESS) { /* on all ranks */
        MPI_Finalize();
        return 0;
    }
    if (strcmp(what, "write") == 0) write_file(file);
    if (strcmp(what, "read") == 0) read_file(file);
    if (strcmp(what, "bulk") == 0) write_bulk(file, atol(argv[3]));
    if (strcmp(what, "lose") == 0 && argc > 3) lose_file(file, argv[3]);
    tell(strcmp(what, "lose") == 0 ? "lost" : "close", MPI_File_close(&file));
    MPI_Finalize();
    return 0;
}
