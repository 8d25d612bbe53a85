/* Heat in a bar that is computed in several runs: each goes on where the last one stopped, on any number of nodes.
 *
 *   xmpcc -O3 -o heat_restart heat_restart.c
 *   xmprun -n 4 ./heat_restart 500          the steps up to 500; leaves heat.1 or heat.2, ...
 *   xmprun -n 3 ./heat_restart 1000         the steps from there up to 1000
 *
 * Every SAVE steps all nodes together save a checkpoint. If a run is killed, whenever that is, the next one goes on from the last
 * checkpoint. `kumihimo files dump heat.2 u --plot` draws one. */
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>
#include <xmp_io.h>

#define N 2000
#define SAVE 100
#define DIFFUSION 0.4 /* of one step, in cells: stable below 0.5 */

#pragma xmp nodes p[*]
#pragma xmp template bar[N]
#pragma xmp distribute bar[block] onto p
double u[N], next[N];
#pragma xmp align u[i] with bar[i]
#pragma xmp align next[i] with bar[i]
#pragma xmp shadow u[1]

static void start(void) {
#pragma xmp loop on bar[i]
    for (int i = 0; i < N; i++) u[i] = i < N / 4 ? 100.0 : i > N / 2 && i < N / 2 + 50 ? 400.0 : 0.0;
}

static void step(void) {
#pragma xmp reflect (u)
#pragma xmp loop on bar[i]
    for (int i = 1; i < N - 1; i++) next[i] = u[i] + DIFFUSION * (u[i - 1] - 2 * u[i] + u[i + 1]);
#pragma xmp loop on bar[i]
    for (int i = 1; i < N - 1; i++) u[i] = next[i];
}

/* The library has told why. */
static void check(long long number) {
    if (number < 0) xmp_exit(1);
}

int main(int argc, char **argv) {
    const int end = argc > 1 ? atoi(argv[1]) : 500;
    const xmp_desc_t state[] = {xmp_desc_of(u)};
    int done = 0; /* steps; the same on all nodes, so it is saved beside the arrays */
    const long long latest = xmp_checkpoint_latest("heat");
    check(latest);
    if (latest > 0)
        check(xmp_checkpoint_restore_values("heat", 1, state, &done, sizeof done));
    else
        start();
    const int begun = done;
    while (done < end) {
        step();
        if (++done % SAVE == 0 || done == end) check(xmp_checkpoint_save_values("heat", 1, state, &done, sizeof done));
    }
    double heat = 0;
#pragma xmp loop on bar[i] reduction(+:heat)
    for (int i = 0; i < N; i++) heat += u[i];
#pragma xmp task on p[0]
    printf("steps %d to %d on %d nodes: mean temperature %.6f\n", begun, done, xmp_all_num_nodes(), heat / N);
    return 0;
}
