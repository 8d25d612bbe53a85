/* Reads the topography: each node its block of the file. */
#include <xmp.h>
#include <xmpnc.h>

#include "files.h"
#include "ocean.h"
#include "report.h"

enum { FILE_MINUTES = 5, FILE_ROWS = 180 * 60 / FILE_MINUTES + 1, FILE_COLUMNS = 360 * 60 / FILE_MINUTES };

static void check(int status, const char *path) {
    if (status != NC_NOERR) stop("%s: %s", path, xmpnc_strerror(status));
}

void topography_read(const char *path) {
    int ncid, variable, dimensions[2];
    check(xmpnc_open(xmp_get_mpi_comm(), path, NC_NOWRITE, MPI_INFO_NULL, &ncid), path);
    check(xmpnc_inq_varid(ncid, "ROSE", &variable), path); /* "relief of the surface of the Earth" */
    check(xmpnc_inq_vardimid(ncid, variable, dimensions), path);
    MPI_Offset rows, columns;
    check(xmpnc_inq_dimlen(ncid, dimensions[0], &rows), path);
    check(xmpnc_inq_dimlen(ncid, dimensions[1], &columns), path);
    if (rows != FILE_ROWS || columns != FILE_COLUMNS)
        stop("%s: ROSE is %lld x %lld, but ETOPO5 is %d x %d from the south pole to the north pole, from Greenwich eastward",
             path, (long long)rows, (long long)columns, FILE_ROWS, FILE_COLUMNS);

    /* Row 0 of the grid lies at LIMIT_DEGREES south; of the file's points every (MINUTES / 5)th is a cell. */
    const MPI_Offset start[2] = {(90 - LIMIT_DEGREES) * 60 / FILE_MINUTES, 0};
    const MPI_Offset stride[2] = {MINUTES / FILE_MINUTES, MINUTES / FILE_MINUTES};
    check(xmpnc_get_varx_float_all(ncid, variable, start, stride, xmp_desc_of(depth), NULL), path);
    check(xmpnc_close(ncid), path);
}
