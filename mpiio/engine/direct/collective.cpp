#include "mpiio/engine/direct/collective.hpp"

#include <utility>

#include "base/agreement.hpp"
#include "mpiio/engine/direct/communication.hpp"
#include "mpiio/engine/direct/put_off.hpp"

namespace kumihimo::mpiio::direct {

std::optional<Failure> Collective::flush_log() {
    (void)flush(state_);  // its failure is kept
    return base::agree(state_.comm, std::exchange(state_.kept, std::nullopt));
}

void Collective::set_hints(const Hints& hints) {
    apply(hints, state_.parameters);
    broadcast(state_.comm, 0, state_.parameters);
    (void)flush(state_);  // before the log changes its size
    state_.log.set_capacity(state_.parameters.log_bytes);
}

int Collective::aggregators_in_force() const {
    return state_.parameters.aggregators > 0 ? static_cast<int>(state_.parameters.aggregators) : state_.ranks;
}

}  // namespace kumihimo::mpiio::direct
