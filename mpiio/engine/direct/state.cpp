#include "mpiio/engine/direct/state.hpp"

#include <algorithm>

namespace kumihimo::mpiio::direct {

// An arena holds a log and, behind it, the list of the log's places in the file.
constexpr Index largest_list = 8192, largest_log = Team::arena_bytes - largest_list * Index{sizeof(sets::Blocks)};

State::~State() {
    if (log.is_borrowed()) team->give_back_arena();
}

void State::lose(const Failure& why) {
    if (lost) return;
    lost = why;
    lost->text += ". Bytes written before are lost or may be: close the file and write it again";
}

void State::size_log() {
    log.set_capacity(parameters.log_bytes);
    const bool fits = parameters.log_bytes > 0 && parameters.log_bytes <= largest_log;
    if (fits && !log.is_borrowed()) log.borrow(team->take_arena());
    if (fits || !log.is_borrowed()) return;
    log.borrow(nullptr);
    team->give_back_arena();
}

bool State::log_in_shared_memory() const {
    return log.empty() || (log.is_borrowed() && log.in_order() && log.pieces() <= largest_list);
}

sets::Blocks* State::list_of(int rank) const {
    return reinterpret_cast<sets::Blocks*>(team->arena_of(rank) + largest_log);
}

Index State::small_bytes() const {
    if (parameters.small_bytes > 0) return parameters.small_bytes;
    const Index worth = static_cast<Index>(1.5 * system->write.operation_s / system->write.byte_s);
    return std::min(worth, parameters.log_bytes / 16);
}

Tuning State::read_tuning() const {
    const Index buffer = parameters.read_buffer_bytes;
    if (parameters.sieve_read == Switch::off) return {buffer, 0};
    if (parameters.sieve_read == Switch::on) return {buffer, buffer};
    const Cost cost = read_cost();
    return {buffer, static_cast<Index>(cost.operation_s / std::max(cost.byte_s, 1e-12))};
}

}  // namespace kumihimo::mpiio::direct
