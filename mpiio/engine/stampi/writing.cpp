#include "mpiio/engine/stampi/writing.hpp"

#include "copying/streams.hpp"
#include "mpiio/engine/stampi/layouts.hpp"

namespace kumihimo::mpiio::stampi {

iod::Status write(iod::Remote& remote, const Access& access, std::vector<std::byte>& row) {
    iod::Status status;
    for_each_part(access, [&](const Part& part) {
        const auto bytes = static_cast<std::size_t>(part.bytes);
        const std::byte* from = nullptr;
        if (access.memory.contiguous()) {
            from = access.memory.data() + part.begin;
        } else {
            row.resize(std::max(row.size(), bytes));
            gather(access.memory, part.begin, part.begin + part.bytes, row.data());
            from = row.data();
        }
        status = remote.write(part.layout, {from, bytes});
        return status.ok();
    });
    return status;
}

}  // namespace kumihimo::mpiio::stampi
