#include "runtime/xmpio/one_node.hpp"

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "base/wait.hpp"

namespace kumihimo::xmpio {

namespace {

constexpr int tag = 0;  // of the team's communicator; gmove and reflect have others

// Coordinates of the grid's dimension `along` that own part of the section; all where the array does not lie along it.
std::vector<Index> owning(const sets::ArrayMapping& mapping, const Section& section, int along) {
    int dimension = -1;
    for (int d = 0; d < mapping.rank(); ++d)
        if (mapping.node_dimension(d) == along) dimension = d;
    std::vector<Index> found;
    for (Index c = 0; c < mapping.target().grid().extents()[static_cast<std::size_t>(along)]; ++c)
        if (dimension < 0 || !mapping.owned(dimension, c, section[static_cast<std::size_t>(dimension)]).empty())
            found.push_back(c);
    return found;
}

void pack(const copying::Memory& from, Part::Stretch stretch, std::byte* to) {
    copying::gather(from, stretch.begin, stretch.end, to);
}

void unpack(const std::byte* from, const copying::Memory& to, Part::Stretch stretch) {
    copying::scatter(from, to, stretch.begin, stretch.end);
}

void copy(const copying::Memory& from, const copying::Memory& to, Part::Stretch stretch) {
    copying::copy(from, stretch.begin, to, stretch.begin, stretch.bytes());
}

}  // namespace

struct SectionAtOneNode::Message {
    const Owner* owner;
    std::size_t offset, bytes;  // in the packed buffer
};

// What travels between the root and the owners in one call, packed one behind the other.
class SectionAtOneNode::Transit {
public:
    Transit(std::vector<Message> messages, MPI_Comm communicator)
        : messages_(std::move(messages)),
          packed_(new std::byte[messages_.empty() ? 0 : messages_.back().offset + messages_.back().bytes]),
          communicator_(communicator) {}

    const std::vector<Message>& messages() const { return messages_; }
    std::byte* place(const Message& message) { return packed_.get() + message.offset; }
    void send(const Message& message, int node) { begin(MPI_Isend, message, node); }
    void receive(const Message& message, int node) { begin(MPI_Irecv, message, node); }
    void wait() {
        base::wait_until([&] {
            int done = 0;
            MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
            return done != 0;
        });
    }

private:
    template <typename Call>
    void begin(Call call, const Message& message, int node) {
        call(place(message), static_cast<int>(message.bytes), MPI_BYTE, node, tag, communicator_,
             &requests_.emplace_back(MPI_REQUEST_NULL));
    }
    std::vector<Message> messages_;
    std::unique_ptr<std::byte[]> packed_;
    std::vector<MPI_Request> requests_;
    MPI_Comm communicator_;
};

SectionAtOneNode::SectionAtOneNode(const execution::Array& array, const Section& section,
                                   const execution::NodeSetPointer& executing, int root, bool changes)
    : array_(array),
      executing_(executing),
      team_(teams::Team::of(executing)),
      root_(root),
      elements_(xmpio::elements(section)) {
    if (array.set != executing && array.nodes().differs_between_nodes())
        throw base::Error(fmt::format("array {} lies on node array {}, which stands for other nodes on other nodes", array.name,
                                      array.nodes().name),
                          "Execute the statement in a task on that node array.");
    if (elements_ == 0) return;
    if (team_.my_number() == root_)
        for (const std::vector<Index>& coordinates : candidates(section)) add(section, coordinates, changes);
    else if (array.member())
        add(section, array.nodes().coordinates, changes);
}

// Coordinates of all nodes that own part of the section: the product of what owns part of it along each dimension of the grid.
std::vector<std::vector<Index>> SectionAtOneNode::candidates(const Section& section) const {
    std::vector<std::vector<Index>> found{{}};
    for (int along = 0; along < array_.nodes().grid.rank(); ++along) {
        const std::vector<Index> own = owning(*array_.mapping, section, along);
        std::vector<std::vector<Index>> longer;
        for (const std::vector<Index>& coordinates : found)
            for (const Index c : own) {
                longer.push_back(coordinates);
                longer.back().push_back(c);
            }
        found = std::move(longer);
    }
    return found;
}

void SectionAtOneNode::add(const Section& section, const std::vector<Index>& coordinates, bool changes) {
    Part part(*array_.mapping, array_.element_bytes, section, coordinates);
    if (part.bytes() == 0) return;
    const int number = executing_number(coordinates), source = sender(coordinates);
    if (source < 0 || (number < 0 && changes))
        throw base::Error(
            fmt::format("array {} lies partly on node {} of the entire set, which does not execute this", array_.name,
                        base::node_number(array_.set->world_rank(static_cast<int>(array_.nodes().grid.number(coordinates))))),
            "Execute the statement where all nodes of the array take part.");
    if (number >= 0) owners_.push_back({number, number == source, std::move(part)});
}

int SectionAtOneNode::executing_number(const std::vector<Index>& coordinates) const {
    return executing_->number_of(array_.set->world_rank(static_cast<int>(array_.nodes().grid.number(coordinates))));
}

// The first executing one of the nodes that hold the same elements; -1: there is none.
int SectionAtOneNode::sender(std::vector<Index> coordinates) const {
    const std::vector<int> replicated = array_.mapping->replicated_node_dimensions();
    for (const int along : replicated) coordinates[static_cast<std::size_t>(along)] = 0;
    while (true) {
        const int number = executing_number(coordinates);
        if (number >= 0) return number;
        auto along = replicated.begin();
        for (; along != replicated.end(); ++along) {
            Index& coordinate = coordinates[static_cast<std::size_t>(*along)];
            if (++coordinate < array_.nodes().grid.extents()[static_cast<std::size_t>(*along)]) break;
            coordinate = 0;
        }
        if (along == replicated.end()) return -1;
    }
}

// What goes between the root and each owner but itself, or between this node and the root.
std::vector<SectionAtOneNode::Message> SectionAtOneNode::messages(Index begin, Index end, bool gathers) const {
    std::vector<Message> found;
    std::size_t offset = 0;
    for (const Owner& owner : owners_) {
        if (gathers && !owner.sends) continue;
        if (root() && owner.number == root_) continue;
        const std::size_t bytes = static_cast<std::size_t>(owner.part.stretch(begin, end).bytes());
        if (bytes > 0) found.push_back({&owner, offset, bytes});
        offset += bytes;
    }
    return found;
}

void SectionAtOneNode::gather(Index begin, Index end, std::byte* whole) const {
    Transit transit(messages(begin, end, true), team_.communicator());
    for (const Message& message : transit.messages()) {
        if (root()) {
            transit.receive(message, message.owner->number);
            continue;
        }
        const Part& part = message.owner->part;
        pack(part.block(array_.base), part.stretch(begin, end), transit.place(message));
        transit.send(message, root_);
    }
    for (const Owner& owner : owners_)
        if (root() && owner.number == root_ && owner.sends)
            copy(owner.part.block(array_.base), owner.part.whole(whole, begin), owner.part.stretch(begin, end));
    transit.wait();
    for (const Message& message : transit.messages()) {
        const Part& part = message.owner->part;
        if (root()) unpack(transit.place(message), part.whole(whole, begin), part.stretch(begin, end));
    }
}

void SectionAtOneNode::scatter(Index begin, Index end, std::byte* whole) const {
    Transit transit(messages(begin, end, false), team_.communicator());
    for (const Message& message : transit.messages()) {
        if (!root()) {
            transit.receive(message, root_);
            continue;
        }
        const Part& part = message.owner->part;
        pack(part.whole(whole, begin), part.stretch(begin, end), transit.place(message));
        transit.send(message, message.owner->number);
    }
    for (const Owner& owner : owners_)
        if (root() && owner.number == root_)
            copy(owner.part.whole(whole, begin), owner.part.block(array_.base), owner.part.stretch(begin, end));
    transit.wait();
    for (const Message& message : transit.messages()) {
        const Part& part = message.owner->part;
        if (!root()) unpack(transit.place(message), part.block(array_.base), part.stretch(begin, end));
    }
}

}  // namespace kumihimo::xmpio
