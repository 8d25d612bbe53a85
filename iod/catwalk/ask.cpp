#include "iod/catwalk/ask.hpp"

#include "iod/protocol/bulk.hpp"

namespace kumihimo::iod::process {

Type type_of(const Ask& ask) {
    if (std::holds_alternative<Read>(ask.what)) return Type::read;
    return std::holds_alternative<Call>(ask.what) ? Type::call : Type::drain;
}

Payload encode_ask(const Ask& ask) {
    return std::visit([](const auto& message) { return encode(message); }, ask.what);
}

Payload encode_reply(Type type, const Reply& reply) {
    if (type == Type::read) return encode_data_head(reply.status);
    if (type == Type::call) return encode(Result{reply.status, reply.value});
    return encode(Drained{reply.status, reply.value});
}

Reply decode_reply(Type type, std::span<const std::byte> payload) {
    if (type == Type::read) {
        const DataView data = decode_data(payload);
        return {data.status, 0, Payload(data.bytes)};
    }
    if (type == Type::call) {
        const Result result = decode<Result>(payload);
        return {result.status, result.value, {}};
    }
    const Drained drained = decode<Drained>(payload);
    return {drained.status, drained.file_bytes, {}};
}

}  // namespace kumihimo::iod::process
