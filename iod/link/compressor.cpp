#include "iod/link/compressor.hpp"

#include <zstd.h>

#include <stdexcept>

#include "iod/protocol/wire.hpp"

namespace kumihimo::iod::process {

namespace {

std::size_t fine(std::size_t result) {
    if (ZSTD_isError(result) != 0) throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(result));
    return result;
}

}  // namespace

struct Compressor::State {
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> out{ZSTD_createCCtx(), ZSTD_freeCCtx};
    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> in{ZSTD_createDCtx(), ZSTD_freeDCtx};
};

bool Compressor::is_there() {
    return true;
}

Compressor::Compressor() : state_(std::make_unique<State>()) {
    if (!state_->out || !state_->in) throw std::bad_alloc();
}

Compressor::~Compressor() = default;

Payload Compressor::compress(std::span<const std::byte> head, std::span<const std::byte> body, int level) {
    ZSTD_CCtx* const context = state_->out.get();
    const std::size_t whole = head.size() + body.size();
    Payload result(ZSTD_compressBound(whole));
    ZSTD_outBuffer to{result.data(), result.size(), 0};
    ZSTD_inBuffer first{head.data(), head.size(), 0}, rest{body.data(), body.size(), 0};
    fine(ZSTD_CCtx_reset(context, ZSTD_reset_session_only));
    fine(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level));
    fine(ZSTD_CCtx_setPledgedSrcSize(context, whole));
    fine(ZSTD_compressStream2(context, &to, &first, ZSTD_e_continue));
    if (fine(ZSTD_compressStream2(context, &to, &rest, ZSTD_e_end)) != 0 || first.pos < first.size)
        throw std::runtime_error("zstd: more bytes than its own bound");
    result.resize(to.pos);
    return result;
}

Payload Compressor::expand(std::span<const std::byte> bytes, std::size_t most) {
    const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
        throw ProtocolError("a compressed frame that does not say how long it was");
    if (size > most) throw ProtocolError("a compressed frame that was longer than agreed");
    Payload result(static_cast<std::size_t>(size));
    const std::size_t got = ZSTD_decompressDCtx(state_->in.get(), result.data(), result.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(got) != 0 || got != result.size()) throw ProtocolError("a compressed frame that is damaged");
    return result;
}

}  // namespace kumihimo::iod::process
