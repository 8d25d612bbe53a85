// Collective transfers: what every rank does alone, what is put off, and what goes through aggregators; and why.
#pragma once

#include "mpiio/engine/direct/state.hpp"

namespace kumihimo::mpiio::direct {

class Collective {
public:
    explicit Collective(State& state) : state_(state) {}

    // Collective. `alone` is this rank's independent transfer.
    template <typename Alone>
    Outcome read(const Access&, Alone&& alone) {
        return alone();
    }
    template <typename Alone>
    Outcome write(const Access&, Alone&& alone) {
        return alone();
    }

    // Collective: empties the logs of all ranks; agreed, with what was kept from earlier calls.
    std::optional<Failure> flush_log();
    void set_hints(const Hints& hints);  // collective
    int aggregators_in_force() const;

private:
    State& state_;
};

}  // namespace kumihimo::mpiio::direct
