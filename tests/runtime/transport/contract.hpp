// What the contract tests share: the member under test (KUMIHIMO_TRANSPORT), made once for all of them.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/family.hpp"
#include "base/settings.hpp"
#include "base/wait.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/transport/transport.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::transport {

inline MPI_Comm comm() {
    return execution::Context::get().world_communicator();
}
inline int rank() {
    return execution::Context::get().world_rank();
}
inline int size() {
    return execution::Context::get().world_size();
}
using support::long_form;
inline Correspondence run_of(std::size_t bytes) {
    return Correspondence(static_cast<sets::Index>(bytes));
}

class Contract : public testing::Test {
protected:
    static void SetUpTestSuite() {
        name_ = base::setting("KUMIHIMO_TRANSPORT");
        missing_.clear();
        for (const Member& member : members())
            if (member.name == name_) missing_ = member.missing;
        if (missing_.empty()) transport_ = make("", comm());
    }
    static void TearDownTestSuite() { transport_.reset(); }
    void SetUp() override {
        if (!transport_) GTEST_SKIP() << "transport " << name_ << ": " << missing_;
    }

    static Transport& transport() { return *transport_; }
    static const std::string& name() { return name_; }
    // All images have put, and see it.
    static void synchronise() {
        transport().fence();
        barrier();
        transport().fence();
    }
    // Others may need this image's help until they arrive.
    static void barrier(MPI_Comm members = comm()) {
        MPI_Request request;
        MPI_Ibarrier(members, &request);
        base::wait_until([&] {
            int done = 0;
            transport().poll();
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            return done != 0;
        });
    }

private:
    static inline std::unique_ptr<Transport> transport_;
    static inline std::string name_, missing_;
};

}  // namespace kumihimo::transport
