/* What <xmp_io.h> does: whole arrays, sections of both directions, positions, shared pointers, views, and errors told. */
#include <stdio.h>
#include <string.h>
#include <xmp.h>
#include <xmp_io.h>

enum { ROWS = 6, COLUMNS = 5 };
int u[ROWS][COLUMNS], v[ROWS][COLUMNS];
#pragma xmp nodes p[*]
#pragma xmp template t[ROWS]
#pragma xmp distribute t[block] onto p
#pragma xmp align u[i][*] with t[i]
#pragma xmp align v[i][*] with t[i]

int main(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) u[i][j] = 10 * i + j, v[i][j] = -1;

    xmp_file_t *file = xmp_fopen_all("u.dat", "w+");
    printf("wrote %zd\n", xmp_fwrite_darray_all(file, xmp_desc_of(u), NULL));
    xmp_range_t *range = xmp_allocate_range(2);
    xmp_set_range(range, 1, 4, 2, -2);
    xmp_set_range(range, 2, 1, 3, 1);
    printf("a section: %zd, ends at %lld\n", xmp_fwrite_darray_all(file, xmp_desc_of(u), range), xmp_ftell(file));
    printf("seek %d\n", xmp_fseek(file, 0, SEEK_SET));
    printf("read %zd\n", xmp_fread_darray_all(file, xmp_desc_of(v), NULL));
#pragma xmp loop on t[i]
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) printf("%d%c", v[i][j], j == COLUMNS - 1 ? '\n' : ' ');
    char text[8] = "";
    printf("local: %zd", xmp_fwrite_all(file, "abc", 1, 3));
    printf(" %zd", xmp_fwrite_shared(file, "xy", 1, 2));
    printf(" %lld", xmp_ftell_shared(file));
    printf(" %d", xmp_fseek_shared_all(file, 0, SEEK_SET));
    printf(" %zd %s\n", xmp_fread_shared(file, text, 1, 2), text);
    printf("view %d", xmp_file_set_view_all(file, 4, xmp_desc_of(u), range));
    int four[6] = {0};
    printf(" %zd %d %d\n", xmp_fread_all(file, four, sizeof(int), 6), four[0], four[5]);
    printf("sync %d", xmp_file_sync_all(file));
    printf(" close %d\n", xmp_fclose_all(file));
    xmp_free_range(range);
    printf("missing: %d, told: %d\n", xmp_fopen_all("missing.dat", "r") == NULL, strlen(xmp_io_error()) > 0);
    return 0;
}
