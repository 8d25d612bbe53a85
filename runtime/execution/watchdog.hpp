// Who waits for whom (KUMIHIMO_TIMEOUT): where the setting is on, each node notes the call of the runtime that it is in. A
// thread of each node shows that to the other nodes, and ends the job with a table of all of them where its own node stays in
// one call for too long. It needs nothing of those that it speaks of, so it also tells of nodes that are stopped, have ended,
// or wait inside the MPI library.
#pragma once

#include "kumihimo/generated.h"

namespace kumihimo::execution {

void start_watchdog();  // collective, once settings are agreed on; nothing where the setting is off
void stop_watchdog();   // collective

extern bool watched;  // the setting is on

// What a call may take its time for.
enum class Visiting {
    waits,     // for other nodes, if it lasts
    at_length  // for a disk or its own work, where all nodes are in it
};

// This node is in a call from here to the end of the scope. A null site is not noted: the scope is part of the call around it.
class Visit {
public:
    explicit Visit(const XMP_Site* site, Visiting visiting = Visiting::waits) : noted_(watched && site != nullptr) {
        if (noted_) enter(*site, visiting);
    }
    ~Visit() {
        if (noted_) leave();
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

private:
    void enter(const XMP_Site& site, Visiting visiting);
    void leave();
    bool noted_;
    XMP_Site around_ = {};
    unsigned long long entered_ = 0;
    Visiting visiting_around_ = Visiting::waits;
};

void note_end();  // this node makes no directive any more, and waits for the others to come to the end as well

}  // namespace kumihimo::execution
