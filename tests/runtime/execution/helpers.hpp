// What the tests of this room share: short forms of declarations, and the message of an error.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "runtime/execution/objects.hpp"

namespace kumihimo::execution::testing {

inline int size() {
    return Context::get().world_size();
}
inline int rank() {
    return Context::get().world_rank();
}

inline std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const base::Error& error) {
        return error.what();
    }
    return "";
}

// Releases at the end of the scope, as generated code does.
struct Nodes {
    XMP_Nodes* p;
    explicit Nodes(std::vector<XMP_Index> sizes, int order = XMP_ROW_MAJOR, int of = XMP_NODES_ENTIRE,
                   const XMP_On* part = nullptr)
        : p(declare_nodes("p", order, static_cast<int>(sizes.size()), sizes.data(), of, part)) {}
    Nodes(const Nodes&) = delete;
    ~Nodes() { XMP_Nodes_release(&p); }
    operator XMP_Nodes*() const { return p; }
    XMP_Nodes* operator->() const { return p; }
};

struct Template {
    XMP_Template* t;
    explicit Template(std::vector<XMP_Bounds> bounds, int order = XMP_ROW_MAJOR)
        : t(declare_template("t", order, static_cast<int>(bounds.size()), bounds.data())) {}
    Template(int rank, int order) : t(declare_template("t", order, rank, nullptr)) {}
    Template(std::vector<XMP_Bounds> bounds, XMP_Nodes* nodes, std::vector<XMP_Format> formats) : Template(std::move(bounds)) {
        distribute(*t, *nodes, formats.data());
    }
    Template(const Template&) = delete;
    ~Template() { XMP_Template_release(&t); }
    operator XMP_Template*() const { return t; }
    XMP_Template* operator->() const { return t; }
};

struct GlobalArray {
    XMP_Array* a;
    GlobalArray(XMP_Template* target, std::vector<XMP_Bounds> bounds, std::vector<XMP_Align> align,
                std::vector<XMP_Width> shadow = {}, int order = XMP_ROW_MAJOR)
        : a(declare_array({"a", order, XMP_TYPE_DOUBLE, sizeof(double), static_cast<int>(align.size()),
                           bounds.empty() ? nullptr : bounds.data(), target, align.data(),
                           shadow.empty() ? nullptr : shadow.data()})) {}
    GlobalArray(const GlobalArray&) = delete;
    ~GlobalArray() { XMP_Array_release(&a); }
    operator XMP_Array*() const { return a; }
    Array* operator->() const { return static_cast<Array*>(a); }
};

}  // namespace kumihimo::execution::testing
