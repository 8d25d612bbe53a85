#include "runtime/localview/remote.hpp"

#include <algorithm>

#include "base/hosts.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "runtime/localview/failures.hpp"
#include "runtime/localview/image_control.hpp"
#include "runtime/localview/life.hpp"

namespace kumihimo::localview {

namespace {

std::unique_ptr<transport::Transport> the_transport;
std::unique_ptr<transport::Region> processes;
std::unique_ptr<base::Poller> help;  // which other images may need of it while this one waits
bool unfenced = false;               // something was put since the last fence

// This may be inside of any wait: messages of the mailbox bring what the waits of this room need, but failures end others, too.
void help_and_look() {
    constexpr unsigned polls_between_looks = 64;
    static unsigned polls = 0;
    the_transport->poll();
    if (++polls % polls_between_looks == 0 && watches_processes()) look();
}

template <typename Access>
auto reach(Access&& access) -> decltype(access()) {
    try {
        return access();
    } catch (const transport::Gone& gone) {
        note_loss(gone.rank);
        throw Missing(Absence::failed);
    }
}

bool all_share_memory() {
    const auto& hosts = base::hosts_of(execution::Context::get().world_communicator()).host_of_rank;
    return std::all_of(hosts.begin(), hosts.end(), [&](int host) { return host == hosts.front(); });
}

}  // namespace

transport::Transport* transport_for_coarrays() {
    if (!the_transport && !all_share_memory()) {
        the_transport = transport::make("", execution::Context::get().world_communicator());
        help = std::make_unique<base::Poller>([](void*) { help_and_look(); }, nullptr);
        base::log(base::log_start, "coarrays between machines: {}", the_transport->description());
    }
    return the_transport.get();
}

transport::Transport* transport() {
    return the_transport.get();
}

void remote_get(const Place& place, std::byte* to, const sets::Correspondence& shape) {
    reach([&] { the_transport->get(*place.blocks->region, place.node, place.offset, to, shape); });
}

void remote_put(const Place& place, const std::byte* from, const sets::Correspondence& shape) {
    unfenced = true;
    reach([&] { the_transport->put(*place.blocks->region, place.node, place.offset, from, shape); });
}

void remote_accumulate(const Place& place, const std::byte* from, const sets::Correspondence& shape,
                       transport::Reduction operation, int type) {
    unfenced = true;
    reach([&] { the_transport->accumulate(*place.blocks->region, place.node, place.offset, from, shape, operation, type); });
    if (place.direct != nullptr) remote_fence();  // this image's next access may be a load through the pointer
}

std::int64_t remote_atomic(const Place& place, std::size_t bytes, transport::Atomic operation, std::int64_t operand,
                           std::int64_t compare) {
    return reach([&] {
        return the_transport->atomic(*place.blocks->region, place.node, place.offset, bytes, operation, operand, compare);
    });
}

bool reach_processes() {
    if (transport::Transport* const transport = transport_for_coarrays(); transport != nullptr && !processes)
        processes = transport->attach_processes();
    return processes != nullptr;
}

void read_process(int node, std::uintptr_t address, std::byte* to, const sets::Correspondence& shape) {
    reach([&] { the_transport->get(*processes, node, address, to, shape); });
}

void write_process(int node, std::uintptr_t address, const std::byte* from, const sets::Correspondence& shape) {
    unfenced = true;
    reach([&] { the_transport->put(*processes, node, address, from, shape); });
}

void remote_fence() {
    while (unfenced) {
        try {
            the_transport->fence();
            unfenced = false;
        } catch (const transport::Gone& gone) {  // what it was sent is lost with it; image control says so
            if (!watches_processes()) throw;
            note_loss(gone.rank);
            the_transport->give_up(gone.rank);
        }
    }
}

// Where processes may die everything is complete before others hear of it, so that all judge a death alike.
void remote_fence_others(int node) {
    if (!unfenced) return;
    if (watches_processes()) return remote_fence();
    unfenced = !the_transport->fence_others(node);
}

std::uint64_t puts_sent_to(int node) {
    return unfenced ? the_transport->sent_to(node) : 0;
}

bool puts_came_from(int node, std::uint64_t sent) {
    return sent == 0 || (the_transport && the_transport->came_from(node) >= sent);
}

void release_transport() {
    help.reset();
    processes.reset();
    the_transport.reset();
    unfenced = false;
}

}  // namespace kumihimo::localview
