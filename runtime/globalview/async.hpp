// The async clause (specification 4.5.6, 4.5.7): operations that were begun and are completed by wait_async or found complete
// by xmp_test_async. An async-id names a list of them for each node set (decisions COM-11, COM-12).
#pragma once

#include <memory>

#include "base/wait.hpp"
#include "runtime/execution/objects.hpp"

namespace kumihimo::globalview {

class Pending {
public:
    virtual ~Pending() = default;
    virtual bool test() = 0;  // makes progress; true once complete
    virtual void wait() = 0;
};

class Request final : public Pending {  // a nonblocking MPI operation
public:
    explicit Request(MPI_Request request) : request_(request) {}
    bool test() override {
        int done = 0;
        MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
        return done != 0;
    }
    void wait() override {
        base::wait_until([this] { return test(); });
    }  // yields, as MPI_Wait does not everywhere

private:
    MPI_Request request_;
};

// `set`: that of the directive's on clause. The executing set is noted too: wait_async may name either.
void begin(int id, const execution::NodeSetPointer& set, std::unique_ptr<Pending> operation);
// In the order in which they were begun. An unknown id is ignored.
void wait_for(int id, const execution::NodeSetPointer& set);
bool test(int id, const execution::NodeSetPointer& set);

}  // namespace kumihimo::globalview
