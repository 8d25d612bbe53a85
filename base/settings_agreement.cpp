#include "base/settings_agreement.hpp"

#include <atomic>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "base/completion.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"

namespace kumihimo::base {

namespace {

using Given = std::vector<std::pair<std::string, std::string>>;  // every setting that concerns the job; "": none given

Given given_for_job(Library library) {
    Given all;
    for (const Setting& setting : settings())
        if ((setting.libraries & library) != 0 && setting.concerns == Concerns::job)
            all.emplace_back(setting.name, given(setting));
    return all;
}

// As bytes: values end with a zero, which none has.
std::string packed(const Given& all) {
    std::string bytes;
    for (const auto& [name, value] : all) (bytes += value) += '\0';
    return bytes;
}

Given unpacked(Given names, const std::string& bytes) {
    std::size_t begin = 0;
    for (auto& [name, value] : names) {
        value = bytes.substr(begin, bytes.find('\0', begin) - begin);
        begin += value.size() + 1;
    }
    return names;
}

// Every rank's, on all ranks.
std::vector<std::string> gather(MPI_Comm comm, const std::string& mine) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    std::vector<int> sizes(static_cast<std::size_t>(ranks)), offsets(sizes.size() + 1);
    const int size = static_cast<int>(mine.size());
    MPI_Request request;
    MPI_Iallgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, comm, &request);
    complete_in_any_time(request);
    for (std::size_t i = 0; i < sizes.size(); ++i) offsets[i + 1] = offsets[i] + sizes[i];
    std::string bytes(static_cast<std::size_t>(offsets.back()), '\0');
    MPI_Iallgatherv(mine.data(), size, MPI_CHAR, bytes.data(), sizes.data(), offsets.data(), MPI_CHAR, comm, &request);
    complete_in_any_time(request);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        all.push_back(bytes.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(sizes[i])));
    return all;
}

// "ranks 1, 2, 5 ...: 'x'"
std::string who_has_what(const std::vector<std::string>& values) {
    constexpr int most_ranks = 8;
    std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
        std::size_t group = 0;
        while (group < groups.size() && groups[group].first != values[rank]) ++group;
        if (group == groups.size()) groups.push_back({values[rank], {}});
        groups[group].second.push_back(rank);
    }
    std::string text;
    for (auto& [value, ranks] : groups) {
        const bool more = ranks.size() > most_ranks;
        if (more) ranks.resize(most_ranks);
        text += fmt::format("{}{} on rank{} {}{}", text.empty() ? "" : ", ", value.empty() ? "not set" : "'" + value + "'",
                            ranks.size() > 1 ? "s" : "", fmt::join(ranks, ", "), more ? " and others" : "");
    }
    return text;
}

std::string differences(const std::vector<Given>& all) {
    std::string lines;
    for (std::size_t i = 0; i < all.front().size(); ++i) {
        std::vector<std::string> values;
        bool differ = false;
        for (const Given& one : all) {
            differ |= one[i].second != all.front()[i].second;
            values.push_back(one[i].second);
        }
        if (differ) lines += fmt::format("  {}: {}\n", all.front()[i].first, who_has_what(values));
    }
    return lines;
}

}  // namespace

std::int64_t fingerprint(Library library) {
    return static_cast<std::int64_t>(std::hash<std::string>()(packed(given_for_job(library))) >> 1);
}

void settle_differences(MPI_Comm comm, Library library, const std::string& then, bool takes) {
    const Given mine = given_for_job(library);
    std::vector<Given> all;
    for (const std::string& one : gather(comm, packed(mine))) all.push_back(unpacked(mine, one));
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    static std::atomic<bool> told = false;  // to this rank, or by it: other communicators have the same differences
    if (!told.exchange(true) && rank == 0)
        std::fprintf(stderr,
                     "kumihimo: warning: ranks have different settings: %s.\n%s  Pass the settings to all ranks: xmprun and "
                     "kumihimo files run do (Open MPI: -x NAME, srun: --export=ALL).\n",
                     then.c_str(), differences(all).c_str());
    if (takes && rank != 0) take_over(all.front());
}

std::string complaints(MPI_Comm comm, Library library, std::span<const TextCheck> texts) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const std::string own = complaints(library, Concerns::rank, texts);
    const std::string of_job = rank == 0 ? complaints(library, Concerns::job, texts) : "";
    return own.empty() || of_job.empty() ? own + of_job : own + "\n  " + of_job;
}

std::optional<Failure> agree_on_settings(MPI_Comm comm, Library library, std::span<const TextCheck> texts, const char* noun) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank == 0) tell_unknown_settings();
    for (;;) {
        const std::string complaint = complaints(comm, library, texts);
        const std::optional<Failure> failure = complaint.empty() ? std::nullopt : std::optional(Failure{-1, complaint, 0});
        const std::int64_t offered[] = {failure ? rank : ranks, fingerprint(library), -fingerprint(library)};
        std::int64_t least[3] = {};
        lowest_in_any_time(comm, offered, least, 3, MPI_INT64_T);
        if (least[1] != -least[2])
            settle_differences(comm, library, fmt::format("those of {} count", member_text(noun, 0)));
        else if (least[0] < ranks)
            return broadcast_failure(comm, static_cast<int>(least[0]), failure, noun);
        else
            return std::nullopt;
    }
}

void lowest_in_any_time(MPI_Comm comm, const void* mine, void* result, int count, MPI_Datatype type) {
    MPI_Request request;
    MPI_Iallreduce(mine, result, count, type, MPI_MIN, comm, &request);
    complete_in_any_time(request);
}

}  // namespace kumihimo::base
