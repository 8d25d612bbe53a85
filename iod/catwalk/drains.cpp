#include "iod/catwalk/drains.hpp"

#include <utility>

namespace kumihimo::iod::process {

void Drains::join(const Drain& drain, Answered&& answered) {
    const bool out_of_turn = drain.epoch <= last_epoch_ || (!under_way_.empty() && under_way_.begin()->first != drain.epoch);
    if (out_of_turn) throw ProtocolError("a drain that is not the next one");
    const auto [entry, first] = under_way_.try_emplace(drain.epoch);
    Draining& draining = entry->second;
    if (first)
        draining.drain = drain;
    else
        draining.drain.status.keep_first(drain.status);
    draining.waiting.push_back(std::move(answered));
}

std::optional<Drains::Draining> Drains::take(std::uint64_t epoch) {
    auto node = under_way_.extract(epoch);
    if (node.empty()) return std::nullopt;
    last_epoch_ = epoch;
    return std::move(node.mapped());
}

void Drains::fail(const Status& why) {
    for (const auto& [epoch, draining] : std::exchange(under_way_, {}))
        for (const Answered& answered : draining.waiting) answered({why});
}

}  // namespace kumihimo::iod::process
