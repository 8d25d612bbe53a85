#include "iod/files/storage.hpp"

#include <asio/post.hpp>

namespace kumihimo::iod::process {

Status Storage::call(const FileCall& call, std::int64_t& value) {
    switch (call.function) {
        case FileFunction::size:
            return size(value);
        case FileFunction::set_size:
            return set_size(call.value);
        case FileFunction::preallocate:
            return preallocate(call.value);
        case FileFunction::digest:
            return digest(call.value, value);
        case FileFunction::sync:
            return sync();
        case FileFunction::close:
            return close();
        default:
            return {Code::not_supported, "what was asked", ""};
    }
}

std::shared_ptr<Worker> make_worker(asio::io_context& loop) {
    return std::make_shared<Worker>([&loop] { asio::post(loop, [] {}); });
}

}  // namespace kumihimo::iod::process
