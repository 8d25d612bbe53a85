/* The restart file: a head, the five fields of the state, the gauges' series. The fields stand in it as in the memory of a
 * serial program, so that any number of nodes can read what any other number wrote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xmp.h>
#include <xmp_io.h>

#include "files.h"
#include "gauges.h"
#include "ocean.h"
#include "report.h"

typedef struct Head {
    char kind[16];                      /* "tsunami restart" */
    int rows, columns, gauges, samples; /* shapes of what follows */
    int minute, steps_per_minute;
    char unused[24];
} Head;

static const Head expected = {"tsunami restart", ROWS, COLUMNS, GAUGES, LONGEST_HOURS * 60 + 1, 0, 0, ""};

static void failed(const char *path) { stop("%s: %s", path, xmp_io_error()); }

/* ---- Write ---- */

static void write_field(xmp_file_t *file, xmp_desc_t field, const char *path) {
    if (xmp_fwrite_darray_all(file, field, NULL) < 0) failed(path);
}

/* Local data that all nodes hold: one of them writes it at the position of all. */
static void write_copy(xmp_file_t *file, const void *data, size_t bytes, const char *path) {
    int good = 1;
    if (xmp_node_num() == 1)
        good = xmp_fwrite(file, data, 1, bytes) == (ssize_t)bytes;
    else
        good = xmp_fseek(file, (long long)bytes, SEEK_CUR) == 0;
#pragma xmp reduction(min:good)
    if (!good) failed(path);
}

void restart_write(const char *path, int minute, int steps_per_minute) {
    char fresh[4096];
    if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh) stop("%s: name too long", path);
    Head head = expected;
    head.minute = minute;
    head.steps_per_minute = steps_per_minute;

    xmp_file_t *file = xmp_fopen_all(fresh, "w");
    if (!file) failed(fresh);
    write_copy(file, &head, sizeof head, fresh);
    write_field(file, xmp_desc_of(height), fresh);
    write_field(file, xmp_desc_of(east), fresh);
    write_field(file, xmp_desc_of(south), fresh);
    write_field(file, xmp_desc_of(highest), fresh);
    write_field(file, xmp_desc_of(arrival), fresh);
    write_copy(file, gauge_height, sizeof gauge_height, fresh);
    /* Whole and on disk before it takes the old one's place: whenever a run dies, one complete file is there. */
    if (xmp_file_sync_all(file) != 0 || xmp_fclose_all(file) != 0) failed(fresh);
    int good = 1;
    if (xmp_node_num() == 1) good = rename(fresh, path) == 0;
#pragma xmp reduction(min:good)
    if (!good) stop("%s: cannot be renamed to %s", fresh, path);
}

/* ---- Read ---- */

static void read_field(xmp_file_t *file, xmp_desc_t field, const char *path) {
    if (xmp_fread_darray_all(file, field, NULL) < 0) failed(path);
}

static void read_copy(xmp_file_t *file, void *data, size_t bytes, const char *path) {
    if (xmp_fread_all(file, data, 1, bytes) != (ssize_t)bytes) stop("%s: ends too early", path);
}

int restart_read(const char *path, int *steps_per_minute) {
    int missing = access(path, R_OK) != 0;
#pragma xmp reduction(max:missing)
    if (missing) return -1;
    xmp_file_t *file = xmp_fopen_all(path, "r");
    if (!file) failed(path);
    Head head;
    read_copy(file, &head, sizeof head, path);
    if (memcmp(head.kind, expected.kind, sizeof head.kind) != 0) stop("%s: not a restart file of this program", path);
    if (head.rows != ROWS || head.columns != COLUMNS || head.gauges != GAUGES || head.samples != expected.samples)
        stop("%s: written on a grid of %d x %d with %d gauges, this program has %d x %d with %d", path, head.rows, head.columns,
             head.gauges, ROWS, COLUMNS, GAUGES);
    read_field(file, xmp_desc_of(height), path);
    read_field(file, xmp_desc_of(east), path);
    read_field(file, xmp_desc_of(south), path);
    read_field(file, xmp_desc_of(highest), path);
    read_field(file, xmp_desc_of(arrival), path);
    read_copy(file, gauge_height, sizeof gauge_height, path);
    xmp_fclose_all(file);
    *steps_per_minute = head.steps_per_minute;
    return head.minute;
}
