#include "runtime/globalview/gmove_one_sided.hpp"

#include <algorithm>

#include "runtime/globalview/tagged_barrier.hpp"
#include "runtime/localview/life.hpp"
#include "runtime/localview/remote.hpp"

namespace kumihimo::globalview {

namespace {

// The memory of this node or of a peer.
struct End {
    std::byte* here;  // null: the peer's is reached by the transport
    const GmovePeer* peer = nullptr;

    explicit End(std::byte* memory) : here(memory) {}
    explicit End(const GmovePeer& other) : here(other.direct), peer(&other) {}
    localview::Place place(std::ptrdiff_t offset) const {
        return {peer->blocks.get(), peer->node, peer->offset + static_cast<std::size_t>(offset), nullptr};
    }
};

// One end at most is remote.
void move(const StridedCopy& copy, const End& to, const End& from) {
    if (to.here != nullptr && from.here != nullptr) return copy.execute(to.here, from.here);
    if (copy.loops() > transport::Shape::most_rank) {
        for (std::int64_t step = 0; step < copy.loop(0).count; ++step) move(copy.inside(step), to, from);
        return;
    }
    const bool get = from.here == nullptr;
    transport::Shape shape;
    shape.element_bytes = copy.run_bytes();
    shape.rank = copy.loops();
    for (int d = 0; d < copy.loops(); ++d) {
        const CopyLoop& loop = copy.loop(d);
        const auto at = static_cast<std::size_t>(d);
        shape.count[at] = loop.count;
        shape.near[at] = get ? loop.to : loop.from;
        shape.far[at] = get ? loop.from : loop.to;
    }
    if (get)
        localview::remote_get(from.place(copy.from_offset()), to.here + copy.to_offset(), shape);
    else
        localview::remote_put(to.place(copy.to_offset()), from.here + copy.from_offset(), shape);
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
    const std::size_t begin = static_cast<std::size_t>(first) * memory_.right_bytes;
    const std::size_t end = begin + static_cast<std::size_t>(count) * memory_.right_bytes;
    for_each_box(parts()[place].gather, begin, end,
                 [&](const StridedCopy& copy) { move(copy.moved(-static_cast<std::ptrdiff_t>(begin), 0), End(data), source); });
}

void OneSidedGmove::write(std::size_t place, Index first, Index count, const std::byte* data) const {
    const GmovePart& part = parts()[place];
    const End target = out() ? End(peers_[place]) : End(memory_.left);
    const End dense(writable(as_left(memory_, data, count)));
    const std::size_t begin = static_cast<std::size_t>(first) * memory_.left_bytes;
    const std::size_t end = begin + static_cast<std::size_t>(count) * memory_.left_bytes;
    if (part.spreads)
        for (const StridedCopy& copy : part.scatter) move(copy, target, dense);
    else
        for_each_box(part.scatter, begin, end,
                     [&](const StridedCopy& copy) { move(copy.moved(0, -static_cast<std::ptrdiff_t>(begin)), target, dense); });
}

void OneSidedGmove::transfer() {
    std::vector<std::unique_ptr<std::byte[]>> buffers(parts().size());
    for (std::size_t i = 0; i < parts().size(); ++i) {
        const GmovePart& part = parts()[i];
        const End peer(peers_[i]);
        for (const StridedCopy& copy : part.pull)
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
