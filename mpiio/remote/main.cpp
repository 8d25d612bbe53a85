// kumihimo-iod-mpi: serves files of this machine to another one by MPI-IO, on standard input and output. ssh starts it, alone
// or behind an mpiexec.
#include <mpi.h>
#include <signal.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "iod/process/agent.hpp"
#include "iod/process/stdio.hpp"
#include "mpiio/remote/mpi_store.hpp"

namespace {

using kumihimo::mpiio::remote::Choices;

constexpr const char* usage =
    "kumihimo-iod-mpi serves files of this machine to MPI programs of another one, by MPI-IO. By ssh from there:\n"
    "    kumihimo-iod-mpi --stdio [--shared] [--hint KEY=VALUE]...\n"
    "--shared: other I/O processes have the same files: they are opened in atomic mode.\n"
    "--hint: for MPI_File_open; kumihimo_io=catwalk: the files are written by Catwalk.\n";

std::optional<Choices> choices_in(int count, char** words) {
    bool stdio = false;
    Choices choices;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        const std::string next = i + 1 < count ? words[i + 1] : "";
        const std::size_t equals = next.find('=');
        if (word == "--stdio")
            stdio = true;
        else if (word == "--shared")
            choices.shared = true;
        else if (word == "--hint" && equals != std::string::npos) {
            choices.hints.emplace_back(next.substr(0, equals), next.substr(equals + 1));
            ++i;
        } else
            return std::nullopt;
    }
    return stdio ? std::optional(std::move(choices)) : std::nullopt;
}

// MPI as long as it lives. Files are closed by a thread of their own, when this one only waits for it.
class Mpi {
public:
    Mpi(int& count, char**& words) {
        int provided = MPI_THREAD_SINGLE;
        MPI_Init_thread(&count, &words, MPI_THREAD_SERIALIZED, &provided);
        serialized_ = provided >= MPI_THREAD_SERIALIZED;
    }
    Mpi(const Mpi&) = delete;
    ~Mpi() { MPI_Finalize(); }
    bool serialized() const { return serialized_; }

private:
    bool serialized_ = false;
};

}  // namespace

// Standard output is the other machine's before MPI can say anything on it.
int main(int count, char** words) try {
    std::optional<Choices> choices = choices_in(count, words);
    if (!choices) {
        std::fputs(usage, stderr);
        return 2;
    }
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    kumihimo::iod::process::Ends ends = kumihimo::iod::standard_streams();
    const Mpi mpi(count, words);
    if (!mpi.serialized()) {
        std::fputs("kumihimo-iod-mpi: this MPI library serves no second thread (MPI_THREAD_SERIALIZED)\n", stderr);
        return 1;
    }
    const auto root = std::make_shared<const kumihimo::iod::process::Root>("/");
    kumihimo::iod::run_file_agent(std::move(ends), root, kumihimo::mpiio::remote::mpi_store(std::move(*choices)));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "kumihimo-iod-mpi: %s\n", error.what());
    return 1;
}
