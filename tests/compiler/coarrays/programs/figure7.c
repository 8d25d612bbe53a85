/* Figure 7: the sums of CG's matrix-vector product over a row of nodes, by gets that accumulate. */
#include "expect.h"

#define NUM_COLS 4
#define NUM_ROWS 1
#define N 40

#pragma xmp nodes pros(NUM_COLS, NUM_ROWS)
double w[N], w1[N];
#pragma xmp coarray w:[*]
#pragma xmp coarray w1:[*]
double q[N];

int main(void) {
    const int me = xmpc_this_image(), l2npcols = 2, l = 3, m = 3, dest = NUM_COLS - 1 - me;
    int count[NUM_COLS][2], length[NUM_COLS], start[NUM_COLS], i, k;
    for (int j = 0; j < N; j++) w[j] = w1[j] = 100 * me + j;
    for (int node = 0; node < NUM_COLS; node++) {
        count[node][0] = count[node][1] = N - 5;
        start[node] = 7 * node, length[node] = 10 + node;
    }
#pragma xmp barrier
    for( i=(l2npcols-1); i>=0; i-- ){
        k = me ^ (1 << i);
        w[l:count[k][i]] += w1[m:count[k][i]]:[k];
#pragma xmp barrier
        if(i != 0){
            memcpy( &w1[l], &w[l], sizeof(double)*(count[k][i]));
#pragma xmp barrier
        }
    }
    if( l2npcols == 0 )
        memcpy( &q[0], &w[0], sizeof( double )*length[me] );
    else
        q[0:length[dest]] = w[start[dest]:length[dest]]:[dest];

    for (int j = 0; j < length[dest]; j++) {
        const int from = start[dest] + j;
        EXPECT(q[j], from < l || from >= l + N - 5 ? 100 * dest + from : 4 * from + 100 * (0 + 1 + 2 + 3));
    }
    return finish();
}
