// What ranks and agents ask of a file, and what they are told, in one form for all stations on the way.
#pragma once

#include <functional>
#include <variant>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::process {

// An answer to drain (value: bytes of the file), call (value) or read (bytes).
struct Reply {
    Status status;
    std::int64_t value = 0;
    Payload bytes{};
};
using Answered = std::function<void(Reply&&)>;  // called once

struct Ask {
    std::variant<Read, Call, Drain> what;
    Answered answered;
};

Type type_of(const Ask& ask);
Payload encode_ask(const Ask& ask);
// An answer as it goes over a connection: its head, then reply.bytes. `type`: of the question.
Payload encode_reply(Type type, const Reply& reply);
Reply decode_reply(Type type, std::span<const std::byte> payload);  // throws ProtocolError

}  // namespace kumihimo::iod::process
