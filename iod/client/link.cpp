#include "iod/client/link.hpp"

#include <algorithm>

namespace kumihimo::iod {

// What an agent says to nobody is its farewell.
template <typename Fits>
std::optional<Link> Links::take(Fits&& fits) {
    const std::lock_guard lock(mutex_);
    std::erase_if(idle_, [](const Link& link) { return !link.connection.silent(); });
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(), fits);
    if (found == idle_.rend()) return std::nullopt;
    std::optional<Link> link(std::move(*found));
    idle_.erase(std::next(found).base());
    return link;
}

std::optional<Link> Links::to(const std::string& address) {
    return take([&](const Link& link) { return link.address == address; });
}

std::optional<Link> Links::to_any() {
    return take([now = inherited_now()](const Link& link) { return link.inherited == now; });
}

// An agent that is a thread ends with its file, and this process waits for it.
void Links::keep(Link link) {
    if (link.running && link.running->is_thread()) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(link));
}

void Links::clear() {
    const std::lock_guard lock(mutex_);
    idle_.clear();
}

}  // namespace kumihimo::iod
