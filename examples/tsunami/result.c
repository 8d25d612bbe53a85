/* The result: one netCDF file after the CF conventions (cfconventions.org), written by all nodes together. */
#include <string.h>
#include <xmp.h>
#include <xmpnc.h>

#include "files.h"
#include "ocean.h"
#include "report.h"

/* What is written: fields with land masked, and the coordinates, distributed like the dimensions they describe. */
static float masked[ROWS][WIDTH];
static double latitude[ROWS], longitude[COLUMNS];
#pragma xmp align masked[j][i] with ocean[j][i]
#pragma xmp align latitude[j] with ocean[j][*]
#pragma xmp align longitude[i] with ocean[*][i]

static struct {
    const char *path;
    int file, interval, every;
    int time, level, coarse_latitude, coarse_longitude, latitude, longitude, depth, highest, arrival; /* variables */
} result;

static void check(int status) {
    if (status != NC_NOERR) stop("%s: %s", result.path, xmpnc_strerror(status));
}

/* ---- Definitions ---- */

static void text(int variable, const char *name, const char *value) {
    check(xmpnc_put_att_text(result.file, variable, name, (MPI_Offset)strlen(value), value));
}

static int dimension(const char *name, MPI_Offset length) {
    int id;
    check(xmpnc_def_dim(result.file, name, length, &id));
    return id;
}

static int variable(const char *name, nc_type type, int rank, const int *dimensions) {
    int id;
    check(xmpnc_def_var(result.file, name, type, rank, dimensions, &id));
    return id;
}

static int axis(const char *name, int dim, const char *standard_name, const char *units, const char *letter) {
    const int id = variable(name, NC_DOUBLE, 1, &dim);
    text(id, "standard_name", standard_name);
    text(id, "long_name", standard_name);
    text(id, "units", units);
    text(id, "axis", letter);
    return id;
}

static int field(const char *name, int rank, const int *dimensions, const char *long_name, const char *units) {
    const float fill = NC_FILL_FLOAT;
    const int id = variable(name, NC_FLOAT, rank, dimensions);
    text(id, "long_name", long_name);
    text(id, "units", units);
    check(xmpnc_put_att_float(result.file, id, "_FillValue", NC_FLOAT, 1, &fill));
    return id;
}

static int coarse(int cells) { return (cells + result.every - 1) / result.every; }

static void define(void) {
    /* CDF-2 holds variables of up to 4 GiB and is read by everything. */
    const double bytes = (double)ROWS * COLUMNS * sizeof(float);
    const int format = bytes < 4294967292.0 ? NC_64BIT_OFFSET : NC_64BIT_DATA;
    check(xmpnc_create(xmp_get_mpi_comm(), result.path, NC_CLOBBER | format, MPI_INFO_NULL, &result.file));

    const int time = dimension("time", NC_UNLIMITED);
    const int coarse_y = dimension("coarse_latitude", coarse(ROWS)), coarse_x = dimension("coarse_longitude", coarse(COLUMNS));
    const int y = dimension("latitude", ROWS), x = dimension("longitude", COLUMNS);
    result.time = axis("time", time, "time", "seconds since 2011-03-11 05:46:24 UTC", "T");
    text(result.time, "calendar", "standard");
    result.coarse_latitude = axis("coarse_latitude", coarse_y, "latitude", "degrees_north", "Y");
    result.coarse_longitude = axis("coarse_longitude", coarse_x, "longitude", "degrees_east", "X");
    result.latitude = axis("latitude", y, "latitude", "degrees_north", "Y");
    result.longitude = axis("longitude", x, "longitude", "degrees_east", "X");

    const int map[2] = {y, x}, maps[3] = {time, coarse_y, coarse_x};
    result.level = field("sea_surface_height", 3, maps, "sea surface height above rest", "m");
    text(result.level, "standard_name", "sea_surface_height_above_mean_sea_level");
    text(result.level, "cell_methods", "time: point");
    result.depth = field("depth", 2, map, "depth of the sea at rest", "m");
    text(result.depth, "standard_name", "sea_floor_depth_below_mean_sea_level");
    result.highest = field("highest_sea_surface", 2, map, "highest sea surface height since the earthquake", "m");
    result.arrival = field("arrival_time", 2, map, "time from the earthquake until the sea surface has moved by 1 cm", "min");

    text(NC_GLOBAL, "Conventions", "CF-1.8");
    text(NC_GLOBAL, "title", "Tsunami of the Tohoku earthquake of 11 March 2011");
    text(NC_GLOBAL, "institution", "Kumihimo, examples/tsunami");
    text(NC_GLOBAL, "source", "linear shallow-water equations on the sphere, Arakawa C grid, topography ETOPO5");
    text(NC_GLOBAL, "history", "written by examples/tsunami of Kumihimo");
    text(NC_GLOBAL, "references",
         "earthquake: Tang et al., J. Geophys. Res. 117 (2012) C08008; Gica et al., NOAA Tech. Memo. OAR PMEL-139 (2008); "
         "Okada, Bull. Seism. Soc. Am. 75 (1985) 1135-1154");
    check(xmpnc_enddef(result.file));
}

static void reopen(void) {
    check(xmpnc_open(xmp_get_mpi_comm(), result.path, NC_WRITE, MPI_INFO_NULL, &result.file));
    int dim;
    MPI_Offset rows;
    check(xmpnc_inq_dimid(result.file, "coarse_latitude", &dim));
    check(xmpnc_inq_dimlen(result.file, dim, &rows));
    if (rows != coarse(ROWS)) stop("%s: begun with another --every than %d", result.path, result.every);
    check(xmpnc_inq_varid(result.file, "time", &result.time));
    check(xmpnc_inq_varid(result.file, "sea_surface_height", &result.level));
    check(xmpnc_inq_varid(result.file, "depth", &result.depth));
    check(xmpnc_inq_varid(result.file, "highest_sea_surface", &result.highest));
    check(xmpnc_inq_varid(result.file, "arrival_time", &result.arrival));
}

/* ---- Contents ---- */

static xmp_range_t *range(int rank) {
    xmp_range_t *section = xmp_allocate_range(rank);
    if (!section) stop("%s: out of memory", result.path);
    return section;
}

static void write_coordinates(void) {
#pragma xmp loop on ocean[j][*]
    for (int j = 0; j < ROWS; j++) latitude[j] = latitude_of(j);
#pragma xmp loop on ocean[*][i]
    for (int i = FIRST; i < END; i++) longitude[i] = longitude_of(i);
    check(xmpnc_put_vara_double_all(result.file, result.latitude, xmp_desc_of(latitude)));
    check(xmpnc_put_vara_double_all(result.file, result.longitude, xmp_desc_of(longitude)));

    const MPI_Offset start[1] = {0}, stride[1] = {1};
    xmp_range_t *section = range(1);
    xmp_set_range(section, 1, 0, coarse(ROWS), result.every);
    check(xmpnc_put_varx_double_all(result.file, result.coarse_latitude, start, stride, xmp_desc_of(latitude), section));
    xmp_set_range(section, 1, 0, coarse(COLUMNS), result.every);
    check(xmpnc_put_varx_double_all(result.file, result.coarse_longitude, start, stride, xmp_desc_of(longitude), section));
    xmp_free_range(section);
}

void result_open(const char *path, int interval, int every, int resume) {
    result.path = path;
    result.interval = interval;
    result.every = every;
    if (resume) {
        reopen();
    } else {
        define();
        write_coordinates();
    }
}

void result_record(int record) {
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = FIRST; i < END; i++) masked[j][i] = depth[j][i] > 0.0f ? height[j][i] : NC_FILL_FLOAT;

    xmp_range_t *cells = range(2);
    xmp_set_range(cells, 1, 0, coarse(ROWS), result.every);
    xmp_set_range(cells, 2, 0, coarse(COLUMNS), result.every);
    const MPI_Offset start[3] = {record, 0, 0}, stride[3] = {1, 1, 1};
    check(xmpnc_put_varx_float_all(result.file, result.level, start, stride, xmp_desc_of(masked), cells));
    xmp_free_range(cells);
    const double seconds = record * result.interval * 60.0;
    check(xmpnc_put_var1_double_all(result.file, result.time, start, &seconds));
}

void result_flush(void) { check(xmpnc_sync(result.file)); }

static void write_map(int variable) { check(xmpnc_put_vara_float_all(result.file, variable, xmp_desc_of(masked))); }

void result_close(void) {
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = FIRST; i < END; i++) masked[j][i] = depth[j][i] > 0.0f ? depth[j][i] : NC_FILL_FLOAT;
    write_map(result.depth);
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = FIRST; i < END; i++) masked[j][i] = depth[j][i] > 0.0f ? highest[j][i] : NC_FILL_FLOAT;
    write_map(result.highest);
#pragma xmp loop (j, i) on ocean[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = FIRST; i < END; i++) masked[j][i] = arrival[j][i] >= 0.0f ? arrival[j][i] : NC_FILL_FLOAT;
    write_map(result.arrival);
    check(xmpnc_close(result.file));
}
