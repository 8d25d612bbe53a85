// Halo exchange of a 2-D block between neighbours: reflect against hand-written MPI with derived datatypes and with packing.
// One launch measures every case and prints its records; bench/reflect.py runs several and compares.
//   mpiexec -n 2 bench_reflect_openmpi [SECONDS FOR EACH CASE]
#include <mpi.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "bench/turns.hpp"
#include "kumihimo/generated.h"

namespace {

int rank = 0, size = 1;

struct Case {
    bool column;        // the halo is a column (strided) instead of a row
    XMP_Index bytes;    // of the halo on each side
    int element_bytes;  // 4: float, 8: double
    XMP_Index elements() const { return bytes / element_bytes; }
    static constexpr XMP_Index thickness = 32;  // own elements across the halo, on each node
};

// The block of one node, as generated code sees it: one shadow element on each side across the halo.
struct Block {
    XMP_Nodes* nodes;
    XMP_Template* target;
    XMP_Array* array;
    const Case& what;

    explicit Block(const Case& one) : what(one) {
        const XMP_Index everyone = size, across = one.thickness * size;
        nodes = XMP_Nodes_declare(XMP_SITE("nodes p"), "p", XMP_ROW_MAJOR, 1, &everyone, XMP_NODES_ENTIRE, nullptr);
        const XMP_Bounds line = {0, across - 1};
        target = XMP_Template_declare(XMP_SITE("template t"), "t", XMP_ROW_MAJOR, 1, &line);
        const XMP_Format format = XMP_FORMAT_BLOCK(0, 0);
        XMP_Distribute(XMP_SITE("distribute t"), target, nodes, &format);
        const int distributed = one.column ? 1 : 0;
        XMP_Bounds bounds[2];
        XMP_Align align[2] = {{-1, 0}, {-1, 0}};
        XMP_Width shadow[2] = {{0, 0, 0}, {0, 0, 0}};
        bounds[distributed] = line;
        bounds[1 - distributed] = {0, one.elements() - 1};
        align[distributed] = {0, 0};
        shadow[distributed] = {1, 1, 0};
        array = XMP_Array_declare(XMP_SITE("align a"), "a", XMP_ROW_MAJOR,
                                  one.element_bytes == 4 ? XMP_TYPE_FLOAT : XMP_TYPE_DOUBLE,
                                  static_cast<std::size_t>(one.element_bytes), 2, bounds, target, align, shadow);
    }
    ~Block() {
        XMP_Array_release(&array);
        XMP_Template_release(&target);
        XMP_Nodes_release(&nodes);
    }
    char* line(XMP_Index k) const {  // k-th allocated row or column
        return static_cast<char*>(array->base) + k * (what.column ? what.element_bytes : what.bytes);
    }
};

void exchange_lines(const Block& block, MPI_Datatype type, int count) {
    MPI_Request requests[4];
    int n = 0;
    const XMP_Index last = Case::thickness;
    if (rank > 0) MPI_Irecv(block.line(0), count, type, rank - 1, 1, MPI_COMM_WORLD, &requests[n++]);
    if (rank < size - 1) MPI_Irecv(block.line(last + 1), count, type, rank + 1, 2, MPI_COMM_WORLD, &requests[n++]);
    if (rank > 0) MPI_Isend(block.line(1), count, type, rank - 1, 2, MPI_COMM_WORLD, &requests[n++]);
    if (rank < size - 1) MPI_Isend(block.line(last), count, type, rank + 1, 1, MPI_COMM_WORLD, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

template <typename T>
void exchange_packed(const Block& block, std::vector<char>& buffer) {
    const XMP_Index count = block.what.elements(), stride = Case::thickness + 2, last = Case::thickness;
    T* const out[2] = {reinterpret_cast<T*>(buffer.data()), reinterpret_cast<T*>(buffer.data()) + count};
    T* const in[2] = {out[1] + count, out[1] + 2 * count};
    const int neighbour[2] = {rank - 1, rank + 1 < size ? rank + 1 : -1};
    T* const inner[2] = {reinterpret_cast<T*>(block.line(1)), reinterpret_cast<T*>(block.line(last))};
    T* const outer[2] = {reinterpret_cast<T*>(block.line(0)), reinterpret_cast<T*>(block.line(last + 1))};
    MPI_Request requests[4];
    int n = 0;
    for (int side = 0; side < 2; ++side)
        if (neighbour[side] >= 0)
            MPI_Irecv(in[side], static_cast<int>(block.what.bytes), MPI_BYTE, neighbour[side], 1, MPI_COMM_WORLD,
                      &requests[n++]);
    for (int side = 0; side < 2; ++side)
        if (neighbour[side] >= 0) {
            for (XMP_Index i = 0; i < count; ++i) out[side][i] = inner[side][i * stride];
            MPI_Isend(out[side], static_cast<int>(block.what.bytes), MPI_BYTE, neighbour[side], 1, MPI_COMM_WORLD,
                      &requests[n++]);
        }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    for (int side = 0; side < 2; ++side)
        if (neighbour[side] >= 0)
            for (XMP_Index i = 0; i < count; ++i) outer[side][i * stride] = in[side][i];
}

void measure(const Case& one, double seconds) {
    const Block block(one);
    std::vector<char> buffer(static_cast<std::size_t>(4 * one.bytes));
    MPI_Datatype element = one.element_bytes == 4 ? MPI_FLOAT : MPI_DOUBLE, line;
    if (one.column)
        MPI_Type_vector(static_cast<int>(one.elements()), 1, static_cast<int>(Case::thickness) + 2, element, &line);
    else
        MPI_Type_contiguous(static_cast<int>(one.elements()), element, &line);
    MPI_Type_commit(&line);
    XMP_Array* const arrays[] = {block.array};
    const auto reflect = [&] { XMP_Reflect(XMP_SITE("reflect (a)"), 1, arrays, nullptr, 0, nullptr); };
    std::vector<bench::Variant> variants = {{"reflect", reflect}, {"datatype", [&] { exchange_lines(block, line, 1); }}};
    if (one.column && one.element_bytes == 4) variants.push_back({"packing", [&] { exchange_packed<float>(block, buffer); }});
    if (one.column && one.element_bytes == 8) variants.push_back({"packing", [&] { exchange_packed<double>(block, buffer); }});
    variants.push_back({"reflect again", reflect});  // the A/A control
    const std::string name = std::string(one.column ? "column" : "row") + (one.element_bytes == 4 ? ", float" : ", double");
    bench::take_turns(name.c_str(), one.bytes, variants, seconds);
    MPI_Type_free(&line);
}

}  // namespace

int main(int argc, char** argv) {
    XMP_Start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double seconds = argc > 1 ? std::atof(argv[1]) : 0.2;
    for (const bool column : {false, true})
        for (const int element_bytes : {4, 8})
            for (const XMP_Index bytes : {8, 64, 512, 4096, 16384, 65536, 262144, 1048576})
                if (column || element_bytes == 8) measure({column, bytes, element_bytes}, seconds);
    if (rank == 0) bench_end();
    return 0;
}
