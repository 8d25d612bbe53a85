#include "bench/measure/budget.hpp"

#include "bench/measure/clock.hpp"

namespace kumihimo::bench {

Budget::Budget(double seconds, int operations, MPI_Comm comm)
    : end_us_(local_us() + seconds * 1e6), operations_(operations), limited_(seconds > 0), comm_(comm) {}

void Budget::next_operation() {
    const double now = local_us();
    share_end_us_ = now + (end_us_ - now) / operations_--;
}

bool Budget::is_spent() const {
    if (!limited_) return false;
    int spent = local_us() >= share_end_us_;
    MPI_Bcast(&spent, 1, MPI_INT, 0, comm_);
    return spent != 0;
}

}  // namespace kumihimo::bench
