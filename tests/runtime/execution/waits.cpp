// Nodes that wait for what never comes, in the way that the argument names, and calls that last but are no waits; waits.py
// looks at what the watchdog tells. Written as generated code is.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "kumihimo/localview.h"
#include "kumihimo/xmp.h"
#include "kumihimo/xmp_io.h"
#include "runtime/execution/watchdog.hpp"

extern "C" int xmpnc_open_all(const char* path, int mode, int* number) __attribute__((weak));  // where there is a PnetCDF

namespace {

XMP_Nodes* p;
XMP_Coarray* lock_object;

XMP_On node(const XMP_Range& subscript) {
    return {p, 1, &subscript};
}

void declare() {
    const XMP_Index size = XMP_REMAINING;
    p = XMP_Nodes_declare(XMP_SITE("nodes p[*]"), "p", XMP_ROW_MAJOR, 1, &size, XMP_NODES_ENTIRE, nullptr);
    lock_object = XMP_Coarray_declare("lock_object", sizeof(xmp_lock_t), nullptr);
}

void declare_array() {  // allocates by MPI's collective operations
    const XMP_Bounds bounds = {0, 99};
    const XMP_Format format = XMP_FORMAT_BLOCK(0, 0);
    const XMP_Align align = {0, 0};
    XMP_Template* const t = XMP_Template_declare(XMP_SITE("template t[100]"), "t", XMP_ROW_MAJOR, 1, &bounds);
    XMP_Distribute(XMP_SITE("distribute t[block] onto p"), t, p, &format);
    XMP_Array_declare(XMP_SITE("align a[i] with t[i]"), "a", XMP_ROW_MAJOR, XMP_TYPE_INT, sizeof(int), 1, &bounds, t, &align,
                      nullptr);
}

void task_of_half() {
    const XMP_Range half = XMP_FROM_TO(0, xmp_all_num_nodes() / 2, 1), first = XMP_AT(0);
    const XMP_On members = node(half), lone = node(first);
    XMP_Task task = XMP_Task_prepare(XMP_SITE("task on p[0:n/2]"), &members, 0);
    if (XMP_Task_enter(&task)) {
        XMP_Task inner = XMP_Task_prepare(XMP_SITE("task on p[0]"), &lone, 0);
        XMP_Task_enter(&inner);
        XMP_Task_leave(&inner);
        if (xmpc_all_node_num() == 0) XMP_Barrier(XMP_SITE("barrier"), nullptr);
    }
    XMP_Task_leave(&task);
    XMP_Barrier(XMP_SITE("barrier"), nullptr);
}

void lock(int image) {
    XMP_Lock(XMP_SITE("lock(lock_object:[0])"), lock_object, image, lock_object->base, nullptr, nullptr);
}

constexpr auto longer_than_patience = std::chrono::seconds(5);  // of waits.py

void call_often() {
    const auto end = std::chrono::steady_clock::now() + longer_than_patience;
    for (int more = 1; more;) {
        more = xmpc_all_node_num() == 0 && std::chrono::steady_clock::now() < end;
        const XMP_Range first = XMP_AT(0);
        const XMP_On from = node(first);
        XMP_Bcast(XMP_SITE("bcast(more) from p[0]"), &more, sizeof more, &from, nullptr, nullptr);
        usleep(1000);
    }
}

void work_at_length() {
    const XMP_Site* const site = XMP_SITE("work");
    const kumihimo::execution::Visit visit(site, kumihimo::execution::Visiting::at_length);
    std::this_thread::sleep_for(longer_than_patience);
}

bool act(const std::string& how, int me, int last) {
    const XMP_Range first = XMP_AT(0);
    const XMP_On first_node = node(first);
    if (how == "often") return call_often(), true;
    if (how == "length") return work_at_length(), true;
    if (how == "barrier") {
        if (me == last) sleep(60);
        XMP_Barrier(XMP_SITE("barrier"), nullptr);
    } else if (how == "allocation") {
        if (me == last) sleep(60);
        declare_array();
    } else if (how == "mismatch") {
        XMP_Barrier(XMP_SITE("barrier"), nullptr);  // the first one allocates, too
        if (me == last)
            declare_array();
        else
            XMP_Barrier(XMP_SITE("barrier"), nullptr);
    } else if (how == "stopped") {
        if (me == 0) raise(SIGSTOP);
        XMP_Barrier(XMP_SITE("barrier"), nullptr);
    } else if (how == "task") {
        task_of_half();
    } else if (how == "lock") {
        if (me == 0) lock(0);
        XMP_Barrier(XMP_SITE("barrier"), nullptr);
        if (me != 0) lock(0);
        XMP_Barrier(XMP_SITE("barrier"), nullptr);
    } else if (how == "post") {
        const int tag = 5;
        if (me == last) XMP_Wait(XMP_SITE("wait(p[0], 5)"), &first_node, &tag);
        XMP_Barrier(XMP_SITE("barrier"), nullptr);
    } else if (how == "images") {
        xmp_sync_all(nullptr);
        XMP_Call(XMP_CODE("xmp_sync_image"));
        if (me == last) xmp_sync_image(0, nullptr);
        sleep(60);
    } else if (how == "file") {
        if (me != last) xmp_fopen_all("/dev/null", "r");
    } else if (how == "netcdf") {
        int number = 0;
        if (xmpnc_open_all == nullptr) std::_Exit(77);
        if (me != last) xmpnc_open_all("/dev/null", 0, &number);
    } else {
        return false;
    }
    return true;
}

XMP_Unit unit = {XMP_ABI_VERSION, __FILE__, declare, nullptr, nullptr};

}  // namespace

int main(int argc, char** argv) {
    XMP_local_view = 1;
    XMP_Register(&unit);
    XMP_Start(&argc, &argv);
    const std::string how = argc > 1 ? argv[1] : "";
    if (act(how, xmpc_all_node_num(), xmp_all_num_nodes() - 1)) return 0;
    std::fprintf(stderr, "waits.cpp: unknown way %s\n", how.c_str());
    return 99;
}
