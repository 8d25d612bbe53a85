// A wait of MPICH that gives the processor away. MPICH polls without a pause: where ranks outnumber processors, each message costs
// time slices, and a test of a second takes a minute. Test programs define UCX's function of progress, which every wait of Debian's
// MPICH calls, and yield where there was none, or sleep where there has been none for long. With another network layer under MPICH
// nobody calls it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { YIELDS_BEFORE_SLEEPING = 20, SLEEP_NS = 10000 };

static void give_way(int waits) {
    const struct timespec short_time = {0, SLEEP_NS};
    if (waits <= YIELDS_BEFORE_SLEEPING)
        sched_yield();
    else
        nanosleep(&short_time, NULL);
}

unsigned ucp_worker_progress(void *worker) {
    static unsigned (*next)(void *);
    static _Thread_local int waits;
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (next == NULL) abort();
    const unsigned events = next(worker);
    waits = events == 0 ? waits + 1 : 0;
    if (events == 0) give_way(waits);
    return events;
}
