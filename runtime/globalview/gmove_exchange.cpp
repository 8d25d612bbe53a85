#include "runtime/globalview/gmove_exchange.hpp"

#include <algorithm>

#include "base/settings.hpp"
#include "copying/execute.hpp"

namespace kumihimo::globalview {

using teams::operation_of;

namespace {

constexpr int gmove_tag = 2, gmove_answer_tag = 3, first_async_tag = 4;
constexpr std::size_t largest_piece = std::size_t{1} << 20;  // bytes: packed and sent while it is in the cache
constexpr Index most_messages = 4;                           // of a pair at a time, where no buffer limits them
constexpr std::size_t most_bytes_together = 1024;            // of a part: beyond, the network takes most of the time
constexpr int fewest_together = 5, most_together = 64;       // nodes; the rules of collectives/ go no further

// Memory whose contents nobody expects: fresh pages cost more than the copies.
class Scratch {
public:
    std::byte* give(std::size_t bytes) {
        if (bytes > size_) {
            memory_.reset();
            memory_.reset(new (std::align_val_t{alignment}) std::byte[bytes]);
            size_ = bytes;
        }
        return memory_.get();
    }
    void trim(std::size_t most) {
        if (size_ > most) memory_.reset(), size_ = 0;
    }

    static constexpr std::size_t alignment = 64;
    static std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

private:
    struct Delete {
        void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{alignment}); }
    };
    std::unique_ptr<std::byte[], Delete> memory_;
    std::size_t size_ = 0;
};

constexpr std::size_t kept_bytes = std::size_t{64} << 20;
Scratch& messages() {
    static auto& scratch = *new Scratch;
    return scratch;
}
Scratch& blocks() {
    static auto& scratch = *new Scratch;
    return scratch;
}
Scratch& conversions() {
    static auto& scratch = *new Scratch;
    return scratch;
}

}  // namespace

void forget_gmove_buffers() {
    messages().trim(0);
    blocks().trim(0);
    conversions().trim(0);
}

int async_tag(int operation, AsyncTag tag) {
    constexpr int operations = 8192;  // as many may be under way; MPI has 32767 tags at least
    return first_async_tag + 3 * (operation % operations) + static_cast<int>(tag);
}

Index most_elements_together(const Team& team, std::size_t element_bytes) {
    const int nodes = team.size();
    if (team.shared() || nodes < fewest_together || nodes > most_together) return 0;
    return static_cast<Index>(most_bytes_together / element_bytes);
}

Index gmove_piece(int nodes, std::size_t element_bytes) {
    static base::FrequentNumber limit("KUMIHIMO_GMOVE_BUFFER");
    const std::size_t buffers = 4 * static_cast<std::size_t>(nodes);  // two for each direction
    const std::size_t piece = std::min(static_cast<std::size_t>(limit.value()) / buffers, largest_piece);
    return static_cast<Index>(std::max<std::size_t>(piece / element_bytes, 1));
}

const std::byte* as_left(const GmoveMemory& memory, const std::byte* data, Index count) {
    if (memory.convert == nullptr) return data;
    std::byte* const converted = conversions().give(static_cast<std::size_t>(count) * memory.left_bytes);
    memory.convert(converted, data, static_cast<std::size_t>(count));
    return converted;
}

GmoveExchange::GmoveExchange(const GmovePlan& plan, const GmoveMemory& memory, Team& team)
    : plan_(plan), memory_(memory), team_(team), piece_(gmove_piece(team.size(), memory.right_bytes)), data_tag_(gmove_tag) {}

// ---- pieces ----

Index GmoveExchange::pieces(const GmovePart& part) const {
    return part.direct ? 1 : std::max<Index>((part.elements + piece_ - 1) / piece_, 1);
}

GmoveExchange::Elements GmoveExchange::elements_of(const GmovePart& part, Index piece) const {
    const Index first = piece * piece_;
    return {first, std::min(piece_, part.elements - first)};
}

void GmoveExchange::gather(const GmovePart& part, const Elements& elements, const std::byte* from, std::byte* data) const {
    const auto begin = static_cast<Index>(bytes(elements.first)), end = begin + static_cast<Index>(bytes(elements.count));
    sets::for_each_box(part.gather, begin, end,
                       [&](const sets::Correspondence& copy) { copying::execute(copy.moved(-begin, 0), data, from); });
}

void GmoveExchange::deliver(const GmovePart& part, const Elements& elements, const std::byte* data) const {
    const std::byte* const dense = as_left(memory_, data, elements.count);
    if (part.spreads) return copying::execute(part.scatter, memory_.left, dense);
    const auto each = static_cast<Index>(memory_.left_bytes), begin = elements.first * each;
    sets::for_each_box(part.scatter, begin, begin + elements.count * each,
                       [&](const sets::Correspondence& copy) { copying::execute(copy.moved(0, -begin), memory_.left, dense); });
}

// ---- buffers ----

bool GmoveExchange::straight_in(const GmovePart& part) const {
    return !memory_.staged && memory_.convert == nullptr && part.scatter.size() == 1 && part.scatter.front().contiguous();
}

bool GmoveExchange::straight_out(const GmovePart& part) const {
    return part.gather.size() == 1 && part.gather.front().contiguous();
}

std::size_t GmoveExchange::buffer_bytes(const Flow& flow, const GmovePart& part) const {
    const Index slots = part.direct ? 1 : std::min<Index>(pieces(part), 2);
    return Scratch::rounded(bytes(flow.whole ? part.elements : std::min(part.elements, slots * piece_)));
}

std::size_t GmoveExchange::choose_buffers() {
    incoming_.resize(plan_.incoming.size());
    outgoing_.resize(plan_.outgoing.size());
    std::size_t total = 0;
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
        const GmovePart& part = plan_.incoming[i];
        incoming_[i].whole = memory_.staged;
        if (!part.direct && plan_.root < 0 && straight_in(part)) {
            incoming_[i].whole = true;
            incoming_[i].buffer = memory_.left + part.scatter.front().to();
        } else if (part.pull.empty()) {
            total += buffer_bytes(incoming_[i], part);
        }
    }
    for (const GmovePart& part : plan_.outgoing)
        if (!part.direct) total += buffer_bytes({}, part);
    return total;
}

void GmoveExchange::provide_buffers(std::byte* place) {
    const auto give = [&](Flow& flow, const GmovePart& part) {
        flow.buffer = place;
        place += buffer_bytes(flow, part);
    };
    for (std::size_t i = 0; i < incoming_.size(); ++i)
        if (incoming_[i].buffer == nullptr && plan_.incoming[i].pull.empty()) give(incoming_[i], plan_.incoming[i]);
    for (std::size_t i = 0; i < outgoing_.size(); ++i)
        if (!plan_.outgoing[i].direct) give(outgoing_[i], plan_.outgoing[i]);
}

// ---- the whole ----

void GmoveExchange::run(bool reads_others) {
    provide_buffers(messages().give(choose_buffers()));
    if (plan_.root >= 0)
        broadcast();
    else
        exchange(reads_others);
    messages().trim(kept_bytes);
    conversions().trim(kept_bytes);
}

void GmoveExchange::exchange(bool reads_others) {
    if (!team_.shared()) return exchange_between_machines();
    if (reads_others) team_.barrier();
    begin_messages();
    if (!requests_.empty()) base::wait_until([this] { return progress(); });
    // Everyone has read now; and everyone must know whether somebody has still to write.
    int staged = memory_.staged ? 1 : 0;
    team_.allreduce(operation_of(XMP_MAX, XMP_TYPE_INT), &staged, 1);
    if (staged == 0) return;
    if (memory_.staged) deliver_staged();
    team_.barrier();
}

// Whoever reads this node's memory answers, so that nothing at the end is collective: between machines that would take as long
// as the messages themselves.
void GmoveExchange::exchange_between_machines() {
    if (plan_.together > 0 && exchange_together()) return;
    answer_tag_ = gmove_answer_tag;
    begin_messages();
    expect_readers();
    // MPI libraries look at their network in one of several calls (Open MPI 4.1: of eight). So many are made before the wait
    // does anything else; where processors are shared, it gives its own away after each.
    const int calls = base::processors_are_shared() ? 1 : 8;
    base::wait_until([this, calls] {
        for (int call = 0; call < calls; ++call)
            if (advance()) return true;
        return false;
    });
}

// All nodes come here or none. Blocks have one length, some of them more than their part needs. Nobody reads another's memory.
bool GmoveExchange::exchange_together() {
    const std::size_t each = bytes(plan_.together), all = each * static_cast<std::size_t>(team_.size());
    if (!team_.may_exchange_by_rule(each)) return false;
    std::byte *const to_others = blocks().give(2 * all), *const from_others = to_others + all;
    const auto of = [&](std::byte* block, const GmovePart& part) {
        return block + each * static_cast<std::size_t>(part.number);
    };
    for (const GmovePart& part : plan_.outgoing) gather(part, {0, part.elements}, memory_.right, of(to_others, part));
    if (!team_.exchange_by_rule(to_others, each, from_others)) return false;
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
        const GmovePart& part = plan_.incoming[i];
        if (part.number == team_.my_number())
            take(i);
        else if (memory_.staged)
            incoming_[i].buffer = of(from_others, part);
        else
            deliver(part, {0, part.elements}, of(from_others, part));
    }
    if (memory_.staged) deliver_staged();
    return true;
}

// Nobody may wait for others here, and nothing at the end may be collective: they come to their ends at different times.
// Messages carry the operation's number: pieces of two operations may be sent, and answers to them come, by turns.
void GmoveExchange::start() {
    const int operation = team_.next_operation();
    data_tag_ = async_tag(operation, AsyncTag::data);
    answer_tag_ = async_tag(operation, AsyncTag::answer);
    own_buffers_.reset(new std::byte[choose_buffers()]);
    provide_buffers(own_buffers_.get());
    begin_messages();
    expect_readers();
}

bool GmoveExchange::advance() {
    if (!progress()) return false;
    if (memory_.staged) deliver_staged();  // all that others wanted of the right side has left it
    return true;
}

// One node has all, everybody wants all. Nobody reads another's memory, so nobody waits at the end.
void GmoveExchange::broadcast() {
    if (plan_.incoming.empty()) return;  // nothing, for everybody
    const GmovePart& part = plan_.incoming.front();
    const bool root = part.number == team_.my_number();
    if (root) take(0);
    if (team_.size() > 1) send_to_all(part, root);
    if (memory_.staged) deliver_staged();
}

void GmoveExchange::send_to_all(const GmovePart& part, bool root) {
    const Flow& flow = root ? outgoing_.front() : incoming_.front();
    const GmovePart& sent = root ? plan_.outgoing.front() : part;
    for (Index piece = 0; piece < pieces(sent); ++piece) {
        const Elements elements = elements_of(sent, piece);
        std::byte* const data = flow.buffer + (flow.whole ? bytes(elements.first) : 0);
        if (root) gather(sent, elements, memory_.right, data);
        team_.broadcast(data, bytes(elements.count), plan_.root);
        if (!root && !memory_.staged) deliver(part, elements, data);
    }
}

// ---- messages ----

MPI_Request* GmoveExchange::next_request() {
    messages_.emplace_back();
    return &requests_.emplace_back(MPI_REQUEST_NULL);
}

// Answers of those that read this node's memory themselves.
void GmoveExchange::expect_readers() {
    for (const GmovePart& part : plan_.outgoing)
        if (part.direct) MPI_Irecv(nullptr, 0, MPI_BYTE, part.number, answer_tag_, team_.communicator(), next_request());
}

void GmoveExchange::begin_messages() {
    const auto at_once = [&](const GmovePart& part) {
        return part.direct && (team_.shared() || part.number == team_.my_number());
    };
    for (std::size_t i = 0; i < incoming_.size(); ++i)
        if (!at_once(plan_.incoming[i])) begin_pieces(Message::Kind::receive, i);
    for (std::size_t i = 0; i < outgoing_.size(); ++i)
        if (!plan_.outgoing[i].direct || !team_.shared()) begin_pieces(Message::Kind::send, i);
    for (std::size_t i = 0; i < incoming_.size(); ++i)
        if (at_once(plan_.incoming[i])) take(i);
}

// As many as there is room for; the others follow as these complete.
void GmoveExchange::begin_pieces(Message::Kind kind, std::size_t place) {
    const bool receive = kind == Message::Kind::receive;
    Flow& flow = receive ? incoming_[place] : outgoing_[place];
    const GmovePart& part = receive ? plan_.incoming[place] : plan_.outgoing[place];
    const bool straight = receive ? flow.whole : straight_out(part);
    const Index slots = std::min<Index>(pieces(part), straight ? most_messages : 2);
    for (Index slot = 0; slot < slots; ++slot) {
        next_request();
        messages_.back() = {kind, place, 0, flow.buffer + (straight || part.direct ? 0 : bytes(slot * piece_))};
        begin_piece(requests_.size() - 1);
    }
}

void GmoveExchange::begin_piece(std::size_t request) {
    Message& message = messages_[request];
    const bool receive = message.kind == Message::Kind::receive;
    Flow& flow = receive ? incoming_[message.place] : outgoing_[message.place];
    const GmovePart& part = receive ? plan_.incoming[message.place] : plan_.outgoing[message.place];
    message.piece = flow.next++;
    ++flow.open;
    const Elements elements = part.direct ? Elements{0, 0} : elements_of(part, message.piece);
    const auto count = static_cast<int>(bytes(elements.count));
    if (receive) {
        std::byte* const data = flow.whole && !part.direct ? flow.buffer + bytes(elements.first) : message.data;
        MPI_Irecv(data, count, MPI_BYTE, part.number, data_tag_, team_.communicator(), &requests_[request]);
        return;
    }
    const bool straight = !part.direct && straight_out(part);
    const std::byte* const data = straight ? memory_.right + part.gather.front().from() + bytes(elements.first) : message.data;
    if (!straight && !part.direct) gather(part, elements, memory_.right, message.data);
    MPI_Isend(data, count, MPI_BYTE, part.number, data_tag_, team_.communicator(), &requests_[request]);
}

bool GmoveExchange::progress() {
    completed_.resize(requests_.size());
    int found = 0;
    MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &found, completed_.data(), MPI_STATUSES_IGNORE);
    if (found == MPI_UNDEFINED) return true;
    for (int i = 0; i < found; ++i) continue_with(static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)]));
    return false;
}

void GmoveExchange::continue_with(std::size_t request) {
    const Message message = messages_[request];
    if (message.kind == Message::Kind::other) return;
    const bool receive = message.kind == Message::Kind::receive;
    Flow& flow = receive ? incoming_[message.place] : outgoing_[message.place];
    const GmovePart& part = receive ? plan_.incoming[message.place] : plan_.outgoing[message.place];
    --flow.open;
    if (receive && part.direct)
        take(message.place);
    else if (receive && !flow.whole)
        deliver(part, elements_of(part, message.piece), message.data);
    if (flow.next < pieces(part)) begin_piece(request);
}

// ---- from memory to memory ----

void GmoveExchange::take(std::size_t place) {
    const GmovePart& part = plan_.incoming[place];
    const Flow& flow = incoming_[place];
    const std::byte* const source = memory_.sources[place];
    copying::execute(part.pull, memory_.left, source);
    for (Elements done{0, 0}; part.pull.empty() && done.first < part.elements; done.first += piece_) {
        const Elements elements{done.first, std::min(piece_, part.elements - done.first)};
        std::byte* const data = flow.buffer + (flow.whole ? bytes(elements.first) : 0);
        gather(part, elements, source, data);
        if (!memory_.staged) deliver(part, elements, data);
    }
    if (answer_tag_ != 0 && part.direct && part.number != team_.my_number())
        MPI_Isend(nullptr, 0, MPI_BYTE, part.number, answer_tag_, team_.communicator(), next_request());
}

void GmoveExchange::deliver_staged() {
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
        const GmovePart& part = plan_.incoming[i];
        for (Index first = 0; first < part.elements; first += piece_)
            deliver(part, {first, std::min(piece_, part.elements - first)}, incoming_[i].buffer + bytes(first));
    }
}

}  // namespace kumihimo::globalview
