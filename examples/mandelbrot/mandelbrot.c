/* The Mandelbrot set as a picture whose size is known when the program runs: a distributed array in two dimensions made then.
 *
 *   xmpcc -O3 -o mandelbrot mandelbrot.c && xmprun -n 4 ./mandelbrot 900 600             writes mandelbrot.pgm, 900 x 600
 *
 * A template with `:` for its sizes is distributed already; `template_fix` says the sizes, and `xmp_malloc` makes each node's part
 * of an array. Rows are dealt out in turn (cyclic), because rows through the middle of the set take hundreds of times as long as
 * those at the rim: blocks of rows would leave most nodes waiting for one. */
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>
#include <xmp_io.h>

#define MOST 255 /* iterations; as many grey levels */

#pragma xmp nodes p[*]
#pragma xmp template t[:][:]
#pragma xmp distribute t[cyclic][*] onto p

/* Iterations of z -> z * z + c until z has left the circle of radius 2. */
static int escape(double x, double y) {
    double re = 0, im = 0;
    int n = 0;
    for (; n < MOST && re * re + im * im < 4; n++) {
        const double next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
    }
    return n;
}

/* In a function, a distributed array of run-time size is a parameter with its sizes, as any array of C is. */
static long draw(int rows, int columns, unsigned char picture[rows][columns]) {
#pragma xmp align picture[j][i] with t[j][i]
    long iterations = 0;
#pragma xmp loop (j, i) on t[j][i] reduction(+:iterations)
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            const int n = escape(-2.25 + 3.0 * (i + 0.5) / columns, -1.0 + 2.0 * (j + 0.5) / rows);
            iterations += n;
            picture[j][i] = MOST - n;
        }
    return iterations;
}

/* A portable graymap: a line of text by node 0, then the array as all nodes together write it. */
static int save(const char *path, int rows, int columns, xmp_desc_t picture) {
    xmp_file_t *file = xmp_fopen_all(path, "w");
    if (file == NULL) return -1;
    char header[64];
    const int length = snprintf(header, sizeof header, "P5 %d %d %d\n", columns, rows, MOST);
    if (xmpc_all_node_num() == 0) xmp_fwrite(file, header, 1, length);
    xmp_fseek(file, length, SEEK_SET);
    const int written = xmp_fwrite_darray_all(file, picture, NULL) >= 0;
    return xmp_fclose_all(file) == 0 && written ? 0 : -1;
}

int main(int argc, char **argv) {
    const int columns = argc > 1 ? atoi(argv[1]) : 300, rows = argc > 2 ? atoi(argv[2]) : 200;
    if (rows < 1 || columns < 1) {
        if (xmpc_all_node_num() == 0) fprintf(stderr, "usage: mandelbrot COLUMNS ROWS, both at least 1\n");
        return 1;
    }
#pragma xmp template_fix t[rows][columns]
    unsigned char(*picture)[columns];
#pragma xmp align picture[j][i] with t[j][i]
    picture = xmp_malloc(xmp_desc_of(picture), rows, columns);

    const double start = xmp_wtime();
    const long iterations = draw(rows, columns, picture);
    const double seconds = xmp_wtime() - start;
    const int status = save("mandelbrot.pgm", rows, columns, xmp_desc_of(picture));
    xmp_free(xmp_desc_of(picture));
#pragma xmp task on p[0]
    {
        printf("%ld iterations for %d x %d points\n", iterations, columns, rows);
        fprintf(stderr, "%.3f s on %d nodes\n", seconds, xmp_all_num_nodes());
    }
    return status != 0;
}
