// What the serial program reads, prints and writes through stdio, and what xmpcc --io=master must make of it on any number of
// nodes.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#pragma xmp nodes p[*]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double u[100];
#pragma xmp align u[i] with t[i]
int main(void) {
    int n;
    double scale;
    char line[64];
    if (scanf("%d %lf", &n, &scale) != 2) return 1;
    printf("read %d and %g\n", n, scale);
    FILE* in = fopen("table.txt", "r");
    if (!in) {
        perror("table.txt");
        return 2;
    }
    double sum = 0, x;
    int count = 0;
    while (fscanf(in, "%lf", &x) == 1) sum += x, count++;
    fseek(in, 0, SEEK_END);
    printf("%d values of %ld bytes, sum %g\n", count, ftell(in), sum);
    rewind(in);
    if (fgets(line, sizeof line, in)) printf("first line: %s", line);
    fclose(in);
    if (!fopen("missing/none", "r")) printf("no such file: %s\n", strerror(errno));
    FILE* out = fopen("out.txt", "w");
    double total = 0;
#pragma xmp loop on t[i] reduction(+ : total)
    for (int i = 0; i < 100; i++) total += u[i] = i * scale;
    for (int i = 0; i < 5000; i++) fprintf(out, "%d %g\n", i, total * i);
    fclose(out);
    out = fopen("out.txt", "a+");
    fputs("the end\n", out);
    fseek(out, 7, SEEK_SET);
    if (fgets(line, sizeof line, out)) printf("again: %s", line);
    fclose(out);
    out = fopen("/dev/full", "w");
    fputs("x", out);
    if (fclose(out) != 0) printf("full: %s\n", strerror(errno));
    while (fgets(line, sizeof line, stdin)) printf("rest: %s", line);
    printf("no newline");
    return n - 12;
}
