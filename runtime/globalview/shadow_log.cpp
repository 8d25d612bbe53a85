#include "runtime/globalview/shadow_log.hpp"

#include <algorithm>

#include "runtime/execution/message.hpp"

namespace kumihimo::globalview {
namespace {

using execution::Reader;
using execution::Writer;

// Beyond that something is forgotten: a finding may be missed, none is false.
constexpr std::size_t most_writes = 1 << 16, most_reads = 256, most_readings = 1 << 16;

void pack_moment(Writer& out, const execution::Moment& moment) {
    out.number(static_cast<int>(moment.levels.size()));
    for (const auto& level : moment.levels) out.number(level);
}

execution::Moment unpack_moment(Reader& in) {
    execution::Moment moment;
    moment.levels.resize(static_cast<std::size_t>(in.number<int>()));
    for (auto& level : moment.levels) level = in.number<execution::Moment::Level>();
    return moment;
}

}  // namespace

std::size_t ShadowLog::Hash::operator()(const std::vector<Index>& element) const {
    std::uint64_t hash = 14695981039346656037u;
    for (const Index index : element) hash = (hash ^ static_cast<std::uint64_t>(index)) * 1099511628211u;
    return hash ^ (hash >> 32);
}

void ShadowLog::written(const XMP_Site* site, const Moment& moment, const std::vector<Index>& element) {
    if (writes_.size() == most_writes || !number_of_.emplace(element, writes_.size()).second) return;
    writes_.push_back({site, moment, element});
}

void ShadowLog::read(const XMP_Site* site, const Moment& moment, const Box& elements) {
    std::vector<Read>& reads = reads_[site];
    for (Read& known : reads)
        if (same(known.elements, elements)) {
            known.moment = moment;
            return;
        }
    if (!reads.empty() && reads.back().moment == moment && join(reads.back().elements, elements)) return;
    if (reads.size() == most_reads) reads.erase(reads.begin());
    reads.push_back({site, moment, elements});
}

void ShadowLog::reading(std::uint32_t stamp, const XMP_Site* site, const Moment& moment) {
    if (readings_.size() == most_readings) readings_.erase(readings_.begin(), readings_.begin() + most_readings / 2);
    readings_.push_back({stamp, site, moment});
}

void ShadowLog::clear() {
    writes_.clear();
    number_of_.clear();
    reads_.clear();
    readings_.clear();
    in_doubt_ = false;
}

const XMP_Site* ShadowLog::read_after(const Write& write, const std::vector<Index>& element, std::uint32_t stamp) const {
    const auto reading = std::lower_bound(readings_.begin(), readings_.end(), stamp,
                                          [](const Reading& one, std::uint32_t other) { return one.stamp < other; });
    if (reading != readings_.end() && reading->stamp == stamp && write.moment.before(reading->moment)) return reading->site;
    for (const auto& [site, reads] : reads_)
        for (const Read& read : reads)
            if (write.moment.before(read.moment) && contains(read.elements, element)) return read.site;
    return nullptr;
}

// Neighbouring writes have the same site and moment mostly: those stand once before them.
std::vector<std::byte> pack(const std::vector<ShadowLog::Write>& writes) {
    Writer out;
    for (std::size_t first = 0; first < writes.size();) {
        std::size_t end = first;
        while (end < writes.size() && writes[end].site == writes[first].site && writes[end].moment == writes[first].moment)
            ++end;
        out.site(*writes[first].site);
        pack_moment(out, writes[first].moment);
        out.number(end - first);
        out.number(static_cast<int>(writes[first].element.size()));
        for (; first < end; ++first)
            for (const Index index : writes[first].element) out.number(index);
    }
    return out.take();
}

void unpack(const std::byte* bytes, std::size_t count, std::vector<ShadowLog::Write>& writes) {
    for (Reader in(bytes, count); in.more();) {
        const XMP_Site* const site = in.site();
        const execution::Moment moment = unpack_moment(in);
        const auto elements = in.number<std::size_t>();
        const int rank = in.number<int>();
        for (std::size_t i = 0; i < elements; ++i) {
            std::vector<Index> element;
            for (int d = 0; d < rank; ++d) element.push_back(in.number<Index>());
            writes.push_back({site, moment, std::move(element)});
        }
    }
}

}  // namespace kumihimo::globalview
