#include "mpiio/engine/direct/state.hpp"

namespace kumihimo::mpiio::direct {

Tuning State::read_tuning() const {
    const Index buffer = parameters.read_buffer_bytes;
    if (parameters.sieve_read == Switch::off) return {buffer, 0};
    if (parameters.sieve_read == Switch::on) return {buffer, buffer};
    const Cost cost = read_cost();
    return {buffer, static_cast<Index>(cost.operation_s / std::max(cost.byte_s, 1e-12))};
}

}  // namespace kumihimo::mpiio::direct
