#include "runtime/globalview/gmove_one_sided.hpp"

#include <algorithm>

#include "copying/execute.hpp"
#include "runtime/globalview/tagged_barrier.hpp"
#include "runtime/localview/remote.hpp"

namespace kumihimo::globalview {

namespace {

using sets::Correspondence;

// The memory of this node or of a peer.
struct End {
    std::byte* here;  // null: the peer's is reached by the transport
    const GmovePeer* peer = nullptr;

    explicit End(std::byte* memory) : here(memory) {}
    explicit End(const GmovePeer& other) : here(other.direct), peer(&other) {}
    localview::Place place() const { return {peer->blocks.get(), peer->node, peer->offset, nullptr}; }
};

// One end at most is remote.
void move(const Correspondence& copy, const End& to, const End& from) {
    if (from.here == nullptr)
        localview::remote_get(from.place(), to.here, copy);
    else if (to.here == nullptr)
        localview::remote_put(to.place(), from.here, copy);
    else
        copying::execute(copy, to.here, from.here);
}

std::byte* writable(const std::byte* memory) {  // an end is one for both directions
    return const_cast<std::byte*>(memory);
}

// What is left when an asynchronous one returns: its puts, and that the other nodes have come so far.
class Completion final : public Pending {
public:
    explicit Completion(Team& team) : barrier_(team, async_tag(team.next_operation(), AsyncTag::end)) {}
    bool test() override {
        localview::complete_puts();
        return barrier_.test();
    }
    void wait() override {
        base::wait_until([this] { return test(); });
    }

private:
    TaggedBarrier barrier_;
};

}  // namespace

OneSidedGmove::OneSidedGmove(const GmovePlan& plan, const GmoveMemory& memory, const std::vector<GmovePeer>& peers,
                             bool all_stage, Team& team)
    : plan_(plan),
      memory_(memory),
      peers_(peers),
      all_stage_(all_stage),
      team_(team),
      piece_(gmove_piece(team.size(), memory.right_bytes)) {}

void OneSidedGmove::read(std::size_t place, Index first, Index count, std::byte* data) const {
    const End source = out() ? End(writable(memory_.right)) : End(peers_[place]);
    const auto each = static_cast<Index>(memory_.right_bytes), begin = first * each;
    sets::for_each_box(parts()[place].gather, begin, begin + count * each,
                       [&](const Correspondence& copy) { move(copy.moved(-begin, 0), End(data), source); });
}

void OneSidedGmove::write(std::size_t place, Index first, Index count, const std::byte* data) const {
    const GmovePart& part = parts()[place];
    const End target = out() ? End(peers_[place]) : End(memory_.left);
    const End dense(writable(as_left(memory_, data, count)));
    const auto each = static_cast<Index>(memory_.left_bytes), begin = first * each;
    if (part.spreads)
        for (const Correspondence& copy : part.scatter) move(copy, target, dense);
    else
        sets::for_each_box(part.scatter, begin, begin + count * each,
                           [&](const Correspondence& copy) { move(copy.moved(0, -begin), target, dense); });
}

void OneSidedGmove::transfer() {
    std::vector<std::unique_ptr<std::byte[]>> buffers(parts().size());
    for (std::size_t i = 0; i < parts().size(); ++i) {
        const GmovePart& part = parts()[i];
        const End peer(peers_[i]);
        for (const Correspondence& copy : part.pull)
            move(copy, out() ? peer : End(memory_.left), out() ? End(writable(memory_.right)) : peer);
        if (!part.pull.empty()) continue;
        buffers[i] = std::make_unique_for_overwrite<std::byte[]>(buffer_elements(part) * memory_.right_bytes);
        if (memory_.staged) {
            read(i, 0, part.elements, buffers[i].get());
            continue;
        }
        for (Index first = 0; first < part.elements; first += piece_) {
            const Index count = std::min(piece_, part.elements - first);
            read(i, first, count, buffers[i].get());
            write(i, first, count, buffers[i].get());
        }
        buffers[i].reset();
    }
    if (all_stage_) team_.barrier();
    for (std::size_t i = 0; memory_.staged && i < parts().size(); ++i) write(i, 0, parts()[i].elements, buffers[i].get());
}

void OneSidedGmove::run() {
    team_.barrier();  // what the other executing nodes have stored before
    transfer();
    localview::complete_puts();
    team_.barrier();
}

std::unique_ptr<Pending> OneSidedGmove::start() {
    if (team_.shared()) {
        run();
        return nullptr;
    }
    team_.barrier();
    transfer();
    return std::make_unique<Completion>(team_);
}

}  // namespace kumihimo::globalview
