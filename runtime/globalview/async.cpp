#include "runtime/globalview/async.hpp"

#include <list>

#include "kumihimo/xmp.h"

namespace kumihimo::globalview {

namespace {

struct Entry {
    int id;
    execution::NodeSetPointer set, executing;
    std::unique_ptr<Pending> operation;

    bool matches(int wanted, const execution::NodeSetPointer& on) const {
        return id == wanted && (set == on || executing == on || set->same_ranks(*on));
    }
};

std::list<Entry>& entries() {
    static auto& list = *new std::list<Entry>;  // operations nobody waited for end with the process, not after MPI
    return list;
}

}  // namespace

void begin(int id, const execution::NodeSetPointer& set, std::unique_ptr<Pending> operation) {
    entries().push_back({id, set, execution::Context::get().executing(), std::move(operation)});
}

void wait_for(int id, const execution::NodeSetPointer& set) {
    auto& list = entries();
    for (auto entry = list.begin(); entry != list.end();) {
        if (!entry->matches(id, set)) {
            ++entry;
            continue;
        }
        entry->operation->wait();
        entry = list.erase(entry);
    }
}

// Completed operations leave the table: a later wait_async then ignores the id.
bool test(int id, const execution::NodeSetPointer& set) {
    auto& list = entries();
    bool complete = true;
    for (auto entry = list.begin(); entry != list.end();) {
        if (!entry->matches(id, set)) {
            ++entry;
        } else if (entry->operation->test()) {
            entry = list.erase(entry);
        } else {
            complete = false;
            ++entry;
        }
    }
    return complete;
}

}  // namespace kumihimo::globalview

using namespace kumihimo;

void XMP_Wait_async(const XMP_Site* site, int count, const int* ids, const XMP_On* on) {
    execution::guarded(site, [&] {
        const execution::NodeSetPointer set = execution::Context::get().resolve(on);
        if (!set->member()) return;
        for (int i = 0; i < count; ++i) globalview::wait_for(ids[i], set);
    });
}

extern "C" int xmp_test_async(int id) {
    static const XMP_Site site = {nullptr, 0, "xmp_test_async"};
    return execution::guarded(&site, [&] { return globalview::test(id, execution::Context::get().executing()) ? 1 : 0; });
}
