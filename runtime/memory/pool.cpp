#include <algorithm>

#include "base/settings.hpp"
#include "runtime/memory/segment_state.hpp"

namespace kumihimo::memory {

namespace {

int forget_pool(MPI_Comm, int, void* pool, void*) {
    delete static_cast<std::shared_ptr<Pool>*>(pool);
    return MPI_SUCCESS;
}

int pool_key() {
    static const int key = [] {
        int made = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_pool, &made, nullptr);
        return made;
    }();
    return key;
}

std::size_t kept_limit() {
    static const auto limit = static_cast<std::size_t>(base::setting_number("KUMIHIMO_SEGMENT_CACHE"));
    return limit;
}

}  // namespace

std::shared_ptr<Pool> Pool::of(MPI_Comm comm) {
    void* known = nullptr;
    int found = 0;
    MPI_Comm_get_attr(comm, pool_key(), &known, &found);
    if (!found) {
        known = new std::shared_ptr<Pool>(std::make_shared<Pool>());
        MPI_Comm_set_attr(comm, pool_key(), known);
    }
    return *static_cast<std::shared_ptr<Pool>*>(known);
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
