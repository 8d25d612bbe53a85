#include "iod/catwalk/children.hpp"

#include <algorithm>

#include "iod/protocol/bulk.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr long most_reads = 32;  // of a child

}  // namespace

void Children::add(std::shared_ptr<Connection> child) {
    all_.push_back({static_cast<int>(all_.size()), std::move(child), {}});
}

Children::Child* Children::find(const Connection& connection) {
    const auto found = std::ranges::find_if(all_, [&](const Child& child) { return child.connection.get() == &connection; });
    return found != all_.end() ? &*found : nullptr;
}

void Children::arrived(Connection& connection, Arrival&& arrival) {
    Child* const child = find(connection);
    if (child == nullptr) return;
    child->frames.push_back(std::move(arrival));
    take(*child);
    if (!child->frames.empty()) connection.pause();
}

bool Children::work() {
    bool moved = false;
    for (Child& child : all_)
        if (!child.frames.empty()) moved = take(child) || moved;
    return moved;
}

// Takes the waiting frames of a child as far as there is room; whether anything was taken.
bool Children::take(Child& child) {
    bool moved = false;
    while (!child.frames.empty()) {
        const Arrival& frame = child.frames.front();
        const bool records = frame.header.type == Type::records;
        if (!(records ? take_records(child, frame) : take_question(child, frame))) return moved;
        child.frames.pop_front();
        moved = true;
    }
    child.connection->resume();
    return moved;
}

// False: no room for the next one. What was taken is remembered.
bool Children::take_records(Child& child, const Arrival& frame) {
    const RecordsView view(frame.payload);
    for (; child.record < view.count(); ++child.record) {
        const RecordPlace place = view.place(child.record);
        for (; child.record_at < place.bytes;) {
            const std::size_t bytes = std::min<std::size_t>(place.bytes - child.record_at, largest_record_);
            const auto data = view.bytes().subspan(child.bytes_at, bytes);
            if (!upstream_.put(child.number, place.offset + static_cast<Offset>(child.record_at), data)) return false;
            child.record_at += bytes;
            child.bytes_at += bytes;
        }
        child.record_at = 0;
    }
    received_bytes_ += view.bytes().size();
    child.record = child.bytes_at = 0;
    return true;
}

// What a child asked to read takes memory here until it took the answer: more of them wait.
bool Children::Child::may_read() const {
    return reads.use_count() <= most_reads && connection->queued_bytes() < limit::read_bytes;
}

Answered Children::answer_to(Child& child, const FrameHeader& header) {
    if (child.questions.use_count() > static_cast<long>(limit::under_way)) throw ProtocolError("too many questions at a time");
    return [connection = std::weak_ptr(child.connection), header, counted = child.questions](Reply&& reply) {
        if (const auto open = connection.lock()) {
            Payload head = encode_reply(header.type, reply);
            open->answer(header, std::move(head), std::move(reply.bytes));
        }
    };
}

// False: it must wait.
bool Children::take_question(Child& child, const Arrival& frame) {
    const FrameHeader& header = frame.header;
    if (child.left) throw ProtocolError("a message of an agent that has left");
    switch (header.type) {
        case Type::drain:
            upstream_.drain(child.number, decode<Drain>(frame.payload), answer_to(child, header));
            return true;
        case Type::read: {
            const Read read = decode<Read>(frame.payload);
            if (!child.may_read()) return false;
            upstream_.ask({read, [answered = answer_to(child, header), counted = child.reads](Reply&& reply) {
                               answered(std::move(reply));
                           }});
            return true;
        }
        case Type::call:
            upstream_.ask({decode<Call>(frame.payload), answer_to(child, header)});
            return true;
        case Type::leave:
            child.left = true;
            upstream_.lose(child.number);
            return true;
        default:
            throw ProtocolError("a message that no agent sends to its parent");
    }
}

bool Children::lost(Connection& connection) {
    Child* const child = find(connection);
    if (child == nullptr || child->left) return false;
    child->left = true;
    child->frames.clear();
    upstream_.lose(child->number);
    return true;
}

bool Children::all_left() const {
    return all_.size() == expected_ && std::ranges::all_of(all_, &Child::left);
}

void Children::tell(const Status& failure) {
    for (const Child& child : all_)
        if (!child.left) child.connection->send({Type::failure, 0, 0, 0, 0, 0}, encode(failure));
}

void Children::finish_unless_stuck(std::chrono::seconds patience) {
    for (const Child& child : all_) child.connection->finish_unless_stuck(patience);
}

void Children::cut() {
    for (const Child& child : all_) child.connection->close();
}

}  // namespace kumihimo::iod::process
