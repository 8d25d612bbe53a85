/* Every form of gmove, reduce_shadow, and sections in clauses, checked by each node against plain loops. Prints "ok" or what is
 * wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <xmp.h>

#define N 16
#define M 9

#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp template c[N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute c[cyclic(2)] onto p

double u[N][M], v[N][M];
int w[M][N];
float x[N];
typedef struct {
    int i;
    double d;
} pair;
pair s[N], s_copy[N];
typedef struct {
    char tag;
    struct {
        short mark;
        float f[3];
    } in[2];
    pair both;
} cell;
cell cells[N][3], other[N];
#pragma xmp align u[i][*] with t[i]
#pragma xmp align v[i][*] with c[i]
#pragma xmp align w[*][i] with c[i]
#pragma xmp align x[i] with t[i]
#pragma xmp align s[i] with c[i]
#pragma xmp align cells[i][*] with t[i]
#pragma xmp align other[i] with c[i]
#pragma xmp shadow u[1][0]

static int wrong;
static void expect(const char *what, double found, double wanted) {
    if (found == wanted) return;
    if (wrong++ < 5) fprintf(stderr, "%s: %g instead of %g\n", what, found, wanted);
}

static void fill(void) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) u[i][j] = 100 * i + j;
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) x[i] = i;
#pragma xmp loop on c[i]
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++) v[i][j] = w[j][i] = -1;
        s[i].i = i, s[i].d = 2 * i;
    }
}

static void global_to_global(void) {
#pragma xmp gmove
    v[:][:] = u[:][:];
#pragma xmp loop on c[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) expect("v = u", v[i][j], 100 * i + j);
#pragma xmp gmove
    w[0:M][3] = u[5][:]; /* another type */
#pragma xmp gmove
    w[2][N - 1:N:-1] = x[:];
#pragma xmp loop on c[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) expect("w", w[j][i], j == 2 ? N - 1 - i : i == 3 ? 500 + j : -1);
#pragma xmp gmove
    u[1:N - 1][1:] = u[:N - 1][0:M - 1]; /* overlap: the right side is read first */
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) expect("u", u[i][j], i > 0 && j > 0 ? 100 * (i - 1) + j - 1 : 100 * i + j);
}

static void rows(int n, double part[][M], double *line) {
#pragma xmp gmove
    part[0:n][:] = u[N - n:n][:];
#pragma xmp gmove
    line[n:M] = u[0][:];
    for (int j = 0; j < M; j++) {
        expect("line", line[n + j], j);
        for (int i = 0; i < n; i++) expect("part", part[i][j], 100 * (N - n + i) + j);
    }
#pragma xmp gmove
    u[0:n][:] = part[:n][:];
#pragma xmp loop on t[i]
    for (int i = 0; i < n; i++)
        for (int j = 0; j < M; j++) expect("u from part", u[i][j], 100 * (N - n + i) + j);
}

static void local(void) {
    double part[4][M], line[2 * M], one = -1;
    fill();
    rows(4, part, line);
    fill();
    int k = 7;
#pragma xmp gmove
    one = u[k][2];
    expect("one", one, 702);
#pragma xmp gmove
    u[k][2] = -0.5;
#pragma xmp gmove
    one = (u[7][2]);
    expect("one after", one, -0.5);
    struct {
        double rows[3][N];
    } box, *boxes = &box;
#pragma xmp gmove
    boxes->rows[1][:] = u[0:N][8];
    for (int i = 0; i < N; i++) expect("box", box.rows[1][i], 100 * i + 8);
#pragma xmp gmove
    u[:][0:3] = boxes->rows[1][4];
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 3; j++) expect("spread", u[i][j], 408);
#pragma xmp gmove async(3)
    v[:][:] = u[2][5];
#pragma xmp wait_async(3)
#pragma xmp loop on c[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) expect("v from an element", v[i][j], 205);
#pragma xmp gmove
    s_copy[:] = s[:];
    for (int i = 0; i < N; i++) expect("structure", s_copy[i].i + s_copy[i].d, 3 * i);
}

static void in_a_task(void) {
#pragma xmp task on p[0]
    {
        double mine[2] = {1, 2}, copy[2];
#pragma xmp gmove
        u[0][0:2] = mine[:];
#pragma xmp gmove
        copy[:] = u[0][1::-1];
        expect("task", copy[0] + 10 * copy[1], 12);
    }
}

/* Figure 5 of the paper on coarrays: where the others want their keys. */
#define NODES 8
static int rcv_displ[NODES][NODES], dst_displ[NODES][NODES];
#pragma xmp template r[NODES]
#pragma xmp distribute r[block] onto p
#pragma xmp align rcv_displ[i][*] with r[i]

static void figure5(void) {
#pragma xmp loop on r[i]
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) rcv_displ[i][j] = 10 * i + j;
#pragma xmp gmove
    dst_displ[:][:] = rcv_displ[:][:];
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) expect("figure 5", dst_displ[i][j], 10 * i + j);
}

/* One node reads and writes what lies on all. */
static void one_sided(void) {
    double copy[N][M], line[N], one = 0, all[N];
#pragma xmp loop on c[i]
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) v[i][j] = 100 * i + j;
#pragma xmp barrier
#pragma xmp task on p[1]
    {
        int last = N - 1;
#pragma xmp gmove in
        copy[:][:] = v[last::-1][:];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++) expect("gmove in", copy[i][j], 100 * (N - 1 - i) + j);
#pragma xmp gmove in async(last)
        one = v[7][3];
#pragma xmp wait_async(last)
        expect("gmove in of an element", one, 703);
        for (int i = 0; i < N; i++) line[i] = -i;
#pragma xmp gmove out async(1)
        v[:][4] = line[:];
#pragma xmp gmove out
        x[2:5:3] = line[1]; /* converted */
#pragma xmp wait_async(1)
    }
#pragma xmp barrier
#pragma xmp gmove
    all[:] = v[:][4];
    for (int i = 0; i < N; i++) expect("gmove out", all[i], -i);
#pragma xmp gmove
    all[:] = x[:];
    for (int i = 2; i < N; i += 3) expect("gmove out of a value", all[i], -1);
}

/* Arrays on one node, for all: a node that has nothing of an array is no owner that could be asked, whichever way data take. */
static void owned_by_one(void) {
#pragma xmp nodes one[1] = p[0:1]
#pragma xmp template alone[N]
#pragma xmp distribute alone[block] onto one
    double numbers[N], copy[N];
    int spread[N], gathered[2], at[2] = {3, N - 1};
#pragma xmp align numbers[i] with alone[i]
#pragma xmp align spread[i] with t[i]
#pragma xmp loop on alone[i]
    for (int i = 0; i < N; i++) numbers[i] = 7 * i;
#pragma xmp gmove
    copy[:] = numbers[:];
    for (int i = 0; i < N; i++) expect("from one node", copy[i], 7 * i);
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) spread[i] = i * i;
    xmp_gather(gathered[:], spread[:], at[:]);
    expect("gathered", gathered[0] + 1000 * gathered[1], 9 + 1000 * (N - 1) * (N - 1));
}

double field[N][M];
#pragma xmp align field[i][*] with t[i]
#pragma xmp shadow field[1:2][1]

/* Every stored place holds 1: what an element has afterwards tells how many shadows mirror it. */
static void reduced_shadows(void) {
    int nodes = xmp_num_nodes(), block = (N + nodes - 1) / nodes, before = nodes > 0; /* gcc need not know it */
    double all[N][M];
    for (int corners = 0; corners < 2; corners++) {
#pragma xmp loop on t[i] expand(/unbound/1 : 2)
        for (int i = 0; i < N; i++)
            for (int j = -before; j <= M; j++) field[i][j] = 1;
        if (corners) {
#pragma xmp reduce_shadow(field) width(0 : 2, /periodic/1)
        } else {
#pragma xmp reduce_shadow(field) width(0 : 2, /periodic/1) orthogonal async(5)
#pragma xmp wait_async(5)
        }
#pragma xmp gmove
        all[:][:] = field[:][:];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++) {
                int rows = 0, ends = (j == 0) + (j == M - 1);
                for (int node = 0; node * block < N; node++) {
                    int end = (node + 1) * block < N ? (node + 1) * block : N;
                    rows += i >= end && i < end + 2;
                }
                expect("reduce_shadow", all[i][j], 1 + rows + ends + (corners ? rows * ends : 0));
            }
    }
}

/* Sections, elements and members in clauses; an array that is on all nodes. */
#pragma xmp template all_t[N][N]
#pragma xmp distribute all_t[block][*] onto p
int copies[N];
#pragma xmp align copies[j] with all_t[*][j]

static void clauses(void) {
    int me = xmpc_node_num(), nodes = xmp_num_nodes(), table[4][6], counts[5] = {1, 1, 1, 1, 1};
    pair one = {me, me};
    for (int i = 0; i < 24; i++) table[i / 6][i % 6] = 100 * me + i;
#pragma xmp bcast(table[1:2][::2], one.i, table[3][5]) from p[1]
    for (int i = 0; i < 24; i++) {
        int sent = (i / 6 == 1 || i / 6 == 2) && i % 6 % 2 == 0;
        expect("bcast of a section", table[i / 6][i % 6], 100 * (sent || i == 23 ? 1 : me) + i);
    }
    expect("bcast of a member", one.i + 10 * one.d, 1 + 10 * me);
#pragma xmp reduction(+ : counts[1:3]) async(6)
#pragma xmp reduction(+ : counts[4])
#pragma xmp wait_async(6)
    for (int i = 0; i < 5; i++) expect("reduction of a section", counts[i], i == 0 ? 1 : nodes);
    for (int j = 0; j < N; j++) copies[j] = j;
#pragma xmp reduction(+ : copies[2:])
#pragma xmp bcast(copies)
    for (int j = 0; j < N; j++) expect("replicated array", copies[j], j < 2 ? j : nodes * j);
}

static void check_cells(const char *what, double mark_shift) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            expect(what, cells[i][k].tag, k);
            expect(what, cells[i][k].both.d, k == 1 ? 2 * (N - 1 - i) : i);
            for (int m = 0; m < 6; m++) expect(what, cells[i][k].in[m / 3].f[m % 3], k == 2 && m == 4 ? i + 0.5 : m);
            expect(what, cells[i][k].in[1].mark, k == 0 ? i + mark_shift : -k);
        }
}

/* Members of the elements of global arrays, between layouts, types and nodes. */
static void members(int member) {
    double line[N];
    short one = -1;
    fill();
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            cells[i][k].tag = (char)k, cells[i][k].both.d = i;
            for (int m = 0; m < 6; m++) cells[i][k].in[m / 3].f[m % 3] = (float)m;
            cells[i][k].in[1].mark = (short)-k;
        }
#pragma xmp loop on c[i]
    for (int i = 0; i < N; i++) other[i].in[0].mark = (short)(10 * i), other[i].both.d = i;
    for (int i = 0; i < N; i++) line[i] = i + 0.5;
#pragma xmp gmove
    cells[:][1].both.d = s[N - 1:N:-1].d;
#pragma xmp gmove
    cells[:][2].in[1].f[member] = line[:];
#pragma xmp gmove
    cells[:][0].in[1].mark = s[:].i; /* another type */
    check_cells("members", 0);
#pragma xmp gmove
    line[0:N] = cells[:][1].both.d;
    for (int i = 0; i < N; i++) expect("member to local", line[i], 2 * (N - 1 - i));
#pragma xmp gmove
    one = other[7].in[0].mark;
    expect("one member", one, 70);
#pragma xmp gmove
    other[:].both = s[:]; /* a structure in a structure */
#pragma xmp loop on c[i]
    for (int i = 0; i < N; i++) expect("structure", other[i].both.i + other[i].both.d, 3 * i);
#pragma xmp gmove
    other[1:N - 1].both.d = other[:N - 1].in[0].mark; /* of one array */
#pragma xmp loop on c[i]
    for (int i = 0; i < N; i++) expect("of itself", other[i].both.d, i ? 10 * (i - 1) : 0);
    for (int turn = 1; turn < 3; turn++) {
#pragma xmp gmove
        cells[:][0].in[1].mark = line[turn];
    }
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) expect("one to many", cells[i][0].in[1].mark, 2 * (N - 3));
#pragma xmp barrier
#pragma xmp gmove in
    line[0:N - 1] = cells[1:N - 1][1].both.d;
    for (int i = 0; i < N - 1; i++) expect("member in", line[i], 2 * (N - 2 - i));
#pragma xmp barrier
#pragma xmp task on p[1]
    {
#pragma xmp gmove out
        other[:].both.i = s_copy[0].i;
#pragma xmp gmove out
        cells[:][0].in[1].mark = line[0];
    }
#pragma xmp barrier
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) expect("member out", cells[i][0].in[1].mark, 2 * (N - 2));
}

/* The first node with the greatest or smallest value hands on what its location variables are. */
static void locations(void) {
    const int me = xmpc_node_num(), nodes = xmp_num_nodes();
    int first_high = 0, first_low = 0, row[2][4], three[3] = {me, me + 1, me + 2};
    double values[2] = {-1, (me + 1) % 3}, low = 10 - (me + 1) % 3;
    pair one = {me, me};
    for (int node = nodes - 1; node >= 0; node--) {
        if ((node + 1) % 3 >= (first_high + 1) % 3) first_high = node;
        if (10 - (node + 1) % 3 <= 10 - (first_low + 1) % 3) first_low = node;
    }
    for (int j = 0; j < 8; j++) row[j / 4][j % 4] = 100 * me + j;
#pragma xmp reduction(max: values[1] / one.i, row[1][1:2], three /)
#pragma xmp reduction(min: low / one.d /) async(7)
#pragma xmp wait_async(7)
    expect("value with locations", values[1] + 10 * low, nodes < 2 ? 91 : 82);
    expect("the other element", values[0], -1);
    expect("locations", one.i + 10 * one.d, first_high + 10 * first_low);
    for (int j = 0; j < 8; j++) expect("located section", row[j / 4][j % 4], 100 * (j == 5 || j == 6 ? first_high : me) + j);
    for (int j = 0; j < 3; j++) expect("located array", three[j], first_high + j);
    int highest = me, number = me, rest = -1;
#pragma xmp reduction(max: highest / number /, rest) on p[0:2]
    expect("locations on two nodes", 10 * highest + number, me < 2 ? 11 : 11 * me);
    expect("beside one without", rest, -1);
}

int main(void) {
    fill();
    global_to_global();
    local();
    in_a_task();
    figure5();
    one_sided();
    owned_by_one();
    reduced_shadows();
    clauses();
    members(1);
    locations();
#pragma xmp reduction(+ : wrong)
#pragma xmp task on p[0]
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
