// kumihimo-coll-tune: measures every operation by every algorithm on the ranks that it runs on, and prints the rules that are
// worth having, for KUMIHIMO_COLL_TABLE. Candidates take turns, so that what else happens on the machine meets all of them.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/family.hpp"
#include "base/hosts.hpp"
#include "base/settings.hpp"
#include "base/wait.hpp"
#include "collectives/selection.hpp"
#include "collectives/tune/candidates.hpp"
#include "collectives/tune/choice.hpp"

namespace {

using namespace kumihimo;
using namespace kumihimo::collectives;

struct Options {
    Bytes largest = 1 << 20;  // of a vector; of all blocks together
    int repetitions = 30;
    Bytes smallest = sizeof(double);
    bool all = false;  // what every candidate took, as comments
};

struct World {
    int rank = 0, ranks = 1;
    Placement placement{{0}};
    Torus torus;
    bool has_shape = false;
};

World find_world() {
    World world;
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
    world.placement = Placement(base::hosts_of(MPI_COMM_WORLD).host_of_rank);
    const std::string shape = base::setting("KUMIHIMO_COLL_SHAPE");
    world.has_shape = !shape.empty();
    world.torus = world.has_shape ? Torus::parse(shape) : Torus::line(world.ranks);
    if (world.torus.ranks() != world.ranks)
        throw base::Error("KUMIHIMO_COLL_SHAPE=" + shape + " has " + std::to_string(world.torus.ranks()) + " nodes, the job " +
                              std::to_string(world.ranks) + " ranks",
                          "Start as many ranks as the shape has nodes.");
    return world;
}

// samples[c]: seconds of candidate c.
std::vector<std::vector<double>> measure(tune::Trial& trial, int repetitions) {
    std::vector<std::vector<double>> samples(trial.candidates().size());
    for (int i = -2; i < repetitions; ++i)  // the first two warm up
        for (std::size_t candidate = 0; candidate < samples.size(); ++candidate) {
            const double seconds = trial.measure(trial.candidates()[candidate]);
            if (i >= 0) samples[candidate].push_back(seconds);
        }
    return samples;
}

void print_medians(const tune::Trial& trial, std::vector<std::vector<double>> samples, const char* operation, Bytes bytes) {
    std::printf("# %s %lld:", operation, static_cast<long long>(bytes));
    for (std::size_t candidate = 0; candidate < samples.size(); ++candidate) {
        std::vector<double>& seconds = samples[candidate];
        std::sort(seconds.begin(), seconds.end());
        const Algorithm* const algorithm = trial.candidates()[candidate];
        std::printf(" %s %.2f", algorithm == nullptr ? "native" : algorithm->name, seconds[seconds.size() / 2] * 1e6);
    }
    std::printf(" us\n");
}

// The rule for these sizes, if any algorithm is worth it.
std::optional<Rule> tune_size(Operation operation, const tune::Sizes& sizes, const World& world, const Options& options) {
    tune::Trial trial(operation, sizes.bytes, MPI_COMM_WORLD, world.torus, world.placement);
    const std::vector<std::vector<double>> samples = measure(trial, options.repetitions);
    if (options.all && world.rank == 0)
        print_medians(trial, samples, name_of(operation), size_in_rules(operation, sizes.bytes, world.ranks));
    const tune::Choice choice = tune::choose(samples);
    if (choice.candidate == 0) return std::nullopt;
    Rule rule = tune::rule_for(operation, sizes, world.ranks, world.placement.hosts());
    if (world.has_shape) rule.shape = world.torus;
    rule.algorithm = trial.candidates()[static_cast<std::size_t>(choice.candidate)];
    rule.score = std::clamp(static_cast<int>(native_score * choice.gain), native_score + 1, user_score - 1);
    return rule;
}

void tune_all(const Options& options, const World& world) {
    if (world.rank == 0)
        std::printf("# kumihimo-coll-tune: %s, %d ranks on %d hosts; where there is no rule, native is as good or better\n",
                    base::family_name(), world.ranks, world.placement.hosts());
    for (int i = 0; i < operations; ++i) {
        const auto operation = static_cast<Operation>(i);
        const bool whole =
            operation == Operation::broadcast || operation == Operation::reduce || operation == Operation::allreduce;
        const Bytes largest = whole ? options.largest : options.largest / world.ranks;
        for (Bytes bytes = options.smallest; bytes <= largest; bytes *= 4) {
            const bool once = operation == Operation::barrier;
            const auto rule = tune_size(operation, once ? tune::Sizes{0, 1} : tune::Sizes{bytes, 4 * bytes}, world, options);
            if (rule && world.rank == 0) std::printf("%s\n", text(*rule).c_str());
            std::fflush(stdout);
            if (once) break;
        }
    }
}

constexpr const char* usage =
    "usage: mpiexec -n N kumihimo-coll-tune [--all] [LARGEST_BYTES [REPETITIONS [SMALLEST_BYTES]]] > TABLE\n"
    "Prints rules for KUMIHIMO_COLL_TABLE; KUMIHIMO_COLL_SHAPE is the network's shape. --all: and as comments what every\n"
    "algorithm took.\n";

std::optional<Options> read_options(int argc, char** argv) {
    Options options;
    if (argc > 1 && std::strcmp(argv[1], "--all") == 0) {
        options.all = true;
        --argc, ++argv;
    }
    if (argc > 1) options.largest = std::atoll(argv[1]);
    if (argc > 2) options.repetitions = std::atoi(argv[2]);
    if (argc > 3) options.smallest = std::atoll(argv[3]) / 8 * 8;
    if (argc > 4 || options.smallest < 8 || options.largest < 8 || options.largest > (1 << 30) || options.repetitions < 4)
        return std::nullopt;
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = read_options(argc, argv);
    if (!options) return std::fputs(usage, stderr), 2;
    MPI_Init(&argc, &argv);
    base::set_waiting(base::processes_here().value_or(1), base::processors_online());
    int status = 0;
    try {
        tune_all(*options, find_world());
    } catch (const base::Error& error) {  // all ranks have the same
        std::fprintf(stderr, "kumihimo-coll-tune: %s\n  %s\n", error.what(), error.advice().c_str());
        status = 1;
    }
    MPI_Finalize();
    return status;
}
