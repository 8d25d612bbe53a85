/* A halo, a coarray and a file of a distributed array, whose results are known. Exit status 2 if one is wrong. */
#include <stdio.h>
#include <xmp.h>
#include <xmp_io.h>
#define N 1000
int x[N], y[N];
int image:[*];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align x[i] with t[i]
#pragma xmp align y[i] with t[i]
#pragma xmp shadow x[1]
int main(int argc, char **argv) {
    int sum = 0, wrong = 0, next = (xmpc_this_image() + 1) % xmp_num_images();
    (void)argc;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) x[i] = i;
#pragma xmp reflect (x)
#pragma xmp loop on t[i] reduction(+:sum)
    for (int i = 1; i < N - 1; i++) sum += x[i - 1] + x[i + 1];
    wrong += sum != (N - 2) * (N - 1);
    image:[next] = 7 + next;
    xmp_sync_all(NULL);
    wrong += image != 7 + xmpc_this_image();
    xmp_file_t *file = xmp_fopen_all(argv[1], "w+");
    wrong += file == NULL || xmp_fwrite_darray_all(file, xmp_desc_of(x), NULL) <= 0;
    wrong += file == NULL || xmp_fseek(file, 0, SEEK_SET) != 0 || xmp_fread_darray_all(file, xmp_desc_of(y), NULL) <= 0;
    if (file != NULL) xmp_fclose_all(file);
#pragma xmp loop on t[i] reduction(+:wrong)
    for (int i = 0; i < N; i++) wrong += y[i] != i;
#pragma xmp task on p[0]
    printf("wrong %d\n", wrong);
    return wrong == 0 ? 0 : 2;
}
