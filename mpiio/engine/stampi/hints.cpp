#include "mpiio/engine/stampi/hints.hpp"

namespace kumihimo::mpiio::stampi {

namespace {

template <auto member>
constexpr Hint<Parameters> of(const char* name, const char* setting, HintKind kind) {
    return hint<member, Parameters>(name, setting, kind);
}
constexpr Hint<Parameters> hints[] = {
    of<&Parameters::processes>("io_processes", "KUMIHIMO_STAMPI_PROCESSES", {1, 1'000'000}),
    of<&Parameters::window>("kumihimo_stampi_window", "KUMIHIMO_STAMPI_WINDOW", {1 << 20, 1 << 30}),
    of<&Parameters::behind>("kumihimo_write_behind", nullptr, {0, 1 << 30}),
    of<&Parameters::permissions>("file_perm", nullptr, permissions_kind),
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

}  // namespace kumihimo::mpiio::stampi
