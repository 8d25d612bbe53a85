/* A job that a host goes away from (test_away.py): coarrays and a file that all write, in rounds with a sync after each. Byte o
 * of the file is always value(o), so that what is found there afterwards is right, or a hole. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmp.h>

#define PIECE 1000 /* bytes, in turn by all images */

#pragma xmp nodes p[*]
static long box : [*];

static char value(long o) {
    return (char)(1 + o % 251);
}

static void check(int result, const char* what) {
    if (result == MPI_SUCCESS) return;
    fprintf(stderr, "%s failed\n", what);
    exit(3);
}

static void write_round(MPI_File file, long round, long pieces, int me, int images) {
    char piece[PIECE];
    for (long i = 0; i < pieces; i++) {
        const long at = ((round * pieces + i) * images + me) * PIECE;
        for (int k = 0; k < PIECE; k++) piece[k] = value(at + k);
        check(MPI_File_write_at(file, at, piece, PIECE, MPI_CHAR, MPI_STATUS_IGNORE), "write");
    }
}

/* What is durable: `rounds` of it. */
static void tell(const char* directory, long rounds) {
    char name[1024];
    snprintf(name, sizeof name, "%s/synced-%ld", directory, rounds);
    fclose(fopen(name, "w"));
}

/* Words: a directory, how many rounds, how many pieces an image has in each. */
int main(int argc, char** argv) {
    const int me = xmpc_this_image(), images = xmp_num_images();
    const char* directory = argc > 3 ? argv[1] : "";
    const long rounds = argc > 3 ? atol(argv[2]) : 0, pieces = argc > 3 ? atol(argv[3]) : 0;
    char name[1024];
    MPI_File file;
    snprintf(name, sizeof name, "%s/file.dat", directory);
    check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file), "open");
    for (long round = 0; round < rounds; round++) {
    box:
        [(me + 1) % images] = round + me;
        xmp_sync_all(NULL);
        if (box != round + (me + images - 1) % images) {
            fprintf(stderr, "wrong value\n");
            exit(4);
        }
        xmp_sync_all(NULL);
        write_round(file, round, pieces, me, images);
        check(MPI_File_sync(file), "sync");
        if (me == 0) tell(directory, round + 1);
    }
    check(MPI_File_close(&file), "close");
    return 0;
}
