// GASNet by hand: put and get, VIS, and an active message whose handler adds. It has been started by the transport.
#include <gasnet_vis.h>
#include <gasnetex.h>
#include <mpi.h>

#include <algorithm>

#include "runtime/transport/gasnet/job.hpp"
#include "runtime/transport/transport.hpp"
#include "transport_hand.hpp"

extern "C" const kumihimo::transport::Module kumihimo_transport;

namespace bench {

namespace {

using kumihimo::transport::gasnet::Job;
enum Handler : gex_AM_Index_t { add_request = 250, add_reply };

double* target_memory = nullptr;  // at each process: where others add
int under_way = 0;

void on_add(gex_Token_t token, void* message, std::size_t bytes, gex_AM_Arg_t first) {
    const double* const from = static_cast<const double*>(message);
    for (std::size_t i = 0; i < bytes / sizeof(double); ++i) target_memory[static_cast<std::size_t>(first) + i] += from[i];
    gex_AM_ReplyShort0(token, add_reply, 0);
}
void on_added(gex_Token_t) {
    --under_way;
}

class Gasnet final : public Hand {
public:
    explicit Gasnet(int target) : job_(Job::start(MPI_COMM_WORLD, nullptr, 0)), number_(job_.number(target)) {
        gex_AM_Entry_t handlers[] = {
            {add_request, reinterpret_cast<gex_AM_Fn_t>(on_add), GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 1, nullptr, "add"},
            {add_reply, reinterpret_cast<gex_AM_Fn_t>(on_added), GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 0, nullptr, "added"}};
        gex_EP_RegisterHandlers(gex_TM_QueryEP(job_.team()), handlers, 2);
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        const std::size_t offset = job_.take(2 * largest);
        far_ = reinterpret_cast<double*>(job_.segment(target) + offset);
        target_memory = reinterpret_cast<double*>(job_.segment(rank) + offset);
        std::fill_n(target_memory, 2 * largest / sizeof(double), 0.0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    void put(const double* from, std::size_t bytes) override {
        gex_RMA_PutBlocking(job_.team(), number_, far_, const_cast<double*>(from), bytes, 0);
    }
    void get(double* to, std::size_t bytes) override { gex_RMA_GetBlocking(job_.team(), to, number_, far_, bytes, 0); }
    void put_strided(const double* from) override {
        const std::ptrdiff_t stride = block_stride * sizeof(double);
        const std::size_t count = blocks;
        gex_VIS_StridedPutBlocking(job_.team(), number_, far_, &stride, const_cast<double*>(from), &stride, sizeof(double),
                                   &count, 1, 0);
    }
    void accumulate(const double* from) override {
        const int most = static_cast<int>(gex_AM_LUBRequestMedium() / sizeof(double));
        for (int first = 0; first < doubles; first += most) {
            ++under_way;
            gex_AM_RequestMedium1(job_.team(), number_, add_request, const_cast<double*>(from) + first,
                                  static_cast<std::size_t>(std::min(most, doubles - first)) * sizeof(double), GEX_EVENT_NOW, 0,
                                  first);
        }
        GASNET_BLOCKUNTIL(under_way == 0);
    }

private:
    Job& job_;
    gex_Rank_t number_;
    double* far_ = nullptr;
};

}  // namespace

// The module is part of this program.
[[gnu::constructor]] static void bring() {
    kumihimo_add_transport(&kumihimo_transport);
}

std::unique_ptr<Hand> make_hand(int target) {
    return std::make_unique<Gasnet>(target);
}

}  // namespace bench
