#include "mpiio/interpose/decision.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <limits>
#include <memory>
#include <mutex>
#include <span>

#include "base/format.hpp"
#include "base/settings_agreement.hpp"
#include "mpiio/advise/observer.hpp"
#include "mpiio/engine/engine.hpp"
#include "mpiio/engine/settings.hpp"
#include "mpiio/engine/team.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/process.hpp"

namespace kumihimo::mpiio {

namespace {

// ---- what this rank says ----

std::optional<std::string> hint_of(MPI_Info info) {
    char value[MPI_MAX_INFO_VAL + 1] = {};
    int found = 0;
    if (info != MPI_INFO_NULL) PMPI_Info_get(info, "kumihimo_io", MPI_MAX_INFO_VAL, value, &found);
    return found != 0 ? std::optional<std::string>(value) : std::nullopt;
}

// What follows from the settings, found out once, and again when the program has changed them or the ranks have come to others.
struct Known {
    unsigned state;
    std::int64_t fingerprint;
    std::string own_complaints = base::complaints(base::files, base::Concerns::rank, text_checks());
    std::string job_complaints = base::complaints(base::files, base::Concerns::job, text_checks());
    Selection selection = selection_by_settings();
    bool advises = advise::wanted();
};

const Known& known() {
    static std::mutex mutex;
    static const Known* current = nullptr;  // never freed: files are closed until the very end
    const std::lock_guard lock(mutex);
    const unsigned state = base::settings_state();
    const std::int64_t fingerprint = base::fingerprint(base::files);
    if (current == nullptr || current->state != state || current->fingerprint != fingerprint)
        current = new Known{state, fingerprint};
    return *current;
}

std::optional<Failure> failure_of_settings(const Known& known, int rank) {
    std::string text = known.own_complaints;
    if (rank == 0 && !known.job_complaints.empty()) text += (text.empty() ? "" : "\n  ") + known.job_complaints;
    return text.empty() ? std::nullopt : std::optional(failure(MPI_ERR_ARG, text));
}

// ---- what all say ----

// Who serves a file, as a number. Advice compares an engine with the MPI library.
constexpr Index nobody = 0;
Index number_of(const Choice& choice, bool advises) {
    const auto all = engines();
    const auto engine = std::find_if(all.begin(), all.end(), [&](const Engine& one) { return choice.engine == one.name; });
    return 1 + 2 * (engine - all.begin()) + (advises && !engine->elsewhere ? 1 : 0);
}

struct Offer {
    std::optional<Failure> failure;
    Index server = nobody;
    std::string path, name;  // the name for an engine, and for the MPI library
};

Offer offer_of(const Known& known, int rank, const char* name, MPI_Info info) {
    Offer offer;
    const Verdict verdict = known.selection.of(name, hint_of(info));
    offer.path = known.selection.path(name);
    offer.name = known.selection.native_name(name);
    if (auto* const refusal = std::get_if<Refusal>(&verdict)) offer.failure = failure(refusal->error_class, refusal->text);
    if (auto* const choice = std::get_if<Choice>(&verdict)) offer.server = number_of(*choice, known.advises);
    if (auto wrong = failure_of_settings(known, rank)) offer.failure = std::move(wrong);
    return offer;
}

Decision decision_of(const Offer& offer) {
    if (offer.server == nobody) return {std::nullopt, false, offer.name};
    const std::size_t engine = static_cast<std::size_t>(offer.server - 1) / 2;
    const bool advises = (offer.server - 1) % 2 == 1;
    return {Choice{engines()[engine].name, offer.path}, advises, advises ? offer.path : offer.name};
}

// The rules of 13.2.1 for access modes.
std::optional<Failure> check_mode(int amode) {
    const int access = amode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
    if (std::popcount(static_cast<unsigned>(access)) != 1)
        return failure(MPI_ERR_AMODE,
                       "the access mode needs exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
    if ((amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0 && access == MPI_MODE_RDONLY)
        return failure(MPI_ERR_AMODE, "MPI_MODE_CREATE and MPI_MODE_EXCL cannot be combined with MPI_MODE_RDONLY");
    if ((amode & MPI_MODE_SEQUENTIAL) != 0 && access == MPI_MODE_RDWR)
        return failure(MPI_ERR_AMODE, "MPI_MODE_SEQUENTIAL cannot be combined with MPI_MODE_RDWR");
    return std::nullopt;
}

void tell_difference(const Offer& offer) {
    const Decision decision = decision_of(offer);
    std::fprintf(
        stderr,
        "kumihimo: warning: hints or prefixes say differently on the ranks who serves '%s': rank 0's choice counts, %s\n",
        offer.path.c_str(), decision.served ? decision.served->engine.c_str() : "the MPI library");
}

// The ranks that open a file.
struct Openers {
    explicit Openers(MPI_Comm comm) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Comm_size(comm, &ranks);
        if (ranks == 1) return;
        prepare_waiting();
        own = base::Communicator::of(comm);
    }
    // The least of all ranks, one by one.
    std::array<Index, 8> lowest(const std::array<Index, 8>& mine) const {
        std::array<Index, 8> least = mine;
        if (ranks == 1) return least;
        if (Team* const team = Team::known(*own)) return team->lowest<8>(mine);
        const auto lowest = own->settings_agreed ? base::lowest : base::lowest_in_any_time;
        lowest(*own, mine.data(), least.data(), static_cast<int>(mine.size()), MPI_INT64_T);
        return least;
    }
    int rank = 0, ranks = 1;
    std::shared_ptr<base::Communicator> own;
};

// What all ranks have come to. None: once more, with rank 0's settings.
std::optional<Result> agree(const Openers& openers, int amode, const Known& known, Offer offer) {
    constexpr Index unknown = std::numeric_limits<Index>::max();
    const Index mine = known.fingerprint;
    const auto least = openers.lowest({offer.failure ? openers.rank : openers.ranks, mine, -mine, amode, -amode, offer.server,
                                       -offer.server, openers.rank == 0 ? offer.server : unknown});
    if (least[1] != -least[2]) {
        base::settle_differences(*openers.own, base::files, "those of rank 0 count");
        return std::nullopt;
    }
    if (openers.own) openers.own->settings_agreed = true;
    if (least[0] < openers.ranks)
        return openers.ranks == 1 ? *offer.failure
                                  : base::broadcast_failure(*openers.own, static_cast<int>(least[0]), offer.failure, "rank");
    if (least[5] != -least[6] && openers.rank == 0) tell_difference(offer);
    offer.server = least[7];
    if (offer.server == nobody) return decision_of(offer);
    if (least[3] != -least[4])
        return failure(MPI_ERR_NOT_SAME, fmt::format("the ranks opened '{}' with different access modes", offer.path));
    if (auto wrong = check_mode(amode)) return *wrong;
    return decision_of(offer);
}

}  // namespace

Result decide_on(MPI_Comm comm, const char* name, int amode, MPI_Info info) {
    const Openers openers(comm);
    int world_rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    if (world_rank == 0) base::tell_unknown_settings();
    for (;;) {
        const Known& current = known();
        if (auto result = agree(openers, amode, current, offer_of(current, openers.rank, name, info))) return *result;
    }
}

Result decide_on(const char* name, MPI_Info info) {
    const Offer offer = offer_of(known(), 0, name, info);
    if (offer.failure) return *offer.failure;
    return decision_of(offer);
}

}  // namespace kumihimo::mpiio
