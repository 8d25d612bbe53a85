/* Figure 5: the exchange of Integer Sort, by puts to where gmove found room. As printed but for a bracket and the size of images. */
#include "expect.h"

#define NODES 4
#define SIZE 100

int key[SIZE], loc[SIZE];
#pragma xmp coarray key:[*]
int rcv_displ[NODES][NODES], dst_displ[NODES][NODES];
#pragma xmp nodes p[NODES]
#pragma xmp template t[NODES]
#pragma xmp distribute t[block] onto p
#pragma xmp align rcv_displ[i][*] with t[i]

static int sent(int from, int to) { return 1 + (3 * from + to) % 5; } /* number of keys */

int main(void) {
    const int me = xmpc_node_num(), comm_size = xmp_num_nodes();
    int count[NODES], src_displ[NODES], i;
    for (int to = 0, n = 0; to < NODES; n += sent(me, to), to++) {
        count[to] = sent(me, to), src_displ[to] = n;
        for (int k = 0; k < count[to]; k++) loc[n + k] = 1000 * me + 100 * to + k;
    }
#pragma xmp loop on t[me_]
    for (int me_ = 0; me_ < NODES; me_++)
        for (int from = 0, n = 0; from < NODES; n += sent(from, me_), from++) rcv_displ[me_][from] = n;

#pragma xmp gmove
    dst_displ[:][:] = rcv_displ[:][:];
for( i=0; i<comm_size; i++ ){
    key[dst_displ[i][me]:count[i]]:[i] = loc[src_displ[i]:count[i]];
}
_xmpc_sync_all();

    for (int from = 0, n = 0; from < NODES; from++)
        for (int k = 0; k < sent(from, me); k++) EXPECT(key[n++], 1000 * from + 100 * me + k);
    return finish();
}
