#include "runtime/globalview/halo_channel.hpp"

#include <algorithm>
#include <numeric>

#include "base/completion.hpp"
#include "base/datatype.hpp"
#include "base/settings.hpp"
#include "base/two_slots.hpp"
#include "copying/execute.hpp"
#include "runtime/teams/team.hpp"

namespace kumihimo::globalview {

using teams::Team;

// What one neighbour shows to this node: number e in exchange e. The neighbour may overwrite a slot once this node has entered
// the exchange between, for it then has emptied the slot.
struct HaloChannel::Mailbox {
    alignas(64) std::atomic<std::uint64_t> pulled;  // the last exchange in which the neighbour has read from my array
    base::TwoSlots halos;                           // the end: longer halos follow

    static std::size_t size(std::size_t bytes) {
        return sizeof(Mailbox) - sizeof(base::TwoSlots) + base::TwoSlots::size(bytes);
    }
};

namespace {

constexpr int halo_tag = 1;

// Whether reading a halo straight from its owner's array pays. Measured: beyond 1 KiB it does where the halo consists of long
// runs. Short runs (columns) would bring a cache line of the owner for each element, so they are packed at any size.
bool better_pulled(const std::vector<sets::Correspondence>& copies, std::size_t bytes) {
    static const auto largest_packed = static_cast<std::size_t>(base::setting_number("KUMIHIMO_REFLECT_PACKED"));
    constexpr Index long_run = 512;
    if (largest_packed == 0) return true;
    if (bytes <= largest_packed) return false;
    std::size_t in_long_runs = 0;
    for (const sets::Correspondence& copy : copies)
        if (copy.run() >= long_run) in_long_runs += static_cast<std::size_t>(copy.bytes());
    return in_long_runs >= bytes / 2;
}

using sets::Correspondence;
using Strides = std::vector<std::ptrdiff_t>;

// The dimensions of an array from the slowest in memory to the fastest.
std::vector<std::size_t> slowest_first(std::size_t rank, sets::Order order) {
    std::vector<std::size_t> dimensions(rank);
    std::iota(dimensions.begin(), dimensions.end(), std::size_t{0});
    if (order == sets::Order::column_major) std::reverse(dimensions.begin(), dimensions.end());
    return dimensions;
}

// From array to array, in the order of memory.
Correspondence direct_copy(const Transfer& transfer, const Strides& to, const Strides& from, sets::Order order,
                           std::size_t element_bytes) {
    sets::PairedLevel levels[2 * sets::max_rank];
    std::size_t count = 0;
    Index to_offset = 0, from_offset = 0;
    for (const std::size_t d : slowest_first(transfer.spans.size(), order)) {
        const Span& span = transfer.spans[d];
        to_offset += span.to * to[d];
        from_offset += span.from * from[d];
        levels[count++] = {span.blocks, span.period * to[d], span.period * from[d]};
        levels[count++] = {span.length, to[d], from[d]};
    }
    return Correspondence(static_cast<Index>(element_bytes), {levels, count}, to_offset, from_offset);
}

}  // namespace

HaloChannel::HaloChannel(const execution::Array& array, const ShadowPlan& plan, const Operation* add)
    : array_(static_cast<std::byte*>(array.base)), add_(add) {
    plan_copies(array, plan);
    if (array.nodes().set->size() == 1) return;
    const MPI_Comm communicator = Team::of(array.nodes().set).communicator();
    connect(communicator, array);
    prepare_messages(communicator);
}

HaloChannel::~HaloChannel() {
    int over = 0;
    MPI_Finalized(&over);
    for (MPI_Request& request : requests_)
        if (!over) MPI_Request_free(&request);
}

HaloChannel::Neighbour& HaloChannel::neighbour(int number) {
    const auto found =
        std::find_if(neighbours_.begin(), neighbours_.end(), [&](const Neighbour& one) { return one.number == number; });
    if (found != neighbours_.end()) return *found;
    neighbours_.emplace_back().number = number;
    return neighbours_.back();
}

void HaloChannel::plan_copies(const execution::Array& array, const ShadowPlan& plan) {
    const sets::ArrayMapping& mapping = *array.mapping;
    const sets::NodeGrid& grid = mapping.target().grid();
    const Strides mine = strides_of(mapping, array.nodes().coordinates, array.element_bytes);
    const Index me = array.nodes().set->my_number();
    for (const Transfer& transfer : plan.incoming) {
        const Strides theirs = strides_of(mapping, grid.coordinates(transfer.source), array.element_bytes);
        const Correspondence copy = direct_copy(transfer, mine, theirs, mapping.order(), array.element_bytes);
        if (transfer.source == me) {
            own_.push_back(copy);
            continue;
        }
        Neighbour& source = neighbour(static_cast<int>(transfer.source));
        source.unpack.push_back(copy.dense(sets::End::from).moved(0, static_cast<Index>(source.in_bytes)));
        source.in_bytes += static_cast<std::size_t>(copy.bytes());
        source.pull.push_back(copy);
    }
    for (const Transfer& transfer : plan.outgoing) {
        if (transfer.receiver == me) continue;
        Neighbour& receiver = neighbour(static_cast<int>(transfer.receiver));
        const Strides theirs = strides_of(mapping, grid.coordinates(transfer.receiver), array.element_bytes);
        const Correspondence copy = direct_copy(transfer, theirs, mine, mapping.order(), array.element_bytes);
        receiver.pack.push_back(copy.dense(sets::End::to).moved(static_cast<Index>(receiver.out_bytes), 0));
        receiver.out_bytes += static_cast<std::size_t>(copy.bytes());
    }
    std::sort(neighbours_.begin(), neighbours_.end(),
              [](const Neighbour& a, const Neighbour& b) { return a.number < b.number; });
}

// Makes the mailboxes, and agrees with each neighbour on the way of the transfers: the receiver chooses.
void HaloChannel::connect(MPI_Comm communicator, const execution::Array& array) {
    struct Offer {
        std::uint64_t mailbox;  // where the other finds its mailbox in my memory
        int reaches_memory;     // whether mine reaches the other's
        Way in;                 // how I want its elements, if so
    };
    std::vector<Offer> mine(neighbours_.size()), theirs(neighbours_.size());
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        Neighbour& one = neighbours_[i];
        one.its_array = array.peer_base(one.number);
        const bool pulled = better_pulled(one.pull, one.in_bytes);
        mine[i].in = one.in_bytes == 0          ? Way::none
                     : !pulled                  ? Way::packed
                     : one.its_array != nullptr ? Way::pulled
                                                : Way::message;
        mine[i].mailbox = bytes;
        bytes += Mailbox::size(mine[i].in == Way::packed ? one.in_bytes : 0);
    }
    mailboxes_ = memory::Segment::allocate(array.nodes().set->communicator(), bytes, "shadows of " + array.name);
    std::vector<MPI_Request> requests(2 * neighbours_.size());
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        const int number = neighbours_[i].number;
        mine[i].reaches_memory = mailboxes_->direct(number) != nullptr;
        MPI_Irecv(&theirs[i], sizeof(Offer), MPI_BYTE, number, halo_tag, communicator, &requests[2 * i]);
        MPI_Isend(&mine[i], sizeof(Offer), MPI_BYTE, number, halo_tag, communicator, &requests[2 * i + 1]);
    }
    base::wait_until([&] {
        int done = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
    });
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        Neighbour& one = neighbours_[i];
        const bool shared = mine[i].reaches_memory && theirs[i].reaches_memory;
        one.in = one.in_bytes == 0 ? Way::none : shared ? mine[i].in : Way::message;
        one.out = one.out_bytes == 0 ? Way::none : shared ? theirs[i].in : Way::message;
        if (!shared) continue;
        one.from_it = reinterpret_cast<Mailbox*>(mailboxes_->local() + mine[i].mailbox);
        one.to_it = reinterpret_cast<Mailbox*>(mailboxes_->direct(one.number) + theirs[i].mailbox);
    }
}

// A message of one contiguous run goes straight from and to the array, others through buffers. Each is one element of a type:
// an int counts less than 2 GiB.
void HaloChannel::prepare_messages(MPI_Comm communicator) {
    const auto row = [](std::size_t bytes) {
        return base::Datatype::row(MPI_BYTE, static_cast<std::int64_t>(bytes)).committed();
    };
    for (Neighbour& one : neighbours_) {
        if (one.in != Way::message) continue;
        const bool straight = add_ == nullptr && one.unpack.size() == 1 && one.unpack[0].contiguous();
        if (!straight) one.in_buffer = std::make_unique<std::byte[]>(one.in_bytes);
        std::byte* const place = straight ? array_ + one.unpack[0].to() : one.in_buffer.get();
        MPI_Recv_init(place, 1, row(one.in_bytes), one.number, halo_tag, communicator, &requests_.emplace_back());
        receiving_.push_back(&one);
    }
    for (Neighbour& one : neighbours_) {
        if (one.out != Way::message) continue;
        const bool straight = one.pack.size() == 1 && one.pack[0].contiguous();
        if (!straight) one.out_buffer = std::make_unique<std::byte[]>(one.out_bytes);
        std::byte* const place = straight ? array_ + one.pack[0].from() : one.out_buffer.get();
        MPI_Send_init(place, 1, row(one.out_bytes), one.number, halo_tag, communicator, &requests_.emplace_back());
        sending_.push_back(&one);
    }
    completed_.resize(requests_.size());
}

void HaloChannel::start() {
    if (under_way_) finish();
    under_way_ = true;
    ++epoch_;
    if (!receiving_.empty()) MPI_Startall(static_cast<int>(receiving_.size()), requests_.data());
    for (std::size_t i = 0; i < sending_.size(); ++i) {
        Neighbour& one = *sending_[i];
        if (one.out_buffer) copying::execute(one.pack, one.out_buffer.get(), array_);
        MPI_Start(&requests_[receiving_.size() + i]);
    }
    open_messages_ = static_cast<int>(requests_.size());
    for (Neighbour& one : neighbours_) {
        one.arrived = false;
        one.received = one.in == Way::none;
        one.released = one.out != Way::pulled;
        if (one.to_it != nullptr) send(one);
    }
    deliver(own_, array_);
}

void HaloChannel::deliver(const std::vector<sets::Correspondence>& copies, const std::byte* from) {
    if (add_ == nullptr) return copying::execute(copies, array_, from);
    for (const Correspondence& copy : copies)
        copy.for_each_run([&, elements = static_cast<std::size_t>(copy.run()) / add_->bytes](Index to, Index place) {
            add_->combine(array_ + to, from + place, elements);
        });
}

void HaloChannel::send(Neighbour& to) {
    if (!to.from_it->halos.shows(epoch_ - 1)) base::wait_for_memory([&] { return to.from_it->halos.shows(epoch_ - 1); });
    if (to.out == Way::packed) {
        copying::execute(to.pack, to.to_it->halos.data(epoch_, to.out_bytes, to.out_bytes), array_);
    }
    to.to_it->halos.show(epoch_);
}

void HaloChannel::receive(Neighbour& from) {
    if (from.in == Way::packed) {
        deliver(from.unpack, from.from_it->halos.data(epoch_, from.in_bytes, from.in_bytes));
    } else if (from.in == Way::pulled) {
        deliver(from.pull, from.its_array);
        from.to_it->pulled.store(epoch_, std::memory_order_release);
    } else if (from.in_buffer) {
        deliver(from.unpack, from.in_buffer.get());
    }
    from.received = true;
}

bool HaloChannel::has_arrived(const Neighbour& from) const {
    return from.in == Way::message ? from.arrived : from.from_it->halos.shows(epoch_);
}

bool HaloChannel::poll(Neighbour& one, bool may_receive) {
    if (!one.received && may_receive && has_arrived(one)) receive(one);
    if (!one.released) one.released = one.from_it->pulled.load(std::memory_order_acquire) >= epoch_;
    return one.received && one.released;
}

bool HaloChannel::poll_messages() {
    if (open_messages_ == 0) return true;
    int count = 0;
    MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(), MPI_STATUSES_IGNORE);
    if (count == MPI_UNDEFINED) count = open_messages_ = 0;
    for (int i = 0; i < count; ++i)
        if (completed_[i] < static_cast<int>(receiving_.size())) receiving_[completed_[i]]->arrived = true;
    open_messages_ -= count;
    return open_messages_ == 0;
}

bool HaloChannel::advance() {
    if (!under_way_) return true;
    bool complete = poll_messages(), all_received = true;
    for (Neighbour& one : neighbours_) {
        if (!one.received || !one.released) complete = poll(one, add_ == nullptr || all_received) && complete;
        all_received = all_received && one.received;
    }
    under_way_ = !complete;
    return complete;
}

void HaloChannel::finish() {
    if (!advance()) base::wait_for_memory([&] { return advance(); });
}

}  // namespace kumihimo::globalview
