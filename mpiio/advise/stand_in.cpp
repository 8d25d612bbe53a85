#include "mpiio/advise/stand_in.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace kumihimo::mpiio::advise {

namespace {

// Larger ones would take longer than the whole advice; it is left out then.
constexpr MPI_Offset most_copied_bytes = MPI_Offset{1} << 30;

bool is_there(const Original& original) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(original.path, error);
    return !error && bytes >= static_cast<std::uintmax_t>(original.size);
}

// Whole: holes are read faster than data.
bool write_zeros(const std::string& path, MPI_Offset bytes) {
    const std::vector<char> zeros(std::size_t{1} << 20);
    std::ofstream file(path, std::ios::binary);
    for (MPI_Offset left = bytes; left > 0 && file; left -= static_cast<MPI_Offset>(zeros.size()))
        file.write(zeros.data(), static_cast<std::streamsize>(std::min(left, static_cast<MPI_Offset>(zeros.size()))));
    file.close();
    return !file.fail();
}

void remove(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

}  // namespace

StandIn::StandIn(MPI_Comm comm, const Original& original) : original_(original) {
    int rank = 0, made = 0;
    MPI_Comm_rank(comm, &rank);
    const std::string path = scratch_path(original);
    if (rank == 0 && original.only_read() && !is_there(original) && original.size <= most_copied_bytes) {
        made = write_zeros(path, original.size) ? 1 : 0;
        if (made == 0) remove(path);
        made_ = made == 1;
    }
    MPI_Bcast(&made, 1, MPI_INT, 0, comm);
    if (made == 1) original_.path = path;
}

StandIn::~StandIn() {
    if (made_) remove(original_.path);
}

}  // namespace kumihimo::mpiio::advise
