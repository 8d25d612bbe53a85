/* What the program says: one node speaks for all. */
#ifndef REPORT_H
#define REPORT_H

/* Prints on the first node. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints on the first node and ends the program on all, which must all call it. */
_Noreturn void stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A bar that shows how far the run is, where standard error is a terminal. Most MPI launchers put a pipe between the two:
 * `always` shows it nevertheless. */
void progress(int minute, int minutes, int always);

#endif
