#include "base/communicator.hpp"

#include "base/attribute.hpp"
#include "base/completion.hpp"
#include "base/finalize.hpp"
#include "base/log.hpp"
#include "base/made.hpp"

namespace kumihimo::base {

namespace {

// When MPI ends, after all that was registered for that later: nobody makes any more.
void tell() {
    log(log_start, "made {} and {}", counted(made().communicators, "communicator"), counted(made().segments, "shared segment"));
}

void count_one() {
    ++made().communicators;
    if (!made().told_of.exchange(true)) at_finalize(tell);
}

// By a wait in which this rank helps others; not by MPI's own, which keeps the processor.
template <typename Complete>
MPI_Comm copied(MPI_Comm comm, Complete&& complete_request) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request;
    count_one();
    if (MPI_Comm_idup(comm, &copy, &request) != MPI_SUCCESS) return MPI_COMM_NULL;
    complete_request(request);
    return copy;
}

struct Nearness {
    bool all;
};

}  // namespace

std::shared_ptr<Communicator> Communicator::of(MPI_Comm comm) {
    using Held = std::shared_ptr<Communicator>;
    if (const Held* const known = Attribute<Held>::of(comm)) return *known;
    return Attribute<Held>::keep(comm, std::make_unique<Held>(new Communicator(base::copy_of(comm))));
}

std::shared_ptr<Communicator> Communicator::copy_of(const Communicator& original) {
    // A wait for stuck ranks sends nothing over the program's communicator.
    const MPI_Comm copy = copied(original, [&](MPI_Request& request) { complete(request, original); });
    return std::shared_ptr<Communicator>(new Communicator(copy));
}

Communicator::~Communicator() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Comm_free(&copy_);
}

// Not by complete(), which may speak over the program's communicator.
MPI_Comm copy_of(MPI_Comm comm) {
    return copied(comm, complete_in_any_time);
}

MPI_Comm part_of(MPI_Comm whole, MPI_Group processes, int tag) {
    MPI_Comm part = MPI_COMM_NULL;
    count_one();
    MPI_Comm_create_group(whole, processes, tag, &part);
    return part;
}

bool on_one_machine(MPI_Comm comm) {
    if (const Nearness* const known = Attribute<Nearness>::of(comm)) return known->all;
    MPI_Comm here = MPI_COMM_NULL;
    int ranks = 0, ranks_here = 0;
    count_one();
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_size(here, &ranks_here);
    MPI_Comm_free(&here);
    // The same everywhere: where one rank has all others beside it, each has.
    return Attribute<Nearness>::keep(comm, std::make_unique<Nearness>(ranks_here == ranks)).all;
}

}  // namespace kumihimo::base
