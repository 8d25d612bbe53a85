#include "base/communicator.hpp"

#include <atomic>

#include "base/attribute.hpp"
#include "base/completion.hpp"

namespace kumihimo::base {

namespace {

std::atomic<int> copied = 0;

}  // namespace

std::shared_ptr<Communicator> Communicator::of(MPI_Comm comm) {
    using Held = std::shared_ptr<Communicator>;
    if (const Held* const known = Attribute<Held>::of(comm)) return *known;
    return Attribute<Held>::keep(comm, std::make_unique<Held>(new Communicator(comm)));
}

std::shared_ptr<Communicator> Communicator::copy_of(const Communicator& original) {
    const std::shared_ptr<Communicator> made(new Communicator);
    MPI_Request request;
    MPI_Comm_idup(original, &made->copy_, &request);
    ++copied;
    complete(request, original);  // a wait for stuck ranks sends nothing over the program's communicator
    return made;
}

// Not by complete(), which may speak over the program's communicator; nor by MPI's own wait, which keeps the processor.
Communicator::Communicator(MPI_Comm comm) {
    MPI_Request request;
    MPI_Comm_idup(comm, &copy_, &request);
    ++copied;
    complete_in_any_time(request);
}

Communicator::~Communicator() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Comm_free(&copy_);
}

MPI_Comm copy_of(MPI_Comm comm) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request;
    MPI_Comm_idup(comm, &copy, &request);
    ++copied;
    complete_in_any_time(request);
    return copy;
}

int communicators_copied() {
    return copied;
}

}  // namespace kumihimo::base
