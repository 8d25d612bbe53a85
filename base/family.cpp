#include "base/family.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdlib>

namespace kumihimo::base {

namespace {

// Environment variables by which a launcher tells a process its place.
struct Launcher {
    const char* name;
    const char* size;
    const char* rank;
    bool ours;  // MPI_COMM_WORLD is what this one says
};

#if defined(OPEN_MPI)
constexpr const char* name = "openmpi";
constexpr bool open_mpi = true;
#elif defined(MPICH_VERSION)
constexpr const char* name = "mpich";
constexpr bool open_mpi = false;
#else
#error "kumihimo: this MPI is neither Open MPI nor MPICH"
#endif

constexpr Launcher launchers[] = {
    {"Open MPI's mpiexec", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", open_mpi},
    {"MPICH's mpiexec (Hydra)", "PMI_SIZE", "PMI_RANK", !open_mpi},
    {"Slurm's srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", false},
};

std::optional<int> number_of(const char* variable) {
    const char* const text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return std::nullopt;
    return std::atoi(text);
}

}  // namespace

const char* family_name() {
    return name;
}

std::string family_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string version(text, static_cast<std::size_t>(length));
    return version.substr(0, version.find('\n'));
}

std::string family_of_program() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING > 8192 ? MPI_MAX_LIBRARY_VERSION_STRING : 8192] = {};  // enough for either family
    int length = 0;
    auto* const version = reinterpret_cast<int (*)(char*, int*)>(dlsym(RTLD_DEFAULT, "MPI_Get_library_version"));
    if (version != nullptr) version(text, &length);
    const std::string said(text);
    return said.find("Open MPI") != std::string::npos ? "openmpi" : said.find("MPICH") != std::string::npos ? "mpich" : "";
}

std::optional<int> processes_here() {
    const char* const variables[] = {open_mpi ? "OMPI_COMM_WORLD_LOCAL_SIZE" : "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"};
    for (const char* const variable : variables)
        if (const auto number = number_of(variable); number.value_or(0) > 0) return number;  // Slurm's "4(x2)" begins with it
    return std::nullopt;
}

std::optional<int> processes_of_job() {
    for (const Launcher& launcher : launchers)
        if (launcher.ours)
            if (const auto number = number_of(launcher.size)) return number;
    return number_of("SLURM_STEP_NUM_TASKS");
}

std::optional<ForeignLaunch> foreign_launch() {
    for (const Launcher& launcher : launchers)
        if (launcher.ours && number_of(launcher.size) == 1) return std::nullopt;  // our own launcher was asked for one
    for (const Launcher& launcher : launchers) {
        const auto size = number_of(launcher.size);
        if (size.value_or(1) > 1)
            return ForeignLaunch{launcher.name, std::string(launcher.size) + "=" + std::getenv(launcher.size), *size,
                                 number_of(launcher.rank).value_or(0)};
    }
    return std::nullopt;
}

}  // namespace kumihimo::base
