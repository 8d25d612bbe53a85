// task and tasks (specification 4.4.1, 4.4.2): a part of the executing set runs a block and is the executing set meanwhile.
#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/execution/objects.hpp"

namespace kumihimo::execution {

namespace {

enum Entered { not_entered = 0, entered = 1, entered_without_communication = 2 };

XMP_Task prepare_task(const XMP_On* on, int flags) {
    const Context& context = Context::get();
    const NodeSetPointer set = context.resolve(on), executing = context.executing();
    if (!set->subset_of(*executing))
        throw base::Error(fmt::format("the task is on {}, of which not all are in the executing set of {}",
                                      base::counted(set->size(), "node"), base::counted(executing->size(), "node")),
                          "A task inside a task may name only nodes of the outer one.");
    // Sets live as long as the program: the plain pointer stays valid. The flag waits in `entered` until the entry.
    const bool silent = (flags & XMP_TASK_NOCOMM) != 0;
    return XMP_Task{const_cast<NodeSet*>(set.get()), set->member(), silent ? -entered_without_communication : not_entered};
}

}  // namespace

}  // namespace kumihimo::execution

using namespace kumihimo::execution;

extern "C" XMP_Task XMP_Task_prepare(const XMP_Site* site, const XMP_On* on, int flags) {
    return guarded(site, [&] {
        if (checking) Context::get().step(*site);
        return prepare_task(on, flags);
    });
}

extern "C" int XMP_Task_enter(XMP_Task* task) {
    if (!task->member) return 0;
    const bool silent = task->entered == -entered_without_communication;
    Context::get().push(static_cast<const NodeSet*>(task->set)->shared_from_this(), !silent);
    task->entered = silent ? entered_without_communication : entered;
    return 1;
}

extern "C" void XMP_Task_leave(XMP_Task* task) {
    if (task->entered <= 0) return;
    guarded(nullptr, [&] { Context::get().pop(); });
    task->entered = 0;
}
