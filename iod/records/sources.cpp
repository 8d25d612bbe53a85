#include "iod/records/sources.hpp"

#include <algorithm>

namespace kumihimo::iod {

// What arrives before the ranks here drain may be overflow in any order: it says nothing of what is still to come.
void Sources::arrived(int source, Offset offset) {
    if (draining() && has_drained(all_.front())) at(source).reached = offset;
}

void Sources::drain(int source, std::uint64_t epoch) {
    at(source).epoch = std::max(at(source).epoch, epoch);
    epoch_ = std::max(epoch_, epoch);
}

void Sources::lose(int source) {
    at(source).lost = true;
}

bool Sources::all_drained() const {
    return std::all_of(all_.begin(), all_.end(), [&](const Source& source) { return has_drained(source); });
}

Offset Sources::horizon() const {
    if (!has_drained(all_.front())) return 0;
    Offset lowest = everything;
    for (const Source& source : all_)
        if (!has_drained(source)) lowest = std::min(lowest, source.reached);
    return lowest;
}

std::uint64_t Sources::complete() {
    completed_ = epoch_;
    for (Source& source : all_) source.reached = 0;
    return completed_;
}

}  // namespace kumihimo::iod
