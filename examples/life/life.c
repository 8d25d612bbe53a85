/* Conway's game of life on a torus: what leaves the board on one side comes back on the other one.
 *
 *   xmpcc -O3 -o life life.c && xmprun -n 4 ./life             writes life.pgm, a picture
 *   ./life 1000                                                1000 generations instead of 600
 *
 * A cell lives on with two or three living neighbours and is born with three. Neighbours are those across corners, too, so the
 * reflect fills the corners of the shadow as well, as it does unless it says `orthogonal`. The board begins with few cells that
 * live for long; the picture shows where life has been: the longer ago, the darker. */
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>
#include <xmp_io.h>

#define ROWS 200
#define COLUMNS 320

#pragma xmp nodes p[*]
#pragma xmp template board[ROWS][COLUMNS]
#pragma xmp distribute board[block][*] onto p

unsigned char alive[ROWS][COLUMNS], next[ROWS][COLUMNS], trace[ROWS][COLUMNS];
#pragma xmp align alive[j][i] with board[j][i]
#pragma xmp align next[j][i] with board[j][i]
#pragma xmp align trace[j][i] with board[j][i]
#pragma xmp shadow alive[1][1] /* also where the dimension is not distributed: it is periodic there as well */

/* Two acorns, seven cells each. */
static int seed(int j, int i) {
    static const int acorn[7][2] = {{0, 1}, {1, 3}, {2, 0}, {2, 1}, {2, 4}, {2, 5}, {2, 6}};
    for (int k = 0; k < 7; k++) {
        if (j == ROWS / 3 + acorn[k][0] && i == COLUMNS / 3 + acorn[k][1]) return 1;
        if (j == 2 * ROWS / 3 - acorn[k][0] && i == 2 * COLUMNS / 3 - acorn[k][1]) return 1;
    }
    return 0;
}

static void begin(void) {
#pragma xmp loop (j, i) on board[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) trace[j][i] = alive[j][i] = seed(j, i);
}

/* One generation; returns how many cells are alive. */
static int live(void) {
    int population = 0;
    /* The shadow continues the first row with the last one, and the last one with the first, whichever nodes own them. */
#pragma xmp reflect (alive) width(/periodic/1:1, /periodic/1:1)
#pragma xmp loop (j, i) on board[j][i] reduction(+:population)
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            const int neighbours = alive[j - 1][i - 1] + alive[j - 1][i] + alive[j - 1][i + 1] + alive[j][i - 1] +
                                   alive[j][i + 1] + alive[j + 1][i - 1] + alive[j + 1][i] + alive[j + 1][i + 1];
            next[j][i] = neighbours == 3 || (neighbours == 2 && alive[j][i]);
            population += next[j][i];
        }
#pragma xmp loop (j, i) on board[j][i]
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++) {
            alive[j][i] = next[j][i];
            trace[j][i] = alive[j][i] ? 255 : trace[j][i] > 192 ? 192 : trace[j][i] > 40 ? trace[j][i] - 1 : trace[j][i];
        }
    return population;
}

/* A portable graymap: a line of text, then one byte for each cell. Node 0 writes the text, all nodes write their rows. */
static int write_picture(const char *path) {
    xmp_file_t *file = xmp_fopen_all(path, "w");
    if (file == NULL) return -1;
    char header[64];
    const int length = snprintf(header, sizeof header, "P5 %d %d 255\n", COLUMNS, ROWS);
    if (xmpc_all_node_num() == 0) xmp_fwrite(file, header, 1, length);
    xmp_fseek(file, length, SEEK_SET);
    const int written = xmp_fwrite_darray_all(file, xmp_desc_of(trace), NULL) >= 0;
    return xmp_fclose_all(file) == 0 && written ? 0 : -1;
}

int main(int argc, char **argv) {
    const int generations = argc > 1 ? atoi(argv[1]) : 600;
    begin();
    for (int generation = 1; generation <= generations; generation++) {
        const int population = live();
        if (generation % 100 == 0 || generation == generations) {
#pragma xmp task on p[0]
            printf("generation %d: %d cells\n", generation, population);
        }
    }
    return write_picture("life.pgm") != 0;
}
