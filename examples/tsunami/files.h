/* The files of a run: topography, time series and maps as netCDF, restart file, gauges as text. */
#ifndef FILES_H
#define FILES_H

/* Reads ETOPO5 (etopo5.cdf of Debian's package ferret-datasets) into `depth`: metres, up positive. */
void topography_read(const char *path);

/* The result, a netCDF file after the CF conventions: the sea surface every `interval` minutes in every `every`th cell of both
 * directions, and maps of depth, highest level and arrival time in all cells. With `resume` a file that a run left unfinished
 * is continued. */
void result_open(const char *path, int interval, int every, int resume);
void result_record(int record); /* the sea surface now */
void result_flush(void);        /* what was written is on disk */
void result_close(void);        /* writes the maps */

/* Everything a run needs to go on, on any number of nodes: the checkpoint path.1, path.2, ..., of which the newest are kept.
 * restart_read returns the minute at which it was written, -1 where there is no such file. */
void restart_write(const char *path, int minute, int steps_per_minute);
int restart_read(const char *path, int *steps_per_minute);

/* The gauges' series as comma-separated values, one line a minute. */
void gauges_write(const char *path, int minutes);

#endif
