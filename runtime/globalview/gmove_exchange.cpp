#include "runtime/globalview/gmove_exchange.hpp"

#include <algorithm>

#include "runtime/globalview/waiting.hpp"

namespace kumihimo::globalview {

namespace {

constexpr int gmove_tag = 2;
constexpr std::size_t most_bytes_at_once = std::size_t{1} << 30;

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
Scratch& conversions() {
    static auto& scratch = *new Scratch;
    return scratch;
}

void execute(const std::vector<StridedCopy>& copies, std::byte* to, const std::byte* from) {
    for (const StridedCopy& copy : copies) copy.execute(to, from);
}

}  // namespace

void forget_gmove_buffers() {
    messages().trim(0);
    conversions().trim(0);
}

// Whether the dense buffer would be one run of the array itself.
bool GmoveExchange::goes_straight(const GmovePart& part) const {
    return !memory_.staged && memory_.convert == nullptr && part.scatter.size() == 1 && part.scatter.front().contiguous();
}

std::size_t GmoveExchange::choose_buffers() {
    incoming_.resize(plan_.incoming.size());
    outgoing_.resize(plan_.outgoing.size());
    std::size_t total = 0;
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
        incoming_[i].straight = !plan_.incoming[i].direct && goes_straight(plan_.incoming[i]) && plan_.root < 0;
        if (!incoming_[i].straight && plan_.incoming[i].pull.empty()) total += Scratch::rounded(bytes(plan_.incoming[i]));
    }
    for (const GmovePart& part : plan_.outgoing)
        if (!part.direct) total += Scratch::rounded(bytes(part));
    return total;
}

void GmoveExchange::provide_buffers(std::byte* place) {
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
        if (incoming_[i].straight || !plan_.incoming[i].pull.empty()) continue;
        incoming_[i].buffer = place;
        place += Scratch::rounded(bytes(plan_.incoming[i]));
    }
    for (std::size_t i = 0; i < outgoing_.size(); ++i) {
        if (plan_.outgoing[i].direct) continue;
        outgoing_[i] = place;
        place += Scratch::rounded(bytes(plan_.outgoing[i]));
    }
}

void GmoveExchange::run(bool reads_others) {
    provide_buffers(messages().give(choose_buffers()));
    if (reads_others && team_.shared()) team_.barrier();
    if (plan_.root >= 0) {
        broadcast();
    } else {
        begin_messages();
        if (!requests_.empty()) base::wait_until([this] { return progress(); });
    }
    // Everyone has read now; and everyone must know whether somebody has still to write.
    int staged = memory_.staged ? 1 : 0;
    team_.allreduce(operation_of(XMP_MAX, XMP_TYPE_INT), &staged, 1);
    if (staged != 0) {
        if (memory_.staged) deliver_staged();
        team_.barrier();
    }
    messages().trim(kept_bytes);
    conversions().trim(kept_bytes);
}

// Nobody may wait for others here, and nothing at the end may be collective: they come to their ends at different times.
// Answers carry the operation's number, because two operations may be read in another order than they were begun in.
void GmoveExchange::start() {
    constexpr int first_tag = 3, tags = 16384;
    answer_tag_ = first_tag + team_.next_operation() % tags;
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

// Answers of those that read this node's memory themselves.
void GmoveExchange::expect_readers() {
    for (const GmovePart& part : plan_.outgoing)
        if (part.direct)
            MPI_Irecv(nullptr, 0, MPI_BYTE, part.number, answer_tag_, team_.communicator(), &requests_.emplace_back());
}

// One node has all, everybody wants all.
void GmoveExchange::broadcast() {
    if (plan_.incoming.empty()) return;  // nothing, for everybody
    const GmovePart& part = plan_.incoming.front();
    const bool root = part.number == team_.my_number();
    if (root) take(0);
    if (team_.size() == 1) return;
    std::byte* const buffer = root ? outgoing_.front() : incoming_.front().buffer;
    if (root) execute(plan_.outgoing.front().gather, buffer, memory_.right);
    team_.broadcast(buffer, bytes(part), plan_.root);
    if (!root && !memory_.staged) deliver(0);
}

void GmoveExchange::receive_from(std::size_t place) {
    const GmovePart& part = plan_.incoming[place];
    std::byte* const buffer =
        incoming_[place].straight ? memory_.left + part.scatter.front().to_offset() : incoming_[place].buffer;
    const std::size_t all = part.direct ? 0 : bytes(part);
    std::size_t done = 0;
    do {
        const std::size_t size = std::min(most_bytes_at_once, all - done);
        MPI_Irecv(buffer + done, static_cast<int>(size), MPI_BYTE, part.number, gmove_tag, team_.communicator(),
                  &requests_.emplace_back());
        request_of_.push_back(place);
        ++incoming_[place].open;
        done += size;
    } while (done < all);
}

void GmoveExchange::send_to(const GmovePart& part, std::byte* buffer) {
    const std::size_t all = part.direct ? 0 : bytes(part);
    const bool straight = part.gather.size() == 1 && part.gather.front().contiguous();
    const std::byte* const data = straight ? memory_.right + part.gather.front().from_offset() : buffer;
    if (!part.direct && !straight) execute(part.gather, buffer, memory_.right);
    std::size_t done = 0;
    do {
        const std::size_t size = std::min(most_bytes_at_once, all - done);
        MPI_Isend(data + done, static_cast<int>(size), MPI_BYTE, part.number, gmove_tag, team_.communicator(),
                  &requests_.emplace_back());
        done += size;
    } while (done < all);
}

void GmoveExchange::begin_messages() {
    const auto at_once = [&](const GmovePart& part) {
        return part.direct && (team_.shared() || part.number == team_.my_number());
    };
    for (std::size_t i = 0; i < incoming_.size(); ++i)
        if (!at_once(plan_.incoming[i])) receive_from(i);
    for (std::size_t i = 0; i < outgoing_.size(); ++i)
        if (!plan_.outgoing[i].direct || !team_.shared()) send_to(plan_.outgoing[i], outgoing_[i]);
    for (std::size_t i = 0; i < incoming_.size(); ++i)
        if (at_once(plan_.incoming[i])) take(i);
}

bool GmoveExchange::progress() {
    completed_.resize(requests_.size());
    int found = 0;
    MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &found, completed_.data(), MPI_STATUSES_IGNORE);
    if (found == MPI_UNDEFINED) return true;
    for (int i = 0; i < found; ++i) {
        const auto request = static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)]);
        if (request < request_of_.size() && --incoming_[request_of_[request]].open == 0) take(request_of_[request]);
    }
    return false;
}

void GmoveExchange::take(std::size_t place) {
    const GmovePart& part = plan_.incoming[place];
    const std::byte* const source = memory_.sources[place];
    execute(part.pull, memory_.left, source);
    const bool buffered = part.pull.empty() && !incoming_[place].straight;
    if (buffered && part.direct) execute(part.gather, incoming_[place].buffer, source);
    if (answer_tag_ != 0 && part.direct && part.number != team_.my_number())
        MPI_Isend(nullptr, 0, MPI_BYTE, part.number, answer_tag_, team_.communicator(), &requests_.emplace_back());
    if (buffered && !memory_.staged) deliver(place);
}

void GmoveExchange::deliver(std::size_t place) {
    const GmovePart& part = plan_.incoming[place];
    const std::byte* data = incoming_[place].buffer;
    if (memory_.convert != nullptr) {
        std::byte* const converted = conversions().give(static_cast<std::size_t>(part.elements) * memory_.left_bytes);
        memory_.convert(converted, data, static_cast<std::size_t>(part.elements));
        data = converted;
    }
    execute(part.scatter, memory_.left, data);
}

void GmoveExchange::deliver_staged() {
    for (std::size_t i = 0; i < incoming_.size(); ++i) deliver(i);
}

}  // namespace kumihimo::globalview
