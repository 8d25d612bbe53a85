/* The gauges' series as text that every spreadsheet reads. */
#include <stdio.h>
#include <xmp.h>

#include "files.h"
#include "gauges.h"
#include "ocean.h"
#include "report.h"

static int write_series(FILE *file, int minutes) {
    fprintf(file, "# sea surface above rest in metres; place of the cell in degrees north and east, its depth in metres\n");
    for (int g = 0; g < GAUGES; g++)
        fprintf(file, "# %s,%.3f,%.3f,%.0f\n", gauges[g].name, latitude_of(gauges[g].row), longitude_of(gauges[g].column),
                gauges[g].depth);
    fprintf(file, "minute");
    for (int g = 0; g < GAUGES; g++) fprintf(file, ",%s", gauges[g].name);
    for (int minute = 0; minute <= minutes; minute++) {
        fprintf(file, "\n%d", minute);
        for (int g = 0; g < GAUGES; g++) fprintf(file, ",%.5f", gauge_height[g][minute] + 0.0);
    }
    fprintf(file, "\n");
    return ferror(file) == 0;
}

void gauges_write(const char *path, int minutes) {
    int good = 1;
    if (xmp_node_num() == 1) {
        FILE *file = fopen(path, "w");
        good = file != NULL && write_series(file, minutes);
        if (file) good = fclose(file) == 0 && good;
    }
#pragma xmp reduction(min:good)
    if (!good) stop("%s: cannot be written", path);
}
