#include "mpiio/engine/stampi/hints.hpp"

namespace kumihimo::mpiio::stampi {

namespace {

constexpr const char* remote_io_names[] = {"posix", "mpi", "catwalk"};

constexpr Hint<Parameters> hints[] = {
    hint<&Parameters::remote_io>("remote_io", {0, 2, remote_io_names}, "KUMIHIMO_STAMPI_REMOTE_IO"),
    hint<&Parameters::processes>("io_processes", {1, 1'000'000}, "KUMIHIMO_STAMPI_PROCESSES"),
    hint<&Parameters::window>("kumihimo_stampi_window", {1 << 20, 1 << 30}, "KUMIHIMO_STAMPI_WINDOW"),
    hint<&Parameters::streams>("kumihimo_stampi_streams", {1, 64}, "KUMIHIMO_STAMPI_STREAMS"),
    hint<&Parameters::channel>("kumihimo_stampi_channel", {0, 1, switch_names}, "KUMIHIMO_STAMPI_CHANNEL"),
    hint<&Parameters::compression>("kumihimo_stampi_compression", {0, 1, switch_names}, "KUMIHIMO_STAMPI_COMPRESSION"),
    hint<&Parameters::one_login>("kumihimo_stampi_one_login", {0, 1, switch_names}, "KUMIHIMO_STAMPI_ONE_LOGIN"),
    hint<&Parameters::behind>("kumihimo_write_behind", {0, 1 << 30}),
    hint<&Parameters::permissions>("file_perm", permissions_kind),
};
constexpr std::span<const Hint<Parameters>> table = hints;

}  // namespace

Parameters default_parameters() {
    Parameters parameters;
    apply_settings(table, parameters);
    return parameters;
}

void apply_hints(const Hints& hints, Parameters& parameters) {
    mpiio::apply_hints(table, hints, parameters);
}

Hints as_hints(const Parameters& parameters) {
    return mpiio::as_hints(table, parameters);
}

Hints hints_for_others(const Hints& hints) {
    Hints others = hints;
    for (const Hint<Parameters>& own : table) others.erase(own.name);
    others.erase("kumihimo_io");
    return others;
}

}  // namespace kumihimo::mpiio::stampi
