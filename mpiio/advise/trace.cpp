#include "mpiio/advise/trace.hpp"

#include <algorithm>

namespace kumihimo::mpiio::advise {

namespace {

// Doing them again takes a second or two on a usual file system.
constexpr std::size_t most_steps = 20000;
constexpr std::int64_t most_traced_bytes = 256LL << 20;

bool predefined(MPI_Datatype type) {
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

MPI_Datatype copy_of(MPI_Datatype type) {
    MPI_Datatype copy = type;
    if (!predefined(type)) MPI_Type_dup(type, &copy);
    return copy;
}

void release(MPI_Datatype& type) {
    if (!predefined(type)) MPI_Type_free(&type);
}

}  // namespace

Trace::~Trace() {
    for (RecordedView& view : views_) {
        release(view.etype);
        release(view.filetype);
    }
}

void Trace::keep(const Step& step, bool collective, std::int64_t bytes) {
    complete_ = complete_ && steps_.size() < most_steps && bytes_ + bytes <= most_traced_bytes;
    if (!complete_) return;
    steps_.push_back(step);
    collectives_ += collective ? 1 : 0;
    bytes_ += bytes;
    largest_ = std::max(largest_, bytes);
}

void Trace::add(const DataCall& call) {
    (call.writes ? totals_.writes : totals_.reads) += 1;
    (call.writes ? totals_.bytes_written : totals_.bytes_read) += call.bytes;
    keep({Step::Kind::data, call, 0, 0, 0}, call.collective, call.bytes);
}

void Trace::add_view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype) {
    if (complete_) views_.push_back({displacement, copy_of(etype), copy_of(filetype)});
    keep({Step::Kind::view, {}, views_.size() - 1, 0, 0}, true, 0);
}

void Trace::add_seek(MPI_Offset offset, int whence) {
    keep({Step::Kind::seek, {}, 0, offset, whence}, false, 0);
}

void Trace::add_sync() {
    keep({Step::Kind::sync, {}, 0, 0, 0}, true, 0);
}

}  // namespace kumihimo::mpiio::advise
