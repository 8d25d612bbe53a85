#include "mpiio/engine/direct/state.hpp"

#include <algorithm>

namespace kumihimo::mpiio::direct {

Index State::small_bytes() const {
    if (parameters.small_bytes > 0) return parameters.small_bytes;
    const Index worth = static_cast<Index>(1.5 * system->write.operation_s / system->write.byte_s);
    return std::min(worth, parameters.log_bytes / 16);
}

std::optional<Failure> State::agree(const std::optional<Failure>& mine) {
    if (board.is_open() && !board.any(mine.has_value())) return std::nullopt;
    return base::agree(comm, mine, "rank");
}

Tuning State::read_tuning() const {
    const Index buffer = parameters.read_buffer_bytes;
    if (parameters.sieve_read == Switch::off) return {buffer, 0};
    if (parameters.sieve_read == Switch::on) return {buffer, buffer};
    const Cost cost = read_cost();
    return {buffer, static_cast<Index>(cost.operation_s / std::max(cost.byte_s, 1e-12))};
}

}  // namespace kumihimo::mpiio::direct
