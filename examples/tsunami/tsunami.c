/* The tsunami of 11 March 2011 on the real ocean: 10 hours of the Pacific in less than a minute.
 *
 *   xmpcc -O3 -o tsunami *.c -lm            (-DMINUTES=20 for a coarse grid that takes a second)
 *   xmprun -n 4 ./tsunami --topography etopo5.cdf
 *
 * etopo5.cdf is in Debian's package ferret-datasets. draw.py draws the result, verify.py compares it with what was measured. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>

#include "earthquake.h"
#include "files.h"
#include "gauges.h"
#include "ocean.h"
#include "report.h"

typedef struct Options {
    const char *topography, *result, *gauges, *restart;
    double hours;
    int interval, every, restart_interval, resume, progress;
} Options;

static const char usage[] =
    "usage: tsunami [options]\n"
    "  --topography FILE        ETOPO5 as netCDF (etopo5.cdf)\n"
    "  --hours H                how long after the earthquake to end (10)\n"
    "  --result FILE            sea surface and maps, netCDF (tsunami.nc)\n"
    "  --interval MINUTES       time between two sea surfaces in the result (10)\n"
    "  --every N                of the cells in both directions, which ones go into these (3: every third)\n"
    "  --gauges FILE            series of the gauges, text (gauges.csv)\n"
    "  --restart-file NAME      of the checkpoint (tsunami.restart)\n"
    "  --restart-interval MIN   time between two checkpoints; 0: none (300)\n"
    "  --resume                 go on from the newest checkpoint, if there is one\n"
    "  --progress               show how far the run is even if standard error is no terminal\n";

static int positive(const char *name, const char *text, int least) {
    char *end;
    const long value = strtol(text, &end, 10);
    if (*end || end == text || value < least || value > 1000000)
        stop("--%s %s: a whole number from %d on is needed", name, text, least);
    return (int)value;
}

static Options options_read(int argc, char **argv) {
    Options o = {"etopo5.cdf", "tsunami.nc", "gauges.csv", "tsunami.restart", 10.0, 10, 3, 300, 0, 0};
    static const struct option known[] = {
        {"topography", required_argument, NULL, 't'},
        {"hours", required_argument, NULL, 'h'},
        {"result", required_argument, NULL, 'o'},
        {"interval", required_argument, NULL, 'i'},
        {"every", required_argument, NULL, 'e'},
        {"gauges", required_argument, NULL, 'g'},
        {"restart-file", required_argument, NULL, 'f'},
        {"restart-interval", required_argument, NULL, 'n'},
        {"resume", no_argument, NULL, 'r'},
        {"progress", no_argument, NULL, 'p'},
        {NULL, 0, NULL, 0},
    };
    opterr = 0; /* one node speaks */
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) switch (c) {
            case 't': o.topography = optarg; break;
            case 'h': o.hours = atof(optarg); break;
            case 'o': o.result = optarg; break;
            case 'i': o.interval = positive("interval", optarg, 1); break;
            case 'e': o.every = positive("every", optarg, 1); break;
            case 'g': o.gauges = optarg; break;
            case 'f': o.restart = optarg; break;
            case 'n': o.restart_interval = positive("restart-interval", optarg, 0); break;
            case 'r': o.resume = 1; break;
            case 'p': o.progress = 1; break;
            default: stop("unknown option, or one without its value\n%s", usage);
        }
    if (optind < argc) stop("%s: no such argument\n%s", argv[optind], usage);
    if (!(o.hours >= 0.0 && o.hours <= LONGEST_HOURS)) stop("--hours: from 0 to %d", LONGEST_HOURS);
    return o;
}

/* The sea just after the earthquake, or as the restart file has it. Returns the minute. */
static int begin(const Options *options, int *steps_per_minute) {
    double limit;
    topography_read(options->topography);
    ocean_fill();
    *steps_per_minute = ocean_time_step(&limit);
    say("grid %d x %d, cells of %d arc minutes; time step %.2f s, stable up to %.2f s\n", ROWS, COLUMNS, MINUTES,
        60.0 / *steps_per_minute, limit);
    gauges_place();

    int minute = options->resume ? restart_read(options->restart, steps_per_minute) : -1;
    if (minute >= 0) {
        say("going on from %s, written %d minutes after the earthquake\n", options->restart, minute);
    } else {
        say("earthquake of magnitude %.1f\n", earthquake_magnitude());
        ocean_start(earthquake_uplift);
    }
    ocean_prepare(*steps_per_minute);
    return minute;
}

int main(int argc, char **argv) {
    const double start = xmp_wtime();
    const Options options = options_read(argc, argv);
    const int minutes = (int)lround(options.hours * 60.0);
    int steps_per_minute;
    int minute = begin(&options, &steps_per_minute);
    double displaced, remaining, moved;
    ocean_volume(&displaced, &moved);
    result_open(options.result, options.interval, options.every, minute >= 0);

    /* Minute 0 is the sea that the earthquake left, without a step. */
    for (minute++; minute <= minutes; minute++) {
        for (int step = 0; minute > 0 && step < steps_per_minute; step++) ocean_step();
        ocean_record(minute);
        gauges_record(minute);
        if (minute % options.interval == 0) result_record(minute / options.interval);
        if (options.restart_interval > 0 && minute > 0 && minute % options.restart_interval == 0) {
            result_flush();
            restart_write(options.restart, minute, steps_per_minute);
        }
        progress(minute, minutes, options.progress);
    }

    result_close();
    gauges_write(options.gauges, minutes);
    double still_moved;
    ocean_volume(&remaining, &still_moved);
    if (!isfinite(remaining)) stop("the sea surface is not finite: the time step is too long for this grid");
    say("%d minutes of ocean in %.1f s on %d nodes\n", minutes, xmp_wtime() - start, xmp_num_nodes());
    say("volume above rest %.5e m3, change since the start %.0e of the water moved\n", remaining,
        fabs(remaining - displaced) / moved);
    return 0;
}
