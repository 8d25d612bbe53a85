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
    } catch (const ProtocolError& error) {
        return {Code::bad_request, error.what(), {}};
    }
}

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
        // The other ranks of the file must come, too, and the agent do its work. Those that the agent has told already of a
        // failure wait for this one in a collective call, twice as long as KUMIHIMO_TIMEOUT: this one must give up earlier.
        const auto drained = link_.connection.ask<Drained>(Type::drain, number_, drain, {}, 1.5);
        file_bytes = drained.file_bytes;
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
        std::ranges::copy(data.bytes, reading.to.begin());
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
