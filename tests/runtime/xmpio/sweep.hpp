// The file system's calls fail one after the other: the injector of tests/faults, where it is preloaded (faults.py).
#pragma once

#include <dlfcn.h>

#include <string>

#include "layout.hpp"

namespace layout {

struct Injector {
    int (*arm)(const char*) = reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_DEFAULT, "kumihimo_faults_arm"));
    long (*injected)() = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "kumihimo_faults_injected"));
};

// attempt(disarm) with the k-th call of these failing, for each k, on the first and on the last node.
template <typename Attempt>
void sweep(const Injector& injector, const std::string& calls, Attempt&& attempt) {
    for (const int node : {0, node_count() - 1})
        for (int k = 1;; ++k) {
            const std::string rule = calls + ",rank=" + std::to_string(node) + ",error=EIO,k=" + std::to_string(k);
            int mine = 0, all = 0;
            const auto disarm = [&] {
                mine += static_cast<int>(injector.injected());
                injector.arm("");
            };
            injector.arm(rule.c_str());
            attempt(disarm);
            disarm();
            MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            if (all == 0) break;
            ASSERT_LT(k, 100) << rule;
        }
}

}  // namespace layout
