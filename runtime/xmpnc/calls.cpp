#include "runtime/xmpnc/calls.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace kumihimo::xmpnc {

// What is too large is cut in halves along the slowest dimension that has several indices, so that its order stays.
void Calls::add(const std::vector<MPI_Offset>& start, const std::vector<MPI_Offset>& count,
                const std::vector<MPI_Offset>& stride) {
    const MPI_Offset elements = std::accumulate(count.begin(), count.end(), MPI_Offset{1}, std::multiplies<>());
    if (elements <= most_) return append(start, count.data(), stride.data(), elements);
    const auto d =
        static_cast<std::size_t>(std::find_if(count.begin(), count.end(), [](auto n) { return n > 1; }) - count.begin());
    std::vector<MPI_Offset>& first = parts_.emplace_back(count);
    std::vector<MPI_Offset>& second = parts_.emplace_back(count);
    first[d] /= 2;
    second[d] -= first[d];
    add(start, first, stride);
    std::vector<MPI_Offset> middle = start;
    middle[d] += first[d] * stride[d];
    add(middle, second, stride);
}

void Calls::append(const std::vector<MPI_Offset>& start, const MPI_Offset* count, const MPI_Offset* stride,
                   MPI_Offset elements) {
    const bool full = list.empty() || !many_ || list.back().elements + elements > most_ ||
                      list.back().counts.size() == static_cast<std::size_t>(std::numeric_limits<int>::max());
    const MPI_Offset behind = list.empty() ? 0 : list.back().first + list.back().elements;
    if (full) list.emplace_back().first = behind;
    One& call = list.back();
    call.starts.insert(call.starts.end(), start.begin(), start.end());
    call.counts.push_back(count);
    call.stride = stride;
    call.elements += elements;
}

}  // namespace kumihimo::xmpnc
