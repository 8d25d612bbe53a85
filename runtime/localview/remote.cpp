#include "runtime/localview/remote.hpp"

#include <algorithm>

#include "base/hosts.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"

namespace kumihimo::localview {

namespace {

std::unique_ptr<transport::Transport> the_transport;
std::unique_ptr<base::Poller> help;  // which other images may need of it while this one waits
bool unfenced = false;               // something was put since the last fence

bool all_share_memory() {
    const auto& hosts = base::hosts_of(execution::Context::get().world_communicator()).host_of_rank;
    return std::all_of(hosts.begin(), hosts.end(), [&](int host) { return host == hosts.front(); });
}

}  // namespace

transport::Transport* transport_for_coarrays() {
    if (!the_transport && !all_share_memory()) {
        the_transport = transport::make("", execution::Context::get().world_communicator());
        help = std::make_unique<base::Poller>([](void*) { the_transport->poll(); }, nullptr);
        base::log(base::log_start, "coarrays between machines: {}", the_transport->description());
    }
    return the_transport.get();
}

transport::Transport* transport() {
    return the_transport.get();
}

void remote_get(const Place& place, std::byte* to, const sets::Correspondence& shape) {
    the_transport->get(*place.blocks->region, place.node, place.offset, to, shape);
}

void remote_put(const Place& place, const std::byte* from, const sets::Correspondence& shape) {
    the_transport->put(*place.blocks->region, place.node, place.offset, from, shape);
    unfenced = true;
}

void remote_accumulate(const Place& place, const std::byte* from, const sets::Correspondence& shape,
                       transport::Reduction operation, int type) {
    the_transport->accumulate(*place.blocks->region, place.node, place.offset, from, shape, operation, type);
    unfenced = true;
    if (place.direct != nullptr) remote_fence();  // this image's next access may be a load through the pointer
}

std::int64_t remote_atomic(const Place& place, std::size_t bytes, transport::Atomic operation, std::int64_t operand,
                           std::int64_t compare) {
    return the_transport->atomic(*place.blocks->region, place.node, place.offset, bytes, operation, operand, compare);
}

void remote_fence() {
    if (!unfenced) return;
    the_transport->fence();
    unfenced = false;
}

void release_transport() {
    help.reset();
    the_transport.reset();
    unfenced = false;
}

}  // namespace kumihimo::localview
