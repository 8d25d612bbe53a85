#include "mpiio/engine/info.hpp"

namespace kumihimo::mpiio {

Hints hints_of(MPI_Info info) {
    Hints hints;
    int keys = 0;
    if (info != MPI_INFO_NULL) MPI_Info_get_nkeys(info, &keys);
    for (int i = 0; i < keys; ++i) {
        char key[MPI_MAX_INFO_KEY + 1] = {};
        int length = 0, found = 0;
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get_valuelen(info, key, &length, &found);
        if (!found) continue;
        std::string value(length + 1, '\0');
        MPI_Info_get(info, key, length, value.data(), &found);
        value.resize(length);
        hints[key] = value;
    }
    return hints;
}

MPI_Info info_of(const Hints& hints) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    for (const auto& [key, value] : hints)
        if (!value.empty() && value.size() < MPI_MAX_INFO_VAL) MPI_Info_set(info, key.c_str(), value.c_str());
    return info;
}

}  // namespace kumihimo::mpiio
