/* The restart file: a checkpoint of the five fields of the state, with what all nodes hold alike. Any number of nodes reads what
 * any other number wrote. */
#include <string.h>
#include <xmp.h>
#include <xmp_io.h>

#include "files.h"
#include "gauges.h"
#include "ocean.h"
#include "report.h"

static struct Values {
    int minute, steps_per_minute;
    float gauge_height[GAUGES][LONGEST_HOURS * 60 + 1];
} values;

static void failed(const char *path) { stop("%s: %s", path, xmp_io_error()); }

void restart_write(const char *path, int minute, int steps_per_minute) {
    const xmp_desc_t fields[] = {xmp_desc_of(height), xmp_desc_of(east), xmp_desc_of(south), xmp_desc_of(highest),
                                 xmp_desc_of(arrival)};
    values.minute = minute;
    values.steps_per_minute = steps_per_minute;
    memcpy(values.gauge_height, gauge_height, sizeof gauge_height);
    if (xmp_checkpoint_save_values(path, 5, fields, &values, sizeof values) < 0) failed(path);
}

int restart_read(const char *path, int *steps_per_minute) {
    const xmp_desc_t fields[] = {xmp_desc_of(height), xmp_desc_of(east), xmp_desc_of(south), xmp_desc_of(highest),
                                 xmp_desc_of(arrival)};
    const long long latest = xmp_checkpoint_latest(path);
    if (latest == 0) return -1;
    if (latest < 0 || xmp_checkpoint_restore_values(path, 5, fields, &values, sizeof values) < 0) failed(path);
    memcpy(gauge_height, values.gauge_height, sizeof gauge_height);
    *steps_per_minute = values.steps_per_minute;
    return values.minute;
}
