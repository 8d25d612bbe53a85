/* Loops over coarrays, each marked by its kind; with -DPLAIN the same over static arrays. */
#ifdef PLAIN
#define COARRAY(declaration) declaration
#else
#define COARRAY(declaration) declaration:[*]
#endif
#define N 1000

struct particle {
    double x, v;
};
static double COARRAY(a[N]), COARRAY(b[N]), COARRAY(c[N]), COARRAY(m[N][N]), COARRAY(sum);
static char COARRAY(text[N]), COARRAY(copy[N]);
static struct particle COARRAY(particles[N]);
static int COARRAY(n[N]);

void triad(void) {
    for (int i = 0; i < N; i++) a[i] = b[i] + 3 * c[i]; // vector
}
void shift(void) {
    for (int i = 1; i < N; i++) a[i] = b[i - 1] + b[i]; // vector
}
void add(void) {
    for (int i = 0; i < N; i++) sum += a[i]; // vector
}
void scale(void) {
    for (int i = 0; i < N; i++) a[i] *= sum; // vector
}
void convert(void) {
    for (int i = 0; i < N; i++) n[i] = a[i]; // vector
}
void characters(void) {
    for (int i = 0; i < N; i++) text[i] = copy[i] + 1; // vector
}
void move(void) {
    for (int i = 0; i < N; i++) particles[i].x += 0.5 * particles[i].v; // vector
}
void stencil(void) {
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) a[i] += m[j][i - 1] + m[j][i + 1] + m[j - 1][i]; // vector
}
#ifndef PLAIN
void section(void) {
    a[1:N - 1] = b[0:N - 1] + b[1:N - 1] * sum; // vector
    m[:][1:5] = 0;
}
#endif
void start(void *p[]) {
    p[0] = a, p[1] = b, p[2] = c, p[3] = m, p[4] = &sum, p[5] = text, p[6] = copy, p[7] = particles, p[8] = n;
}
