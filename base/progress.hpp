// What must be polled while this process waits, whatever it waits for: other nodes may need its help before they can bring
// what it waits for. Rooms register it, and every wait (wait.hpp, completion.hpp) drives all of it.
#pragma once

#include <functional>

namespace kumihimo::base {

// Polled by the waits of the thread that made it and ends it, as long as it lives. The function must not wait.
class Poller {
public:
    explicit Poller(std::function<void()> poll);
    ~Poller();
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;
    void poll() const { poll_(); }

private:
    std::function<void()> poll_;
};

bool must_poll();  // whether this thread has any
void progress();   // polls all of them once

}  // namespace kumihimo::base
