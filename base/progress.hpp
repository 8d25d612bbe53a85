// What must be polled while this process waits, whatever it waits for: other nodes may need its help before they can bring
// what it waits for. Rooms register it, and every wait (wait.hpp, completion.hpp) drives all of it.
#pragma once

namespace kumihimo::base {

// Polled by the waits of the thread that made it and ends it, as long as it lives. The function must not wait. Plain data:
// libraries of different versions may meet in one process.
class Poller {
public:
    Poller(void (*poll)(void*), void* what);
    ~Poller();
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

private:
    friend void progress();
    void (*poll_)(void*);
    void* what_;
    Poller* next_;
};

bool must_poll();  // whether this thread has any
void progress();   // polls all of them once

}  // namespace kumihimo::base
