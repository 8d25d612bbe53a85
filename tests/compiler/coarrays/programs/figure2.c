/* Figure 2: ping-pong by puts. Images count from 1, as in specification 1.0. */
#include "expect.h"

#define MAX 65536
#define LOOP 20

#pragma xmp nodes p(2)     // 2 nodes are used
char loc_buf[MAX], rmt_buf[MAX];
#pragma xmp coarray rmt_buf:[*]

int main(void) {
    const int me = xmp_node_num(), dest = 3 - me;
    for (int size = 1; size <= MAX; size *= 16) {
        int i;
        xmp_sync_all(NULL);
        memset(loc_buf, '0' , MAX);
        memset(rmt_buf, '1' , MAX);
        xmp_sync_all(NULL);
        for(i=0;i<LOOP;i++){
            if(me == 1){
                rmt_buf[0:size]:[dest] = loc_buf[0:size];
#pragma xmp sync_memory
                while (rmt_buf[size-1] != '0') {
#pragma xmp sync_memory
                }
                rmt_buf[size-1] = '1';
            } else {
                while (rmt_buf[size-1] != '0') {
#pragma xmp sync_memory
                }
                rmt_buf[size-1] = '1';
                rmt_buf[0:size]:[dest] = loc_buf[0:size];
#pragma xmp sync_memory
            }
        }
        for (int j = 0; j < MAX; j++) EXPECT(rmt_buf[j], j < size - 1 ? '0' : '1');
    }
    return finish();
}
