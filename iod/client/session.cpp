#include "iod/client/session.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "iod/protocol/bulk.hpp"

namespace kumihimo::iod {

Session::Session(Link link, std::uint32_t number, std::uint32_t rank, std::size_t ring_bytes)
    : link_(std::move(link)),
      number_(number),
      ring_(std::make_unique<SharedRing>(ring_bytes)),
      largest_piece_(ring_->producer().largest()) {
    link_.connection.follow(number_);
    const auto joined = link_.connection.ask<Status>(Type::join, number_, Join{rank}, ring_->descriptors());
    if (!joined.ok()) throw ConnectionLost(joined);
}

// What the agent answers, or why it does not.
template <typename Do>
Status Session::guarded(Do&& ask) {
    try {
        return ask();
    } catch (const ConnectionLost& lost) {
        failed_.keep_first(lost.status());
        return lost.status();
    } catch (const std::exception& error) {
        return Status::of_exception(error, "what the I/O process was asked");
    }
}

// ---- past the I/O process ----

bool Session::write_long(Offset offset, std::span<const std::byte> data) {
    if (!bypass_->takes(offset, data.size()) || !permitted()) return write_to_ring(offset, data);
    failed_.keep_first(guarded([&] {
        link_.connection.listen();  // without its I/O process nobody keeps the file's mark
        const Status& told = link_.connection.failure();
        return told.ok() ? bypass_->write(offset, data) : told;
    }));
    return failed_.ok();
}

// Asked once between two syncs: the server then marks the file, and knows that there is something to sync.
bool Session::permitted() {
    if (bypass_->permitted()) return true;
    std::int64_t ignored = 0;
    bypass_->permit(bypass_->open() && call(0, Function::pass_by, bypass_->identity(), ignored).ok());
    if (!bypass_->permitted()) bypass_.reset();  // a failure is told by what goes the usual way
    return bypass_ != nullptr;
}

void Session::drained(Purpose purpose, Offset file_bytes) {
    if (!bypass_) return;
    if (makes_durable(purpose)) bypass_->permit(false);
    if (purpose == Purpose::order)
        bypass_->held(0, file_bytes);  // what others wrote before lies in buffers still
    else
        bypass_->nothing_held();
}

// ---- records ----

// Once: the caller tries again. The agent closes the ring when it takes no more, and says why.
bool Session::wait_for_room(std::size_t bytes) {
    failed_.keep_first(guarded([&] {
        if (ring_->producer().closed()) return why_closed();
        if (ring_->must_wait(bytes)) link_.connection.wait_for(ring_->room());
        return link_.connection.failure();
    }));
    return failed_.ok();
}

Status Session::why_closed() {
    link_.connection.listen();
    const Status& told = link_.connection.failure();
    return told.ok() ? Status{Code::lost_process, "the I/O process takes no more records", {}} : told;
}

Status Session::drain(std::uint64_t epoch, Purpose purpose, Offset& file_bytes) {
    return guarded([&] {
        Drain drain;
        drain.epoch = epoch, drain.purpose = purpose, drain.ring_position = position();
        drain.status = failed_;
        // The other ranks of the file must come, too, and the agent do its work. Those that the agent has told already of a
        // failure wait for this one in a collective call, twice as long as KUMIHIMO_TIMEOUT: this one must give up earlier.
        const auto drained = link_.connection.ask<Drained>(Type::drain, number_, drain, {}, 1.5);
        file_bytes = drained.file_bytes;
        if (drained.status.ok()) this->drained(purpose, file_bytes);
        return drained.status;
    });
}

Status Session::call(std::uint32_t server, Function function, std::int64_t value, std::int64_t& result) {
    return guarded([&] {
        const auto answer = link_.connection.ask<Result>(Type::call, number_, Call{server, function, value, position()});
        result = answer.value;
        return answer.status;
    });
}

Status Session::begin_read(std::uint32_t server, Offset offset, std::span<std::byte> to, bool fresh, Reading& reading) {
    return guarded([&] {
        const Payload read = encode(Read{server, offset, to.size(), position(), fresh});
        reading = {link_.connection.request(Type::read, number_, read), to};
        return Status{};
    });
}

Status Session::end_read(const Reading& reading, std::size_t& got) {
    got = 0;
    return guarded([&] {
        const Payload payload = link_.connection.answer(reading.request);
        const DataView data = decode_data(payload);
        if (data.bytes.size() > reading.to.size()) return Status{Code::bad_request, "more bytes than were asked for", {}};
        std::copy(data.bytes.begin(), data.bytes.end(), reading.to.begin());  // ranges::copy is a loop over bytes in gcc 12
        got = data.bytes.size();
        return data.status;
    });
}

Status Session::counters(Counters& counters) {
    return guarded([&] {
        counters = link_.connection.ask<Counters>(Type::counters, number_, Status{});
        return Status{};
    });
}

Counters Session::own_counters() const {
    return bypass_ ? bypass_->counters() : Counters{};
}

// Nobody waits for the answer: what this rank does next goes behind it.
std::optional<Link> Session::leave() {
    const Status left = guarded([&] {
        link_.connection.tell(Type::leave, number_, encode(Leave{position()}));
        return link_.connection.failure();
    });
    if (!left.ok() || !failed_.ok()) return std::nullopt;
    return std::move(link_);
}

}  // namespace kumihimo::iod
