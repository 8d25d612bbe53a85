#include "mpiio/engine/details.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/format.hpp"

namespace kumihimo::mpiio {

namespace {

std::string lines_of(const Details& details) {
    std::string lines;
    for (const auto& [name, value] : details) lines += fmt::format("{}\t{}\n", name, value);
    return lines;
}

void add(Details& totals, const std::string& name, double value) {
    const auto found = std::find_if(totals.begin(), totals.end(), [&](const auto& total) { return total.first == name; });
    if (found == totals.end())
        totals.emplace_back(name, value);
    else if (name.ends_with("seconds"))
        found->second = std::max(found->second, value);
    else
        found->second += value;
}

Details totals_in(const std::string& lines) {
    Details totals;
    for (std::size_t begin = 0, end; (end = lines.find('\n', begin)) != std::string::npos; begin = end + 1) {
        const std::size_t gap = lines.find('\t', begin);
        add(totals, lines.substr(begin, gap - begin), std::strtod(lines.c_str() + gap, nullptr));
    }
    return totals;
}

}  // namespace

Details totals_of_details(MPI_Comm comm, const Details& mine) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    const std::string lines = lines_of(mine);
    const auto bytes = static_cast<int>(lines.size());
    std::vector<int> lengths(static_cast<std::size_t>(ranks)), places(lengths.size());
    MPI_Gather(&bytes, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
    std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
    std::string all(static_cast<std::size_t>(places.back() + lengths.back()), '\0');  // on other ranks nothing
    MPI_Gatherv(lines.data(), bytes, MPI_CHAR, all.data(), lengths.data(), places.data(), MPI_CHAR, 0, comm);
    return totals_in(all);
}

}  // namespace kumihimo::mpiio
