#include "runtime/localview/job_transport.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/hosts.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "runtime/execution/context.hpp"

namespace kumihimo::localview {

namespace {

std::unique_ptr<transport::Transport> the_transport;
std::unique_ptr<transport::Region> processes;
std::optional<base::Poller> help;  // which other images may need of it while this one waits
bool unfenced = false;

bool all_share_memory() {
    const auto& hosts = base::hosts_of(execution::Context::get().world_communicator()).host_of_rank;
    return std::all_of(hosts.begin(), hosts.end(), [&](int host) { return host == hosts.front(); });
}

}  // namespace

transport::Transport* transport_for_coarrays() {
    if (!the_transport && !all_share_memory()) {
        the_transport = transport::make("", execution::Context::get().world_communicator());
        help.emplace([](void*) { the_transport->poll(); }, nullptr);
        base::log(base::log_start, "coarrays between machines: {}", the_transport->description());
    }
    return the_transport.get();
}

transport::Transport* transport() {
    return the_transport.get();
}

void release_transport() {
    help.reset();
    processes.reset();
    the_transport.reset();
    unfenced = false;
}

transport::Region* region_of_processes() {
    if (transport::Transport* const transport = transport_for_coarrays(); transport != nullptr && !processes)
        processes = transport->attach_processes();
    return processes.get();
}

bool has_unfenced_puts() {
    return unfenced;
}

void set_unfenced_puts(bool now) {
    unfenced = now;
}

std::uint64_t puts_sent_to(int node) {
    return unfenced ? the_transport->sent_to(node) : 0;
}

bool puts_came_from(int node, std::uint64_t sent) {
    return sent == 0 || (the_transport && the_transport->came_from(node) >= sent);
}

}  // namespace kumihimo::localview
