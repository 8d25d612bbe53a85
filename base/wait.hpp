// Waiting for another node through memory or MPI_Test: spin briefly, then give the processor away, then sleep.
// All rooms wait like this, so that more nodes than processors still make progress, and so do those whom this one must help
// meanwhile (progress.hpp).
#pragma once

namespace kumihimo::base {

// How often a wait polls before it yields. Called at start, when the number of nodes on this machine is known.
void set_waiting(int nodes_here, int processors);
bool processors_are_shared();  // more nodes than processors on this machine
int processors_available();    // that this process may run on
int processors_online();       // of this machine; asked once

class Waiting {
public:
    enum Expected {
        brief,  // what is waited for takes microseconds as a rule
        far,    // a message by the MPI library: it may take longer, and asking for it does, too
        long_,  // it waits for a disk or another process in turn: the processor is theirs soon
    };
    explicit Waiting(Expected expected = brief);
    void step();                                        // call after each poll that found nothing
    bool gives_way() const { return polls_ > spins_; }  // the processor, at each step from now on

private:
    long polls_ = 0, spins_, yields_;
};

template <typename Ready>
void wait_until(Ready&& ready) {
    Waiting waiting;
    while (!ready()) waiting.step();
}

// The same for what another process writes into memory. `look`: what else may bring it, or keep it away, every so many polls,
// and each time that the processor was given away, which takes longer than to look.
template <typename Ready, typename Look>
void wait_for_memory(Ready&& ready, Waiting::Expected expected, int polls_between_looks, Look&& look) {
    // A partner in step answers within a microsecond. Measured: a pause instruction between these polls doubles the time of a
    // small exchange.
    constexpr int bare_polls = 1000;
    if (!processors_are_shared() && expected == Waiting::brief)
        for (int polls = 0; polls < bare_polls; ++polls)
            if (ready()) return;
    Waiting waiting(expected);
    for (int polls = 1; !ready(); ++polls) {
        waiting.step();
        if (waiting.gives_way() || polls % polls_between_looks == 0) look();
    }
}

}  // namespace kumihimo::base
