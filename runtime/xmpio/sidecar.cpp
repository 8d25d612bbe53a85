#include "runtime/xmpio/sidecar.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "runtime/xmpio/checksum.hpp"

namespace kumihimo::xmpio {

namespace {

std::uint64_t added(MPI_Comm comm, std::uint64_t mine) {
    std::uint64_t sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, comm, &request);
    complete(request, comm);
    return sum;
}

}  // namespace

std::uint64_t checksum_in_memory(MPI_Comm comm, const execution::Array& array, const Section& section) {
    std::uint64_t mine = 0;
    if (array.member() && array.mapping->first_replica(array.nodes().coordinates))
        mine = checksum(Part(array, section), static_cast<std::byte*>(array.base));
    return added(comm, mine);
}

ArrayInFile in_file(const execution::Array& array, const Section& section, Index position) {
    ArrayInFile result;
    result.name = array.name;
    result.type = type_in_file(array.type, array.element_bytes);
    result.element_bytes = static_cast<Index>(array.element_bytes);
    result.offset = position;
    for (const Range& range : section) result.shape.push_back(range.count);
    result.order = array.mapping->order();
    return result;
}

// What the first node knows is what all go by.
Sidecar::Sidecar(MPI_Comm comm, const std::string& file, bool keeps) : comm_(comm) {
    std::string text;
    if (keeps && first()) try {
            text = load_description(file);
            (void)Description::parse(text);
        } catch (const std::exception&) {
            text.clear();  // none, or one of another kind: what is in the file stays undescribed
        }
    share(comm, text);
    if (!text.empty()) description_ = Description::parse(text);
}

bool Sidecar::first() const {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    return rank == 0;
}

void Sidecar::wrote(Index begin, Index end) {
    auto next = touched_.upper_bound(begin);
    if (next != touched_.begin() && std::prev(next)->second >= begin) --next;
    while (next != touched_.end() && next->first <= end) {
        begin = std::min(begin, next->first);
        end = std::max(end, next->second);
        next = touched_.erase(next);
    }
    touched_.emplace_hint(next, begin, end);
}

bool Sidecar::touched(Index begin, Index end) const {
    const auto next = touched_.lower_bound(end);
    return begin < end && next != touched_.begin() && std::prev(next)->second > begin;
}

void Sidecar::holds(ArrayInFile array, std::uint64_t checksum) {
    forget_touched();
    array.checksum = checksum;
    description_.add(std::move(array));
}

void Sidecar::holds(const execution::Array& array, const Section& section, Index position) {
    holds(in_file(array, section, position), checksum_in_memory(comm_, array, section));
}

void Sidecar::holds(const std::string& name, const void* data, Index bytes, Index position) {
    const std::uint64_t mine = first() ? checksum(static_cast<const std::byte*>(data), bytes, 1) : 0;
    holds({name, "uint8", 1, position, {bytes}, sets::Order::row_major, {}}, added(comm_, mine));
}

// Checksums of arrays that any node wrote over by other means go, on all nodes.
void Sidecar::forget_touched() {
    std::vector<ArrayInFile>& arrays = description_.arrays;
    std::vector<char> intact(arrays.size()), everywhere(arrays.size());
    std::transform(arrays.begin(), arrays.end(), intact.begin(),
                   [&](const ArrayInFile& array) { return !touched(array.offset, array.end()); });
    base::lowest(comm_, intact.data(), everywhere.data(), static_cast<int>(intact.size()), MPI_SIGNED_CHAR);
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (everywhere[i] == 0) arrays[i].checksum.reset();
    touched_.clear();
}

std::optional<Failure> Sidecar::store(const std::string& name, const std::string& file) {
    forget_touched();
    std::optional<Failure> failure;
    if (first()) try {
            description_.file_bytes = static_cast<Index>(std::filesystem::file_size(file));
            failure = store_description(name, description_);
        } catch (const std::exception& error) {
            failure = Failure{-1, error.what()};
        }
    return agree(comm_, failure);
}

}  // namespace kumihimo::xmpio
