#include <algorithm>

#include "base/attribute.hpp"
#include "base/settings.hpp"
#include "runtime/memory/segment_state.hpp"

namespace kumihimo::memory {

namespace {

std::size_t kept_limit() {
    static const auto limit = static_cast<std::size_t>(base::setting_number("KUMIHIMO_SEGMENT_CACHE"));
    return limit;
}

}  // namespace

std::shared_ptr<Pool> Pool::of(MPI_Comm comm) {
    using Held = std::shared_ptr<Pool>;
    if (const Held* const known = base::Attribute<Held>::of(comm)) return *known;
    return base::Attribute<Held>::keep(comm, std::make_unique<Held>(std::make_shared<Pool>()));
}

void Pool::put(std::shared_ptr<Segment::State> state) {
    if (state->bytes() > kept_limit()) return;
    constexpr std::size_t most_segments = 64;
    kept_bytes_ += state->bytes();
    freed_.push_front(std::move(state));
    while (kept_bytes_ > kept_limit() || freed_.size() > most_segments) {
        kept_bytes_ -= freed_.back()->bytes();
        freed_.pop_back();
    }
}

const Segment::State* Pool::candidate(std::size_t bytes, const std::string& purpose) const {
    const auto found = std::find_if(freed_.begin(), freed_.end(),
                                    [&](const auto& state) { return state->bytes() == bytes && state->purpose == purpose; });
    return found == freed_.end() ? nullptr : found->get();
}

std::shared_ptr<Segment::State> Pool::take(std::uint64_t number) {
    const auto found = std::find_if(freed_.begin(), freed_.end(), [&](const auto& state) { return state->number == number; });
    auto state = *found;
    kept_bytes_ -= state->bytes();
    freed_.erase(found);
    return state;
}

}  // namespace kumihimo::memory
