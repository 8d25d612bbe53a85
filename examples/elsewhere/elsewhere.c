/* A field that lies in a file, here or on another machine: the name says where. Each run takes it one step on.
 *
 *   xmpcc -o elsewhere elsewhere.c && xmprun -n 4 ./elsewhere field.dat new && xmprun -n 3 ./elsewhere field.dat
 *   xmprun -n 4 ./elsewhere stampi://alice@centre.example.org/scratch/alice/field.dat new
 */
#include <stdio.h>
#include <xmp.h>
#include <xmp_io.h>

#define N 1000

double field[N][N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align field[i][*] with t[i]

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "field.dat";
    const int begins = argc > 2;
    double sum = 0;
    xmp_file_t *file = xmp_fopen_all(name, begins ? "w" : "r+");
    if (file == NULL) return 1;
    if (!begins && xmp_fread_darray_all(file, xmp_desc_of(field), NULL) < 0) return 1;
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += field[i][j] += i + j;
    xmp_fseek(file, 0, SEEK_SET);
    const int written = xmp_fwrite_darray_all(file, xmp_desc_of(field), NULL) >= 0;
    const int well = xmp_fclose_all(file) == 0 && written;
#pragma xmp task on p[0]
    printf("%s: step %.0f %s\n", name, sum / (N * N * (N - 1.0)), well ? "is in the file" : "is lost");
    return !well;
}
