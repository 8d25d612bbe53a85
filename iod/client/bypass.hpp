// Long pieces need no order: a rank at the file's server writes them itself, past its ring and the sort buffer, where the I/O
// process would only copy them once more. The file's mark and its sync stay the server's: it is asked once for each time
// between two syncs (docs/explanation/wire-protocol.md, `pass_by`). What may lie in rings and buffers over the same bytes is
// older, so pieces that touch it go the usual way.
#pragma once

#include <span>
#include <string>

#include "iod/files/file.hpp"

namespace kumihimo::iod {

class Bypass {
public:
    // least_bytes: of a piece. Shorter ones leave an I/O process faster, in longer rows.
    Bypass(const std::string& path, std::size_t least_bytes, bool durable);

    bool is_long(std::size_t bytes) const { return bytes >= least_bytes_; }
    bool takes(Offset offset, std::size_t bytes) const;  // of a long piece
    void held(Offset begin, Offset end);                 // by rings and buffers from now on
    void nothing_held() { held_begin_ = held_end_ = 0; }

    bool open();  // false: this process may not
    std::int64_t identity() const { return file_.identity(); }
    bool permitted() const { return permitted_; }
    void permit(bool permitted) { permitted_ = permitted; }

    Status write(Offset offset, std::span<const std::byte> data);
    Counters counters() const;

private:
    process::File file_;
    std::size_t least_bytes_;
    bool durable_, open_ = false, permitted_ = false;
    Offset held_begin_ = 0, held_end_ = 0, largest_end_;
    std::uint64_t writes_ = 0, bytes_ = 0;
    double seconds_ = 0;
};

}  // namespace kumihimo::iod
