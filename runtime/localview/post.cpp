// post and wait (specification 5.8.2, 5.8.3): messages with a tag, from any node to any other (decisions COA-16 to COA-18).
#include <atomic>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/localview/remote.hpp"
#include "runtime/localview/waiting.hpp"

namespace kumihimo::localview {

namespace {

using execution::Context;

int single_node(const XMP_On& on) {
    const execution::NodeSetPointer set = Context::get().resolve(&on);
    if (set->size() != 1)
        throw base::Error(fmt::format("{} are named where one is needed", base::counted(set->size(), "node")),
                          "Give every dimension of the node array a subscript.");
    return set->world_rank(0);
}

// Whether no further post can come from this node (null: from any). This one cannot post while it waits.
bool hopeless(const int* node) {
    const auto silent = [](int one) {
        return (one == this_image() || has_ended(one)) && posts_received(one) >= told(Counter::posted, one);
    };
    if (node != nullptr) return silent(*node);
    for (int one = 0; one < Context::get().world_size(); ++one)
        if (!silent(one)) return false;
    return true;
}

void wait_for_post(const int* node, const int* tag) {
    bool taken = false;
    wait_until([&] {
        progress();
        taken = take_post(node, tag).has_value();
        return taken || hopeless(node);
    });
    if (taken || take_post(node, tag)) return;
    throw base::Error(node != nullptr ? fmt::format("node {} will post no more, and what it posted does not match this wait",
                                                    base::node_number(*node))
                                      : std::string("all other nodes have ended, and no post matches this wait"),
                      "Compare the tags; every wait needs a post of its own.");
}

}  // namespace

}  // namespace kumihimo::localview

using namespace kumihimo;
using execution::guarded;

void XMP_Post(const XMP_Site* site, const XMP_On* node, int tag) {
    guarded(site, [&] {
        localview::note_order(localview::Order::some_images);
        const int receiver = localview::single_node(*node);
        localview::order_puts_before(receiver);
        localview::send_post(receiver, tag);
    });
}

void XMP_Wait(const XMP_Site* site, const XMP_On* node, const int* tag) {
    guarded(site, [&] {
        localview::note_order(localview::Order::some_images);
        const int poster = node == nullptr ? -1 : localview::single_node(*node);
        localview::wait_for_post(node == nullptr ? nullptr : &poster, tag);
        std::atomic_thread_fence(std::memory_order_acq_rel);  // what the poster put is seen from here on
    });
}
