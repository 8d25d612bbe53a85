/* Messages and the progress bar. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xmp.h>

#include "report.h"

static int speaker(void) { return xmp_node_num() == 1; }

void say(const char *format, ...) {
    if (!speaker()) return;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    fflush(stdout);
}

void stop(const char *format, ...) {
    if (speaker()) {
        fputs("tsunami: ", stderr);
        va_list arguments;
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fputc('\n', stderr);
    }
    exit(1);
}

void progress(int minute, int minutes, int always) {
    static struct timespec start;
    const int on_terminal = isatty(STDERR_FILENO) || getenv("KUMIHIMO_TERMINAL"); /* set by xmprun */
    if (!speaker() || !(always || on_terminal)) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (start.tv_sec == 0) start = now;

    enum { LENGTH = 40 };
    char bar[LENGTH + 1];
    const int filled = minutes > 0 ? LENGTH * minute / minutes : LENGTH;
    memset(bar, '=', filled);
    memset(bar + filled, ' ', LENGTH - filled);
    bar[LENGTH] = '\0';
    const double seconds = (now.tv_sec - start.tv_sec) + 1e-9 * (now.tv_nsec - start.tv_nsec);
    fprintf(stderr, "\r[%s] %2d h %02d min of ocean in %.0f s ", bar, minute / 60, minute % 60, seconds);
    if (minute >= minutes) fputc('\n', stderr);
    fflush(stderr);
}
