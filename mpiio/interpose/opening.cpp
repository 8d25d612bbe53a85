#include "mpiio/interpose/opening.hpp"

#include <atomic>
#include <cstdio>

#include "base/settings.hpp"
#include "mpiio/engine/engine.hpp"
#include "mpiio/file/errors.hpp"
#include "mpiio/file/native.hpp"
#include "mpiio/file/process.hpp"

namespace kumihimo::mpiio {

namespace {

Selection selection_of_process() {
    std::vector<std::string> names;
    for (const Engine& engine : engines()) names.emplace_back(engine.name);
    auto rules = parse_rules(base::setting("KUMIHIMO_IO"), names);
    return {std::move(names), std::move(rules)};
}

std::optional<std::string> hint_of(MPI_Info info) {
    char value[MPI_MAX_INFO_VAL + 1] = {};
    int found = 0;
    if (info != MPI_INFO_NULL) PMPI_Info_get(info, "kumihimo_io", MPI_MAX_INFO_VAL, value, &found);
    return found != 0 ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace

Verdict verdict_on(const char* name, MPI_Info info) {
    if (name == nullptr || !serving()) return {};
    static const Selection* const selection = new Selection(selection_of_process());  // files are closed until the very end
    return selection->of(name, hint_of(info));
}

int refuse(const char* function, const Refusal& refusal) {
    static std::atomic<bool> said = false;
    if (!said.exchange(true)) std::fprintf(stderr, "kumihimo: %s: %s\n", function, refusal.text.c_str());
    return native::call_errhandler(MPI_FILE_NULL, error_code({refusal.error_class, refusal.text}));
}

int get_small_extent(File& file, MPI_Datatype type, MPI_Aint* extent) {
    MPI_Count large = 0;
    const int code = operations::get_type_extent(file, type, extent == nullptr ? nullptr : &large);
    if (code == MPI_SUCCESS && extent != nullptr) *extent = static_cast<MPI_Aint>(large);
    return code;
}

}  // namespace kumihimo::mpiio
