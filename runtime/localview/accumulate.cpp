// Accumulate (decision COA-09): `a[:]:[k] += b[:]`, atomic element by element among all images. Where every image reaches the
// target directly, a lock of the target protects a loop that the compiler vectorises; else the transport does it, for all.
#include <algorithm>

#include "base/error.hpp"
#include "runtime/localview/coarrays.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/localview/remote.hpp"
#include "runtime/localview/sections.hpp"
#include "runtime/localview/target_lock.hpp"
#include "runtime/transport/elements.hpp"

namespace kumihimo::localview {

namespace {

using transport::Reduction;

Reduction reduction_of(int operation) {
    switch (operation) {
        case XMP_SUM:
            return Reduction::sum;
        case XMP_PRODUCT:
            return Reduction::product;
        case XMP_BAND:
            return Reduction::bit_and;
        case XMP_BOR:
            return Reduction::bit_or;
        case XMP_BXOR:
            return Reduction::bit_xor;
        case XMP_DIFFERENCE:
            return Reduction::difference;
        case XMP_QUOTIENT:
            return Reduction::quotient;
        default:
            throw base::Error("this operator cannot accumulate to another image");
    }
}

// `count` elements from `offset` of the target's block.
struct Row {
    std::ptrdiff_t offset, stride;
    const std::byte* from;
    std::ptrdiff_t from_stride;
    std::int64_t count;
};

// Elements from the first one on that belong to the same stripe.
std::int64_t elements_in_stripe(const Row& row) {
    const auto inside = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row.offset) % stripe_bytes);
    std::int64_t most = row.count;
    if (row.stride > 0) most = (static_cast<std::ptrdiff_t>(stripe_bytes) - inside + row.stride - 1) / row.stride;
    if (row.stride < 0) most = inside / -row.stride + 1;
    return std::min(most, row.count);
}

void combine_row(std::byte* to, const Row& row, std::int64_t count, transport::Combine combine, std::size_t element_bytes) {
    const auto dense = static_cast<std::ptrdiff_t>(element_bytes);
    if (row.stride == dense && row.from_stride == dense) return combine(to, row.from, static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) combine(to + i * row.stride, row.from + i * row.from_stride, 1);
}

struct Accumulation {
    const Place& place;
    transport::Combine combine;
    std::size_t element_bytes;

    std::byte* block() const { return place.direct - place.offset; }
    void all(const sets::Correspondence& elements, const std::byte* from) const {
        const auto each = static_cast<std::ptrdiff_t>(element_bytes);
        const std::int64_t in_run = elements.run() / each;
        elements.for_each_row([&](const sets::PairedLevel& steps, sets::Index to_first, sets::Index from_first) {
            const auto first = static_cast<std::ptrdiff_t>(place.offset) + to_first;
            if (in_run == 1) return row({first, steps.to, from + from_first, steps.from, steps.count});
            for (sets::Index i = 0; i < steps.count; ++i)
                row({first + i * steps.to, each, from + from_first + i * steps.from, each, in_run});
        });
    }

    void row(Row row) const {
        while (row.count > 0) {
            const std::int64_t count = elements_in_stripe(row);
            {
                const TargetLock lock(place.node, static_cast<std::size_t>(row.offset));
                combine_row(block() + row.offset, row, count, combine, element_bytes);
            }
            row.offset += count * row.stride;
            row.from += count * row.from_stride;
            row.count -= count;
        }
    }
};

// One element, what most programs accumulate. It takes the lock like all others: the vectorised loop of a longer accumulate
// loads and stores plainly, and would overwrite what a swap on comparison puts between. The lock is not what costs: 6 ns.
void accumulate_one(const XMP_Site* site, const XMP_Coarray* coarray, long long image, const void* mine, const std::byte* from,
                    int operation, int type) {
    const Reduction reduction = reduction_of(operation);
    const transport::Combine combine = transport::combine_of(reduction, type);
    const std::size_t bytes = transport::bytes_of_type(type);
    const Place place = locate(coarray, image, mine, Extent{0, static_cast<std::ptrdiff_t>(bytes)});
    if (execution::checking) note_remote(site, Use::accumulate, place, XMP_Section{}, bytes);
    if (place.shared()) {
        const TargetLock lock(place.node, place.offset);
        combine(place.direct, from, 1);
    } else {
        remote_accumulate(place, from, sets::Correspondence(static_cast<sets::Index>(bytes)), reduction, type);
    }
}

void accumulate(const XMP_Site* site, const XMP_Coarray* coarray, long long image, const XMP_Section& remote,
                const XMP_Section& from, int operation, int type) {
    const auto* const source = static_cast<const std::byte*>(from.address);
    check_conforming(remote, from);
    if (remote.rank == 0) return accumulate_one(site, coarray, image, remote.address, source, operation, type);
    const Reduction reduction = reduction_of(operation);
    const transport::Combine combine = transport::combine_of(reduction, type);
    const std::size_t element_bytes = transport::bytes_of_type(type);
    if (empty(remote)) return;
    const Place place = locate(coarray, image, remote.address, extent_of(remote, element_bytes));
    note_remote(site, Use::accumulate, place, remote, element_bytes);
    note_local(site, Use::read, from, element_bytes);
    const sets::Correspondence all = paired(remote, from, element_bytes);
    if (place.shared())
        Accumulation{place, combine, element_bytes}.all(all, source);
    else
        remote_accumulate(place, source, all, reduction, type);
}

}  // namespace

}  // namespace kumihimo::localview

using namespace kumihimo;

void XMP_Accumulate(const XMP_Site* site, const XMP_Coarray* coarray, long long image, const XMP_Section* remote,
                    const XMP_Section* from, int operation, int type) {
    execution::guarded(site, [&] { localview::accumulate(site, coarray, image, *remote, *from, operation, type); });
}

void XMP_Accumulate_one(const XMP_Site* site, const XMP_Coarray* coarray, long long image, void* mine, const void* from,
                        int operation, int type) {
    execution::guarded(site, [&] {
        localview::accumulate_one(site, coarray, image, mine, static_cast<const std::byte*>(from), operation, type);
    });
}
