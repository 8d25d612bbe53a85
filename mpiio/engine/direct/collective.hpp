// Collective transfers: what every rank does alone, what is deferred, and what goes through aggregators; and why.
//
// The ranks tell each other what they are about to do and take the same way, by the cost model. Small writes are deferred by
// all, and then the ranks agree not to ask each other for as many calls as fit their logs: such a call costs a copy and no
// message. A failure in one of them is told with the next exchange: at the latest by sync or close.
#pragma once

#include <functional>

#include "mpiio/engine/direct/state.hpp"

namespace kumihimo::mpiio::direct {

class Collective {
public:
    explicit Collective(State& state) : state_(state) {}
    using Alone = std::function<Outcome()>;  // this rank's independent transfer

    // Collective.
    Outcome read(const Access& access, const Alone& alone);
    Outcome write(const Access& access, const Alone& alone);
    // Collective: empties the logs of all ranks; agreed, with what was kept from earlier calls. `expected`: of the time until
    // the last rank comes.
    std::optional<Failure> flush_log(base::Waiting::Expected expected = base::Waiting::brief);
    void set_hints(const Hints& hints);  // collective
    int aggregators_in_force() const;

private:
    // What is remembered about one direction. The same on all ranks, save `seconds`.
    struct History {
        Index silent_calls = 0, last_silence = 0;  // calls to come without an exchange
        bool silent_alone = false;                 // in which every rank moves its bytes itself, at once
        double estimate_s = 0;                     // of the last two-phase transfer; 0: none since the last exchange
        double seconds = 0;                        // that it took this rank
        double correction = 1;                     // of the model
    };
    struct Exchange {
        Load load;
        std::optional<Failure> told;  // what some rank kept or was handed: all know it now
    };

    bool always_alone() const { return state_.ranks == 1 || state_.atomic || (state_.amode & MPI_MODE_SEQUENTIAL) != 0; }
    Summary summary(const Access& access, const History& history) const;
    Exchange exchange(const Summary& mine, History& history, bool reads, const Failure* earlier,
                      base::Waiting::Expected expected = base::Waiting::brief);
    Outcome agreed(Outcome outcome, const std::optional<Failure>& failure);  // collective
    Situation situation(const History& history) const;
    Strategy write_strategy(const Load& load) const;
    Strategy read_strategy(const Load& load) const;
    bool worth_putting_off(const Load& load) const;
    void fall_silent(History& history, Index calls) const;

    Outcome write_silently(const Access& access, const Alone& alone);
    Outcome write_deferred(const Access& access, const Alone& alone, Exchange exchange);
    Outcome through_aggregators(const Access& access, History& history, const Load& load, bool reads);
    void keep(const std::optional<Failure>& failure);

    State& state_;
    History reads_, writes_;
};

}  // namespace kumihimo::mpiio::direct
