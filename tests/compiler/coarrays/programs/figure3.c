/* Figure 3: ping-pong by gets. Images count from 1, as in specification 1.0. */
#include "expect.h"

#define MAX 1000
#define LOOP 3

#pragma xmp nodes p(2)
char loc_buf[MAX], rmt_buf[MAX];
#pragma xmp coarray rmt_buf:[*]

int main(void) {
    const int me = xmp_node_num(), dest = 3 - me, size = 700;
    int i;
    memset(loc_buf, 'x', MAX);
    memset(rmt_buf, '0' + me, MAX);
#pragma xmp barrier
    for(i=0;i<LOOP;i++){
        if(me == 1){
            loc_buf[0:size] = rmt_buf[0:size]:[dest] ;
#pragma xmp barrier
        } else {
#pragma xmp barrier
            loc_buf[0:size] = rmt_buf[0:size]:[dest] ;
        }
#pragma xmp barrier
    }
    for (int j = 0; j < MAX; j++) EXPECT(loc_buf[j], j < size ? '0' + dest : 'x');
    return finish();
}
