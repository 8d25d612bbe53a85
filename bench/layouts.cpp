// Distributed arrays of doubles in files, one layout in a run: xmp_fwrite_darray_all and xmp_fread_darray_all beside MPI-IO
// with a darray view, and beside a node that gathers the array and moves it alone; and xmpnc beside PnetCDF by hand, where the
// MPI family has it. Prints its records.
//   bench_layouts block|cyclic|cyclic4|gblock|plane|box ELEMENTS REPETITIONS DIRECTORY [VARIANT...]
// "xmp by MPI" is XMP-IO over the MPI library (KUMIHIMO_IO=mpi); "by hand again" the hand-written program a second time (A/A).
// Times include opening and closing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "bench/distributed_array.hpp"
#include "bench/turns.hpp"
#include "kumihimo/xmp_io.h"
#ifdef BENCH_NETCDF
#include "bench/layouts_netcdf.hpp"
#endif

namespace {

struct Layout {
    const char* name;
    int rank;
    int format, width;  // of each dimension
};
constexpr Layout layouts[] = {{"block", 1, XMP_BLOCK, 0},   {"cyclic", 1, XMP_CYCLIC, 1}, {"cyclic4", 1, XMP_CYCLIC, 4},
                              {"gblock", 1, XMP_GBLOCK, 0}, {"plane", 2, XMP_BLOCK, 0},   {"box", 3, XMP_BLOCK, 0}};

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "bench_layouts: %s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// The shape of the array and of the nodes, and what each node owns as a datatype over the whole array.
struct Shape {
    std::vector<int> extents, grid;
    std::vector<int> sizes;  // of gblock: node k has k + 1 shares
    std::vector<MPI_Datatype> types;

    Shape(const Layout& layout, long long elements, int nodes) : extents(layout.rank), grid(layout.rank), sizes(nodes) {
        MPI_Dims_create(nodes, layout.rank, grid.data());
        const double side = std::pow(static_cast<double>(elements), 1.0 / layout.rank);
        std::fill(extents.begin(), extents.end(), static_cast<int>(std::llround(side)));
        const int shares = nodes * (nodes + 1) / 2;
        for (int node = 0, first = 0; node < nodes; ++node) {
            sizes[node] = node + 1 < nodes ? static_cast<int>((node + 1LL) * extents[0] / shares) : extents[0] - first;
            types.push_back(layout.format == XMP_GBLOCK ? gblock(first, sizes[node]) : darray(layout, node, nodes));
            first += sizes[node];
        }
    }
    std::size_t whole() const { return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>()); }
    std::size_t own(int node) const {
        int bytes = 0;
        MPI_Type_size(types[node], &bytes);
        return static_cast<std::size_t>(bytes) / sizeof(double);
    }

private:
    MPI_Datatype gblock(int first, int size) const {
        MPI_Datatype type;
        MPI_Type_create_subarray(1, extents.data(), &size, &first, MPI_ORDER_C, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        return type;
    }
    MPI_Datatype darray(const Layout& layout, int node, int nodes) const {
        const bool block = layout.format == XMP_BLOCK;
        const std::vector<int> kinds(layout.rank, block ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC);
        const std::vector<int> widths(layout.rank, block ? MPI_DISTRIBUTE_DFLT_DARG : layout.width);
        MPI_Datatype type;
        MPI_Type_create_darray(nodes, node, layout.rank, extents.data(), kinds.data(), widths.data(), grid.data(), MPI_ORDER_C,
                               MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        return type;
    }
};

class Program {
public:
    Program(const Layout& layout, long long elements)
        : layout_(layout),
          nodes_(size()),
          me_(rank()),
          shape_(layout, elements, nodes_),
          array_({shape_.grid.begin(), shape_.grid.end()}, {shape_.extents.begin(), shape_.extents.end()}, dimensions(layout),
                 [&](int d) { return format_of(layout, d); }),
          block_(shape_.own(me_), 1.0),
          control_(block_),
          whole_(me_ == 0 ? shape_.whole() : 0, 1.0) {
        std::copy(block_.begin(), block_.end(), array_.block());
    }

    // only: the variants that are measured, among them PnetCDF where xmpnc is; none: all.
    void compare(const std::string& stem, int repetitions, const std::set<std::string>& only) {
        const long long bytes = static_cast<long long>(shape_.whole() * sizeof(double));
        for (const bool writes : {true, false}) {
            const auto path = [&](const char* suffix) { return writes ? stem + suffix : stem + "h"; };  // all read one file
            if (!writes && !only.empty()) by_xmp(path("h"), "direct", true);
            std::vector<bench::Variant> variants;
            const auto add = [&](const char* name, const std::string& file, auto run) {
                variants.push_back({name, [=] { run(file); }, writes ? file : ""});
            };
            add("by hand", path("h"), [=, this](const std::string& file) { by_hand(file, block_, writes); });
            add("by hand again", path("c"), [=, this](const std::string& file) { by_hand(file, control_, writes); });
            add("xmp", path("x"), [=, this](const std::string& file) { by_xmp(file, "direct", writes); });
            add("xmp by MPI", path("m"), [=, this](const std::string& file) { by_xmp(file, "mpi", writes); });
            add("gathered", path("g"), [=, this](const std::string& file) { gathered(file, writes); });
            add_netcdf(add, stem, writes);
            if (!only.empty()) std::erase_if(variants, [&](const bench::Variant& one) { return !only.contains(one.name); });
            bench::take_random_turns(writes ? "write" : "read", bytes, variants, repetitions);
        }
    }

private:
    XMP_Format format_of(const Layout& layout, int d) const {
        if (layout.format == XMP_GBLOCK) return XMP_FORMAT_GBLOCK(d, nodes_, shape_.sizes.data());
        if (layout.format == XMP_BLOCK) return XMP_FORMAT_BLOCK(d, 0);
        return XMP_FORMAT_CYCLIC(d, XMP_Size(layout.width));
    }
    static int size() {
        int size = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        return size;
    }
    static int rank() {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        return rank;
    }
    static std::vector<int> dimensions(const Layout& layout) {
        std::vector<int> all(layout.rank);
        std::iota(all.begin(), all.end(), 0);
        return all;
    }

    void by_hand(const std::string& path, std::vector<double>& block, bool writes) const {
        MPI_File file;
        const int mode = writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY, count = static_cast<int>(block.size());
        require(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file) == MPI_SUCCESS, "open");
        if (writes) MPI_File_set_size(file, 0);
        MPI_File_set_view(file, 0, MPI_DOUBLE, shape_.types[me_], "native", MPI_INFO_NULL);
        const auto move = writes ? MPI_File_write_all(file, block.data(), count, MPI_DOUBLE, MPI_STATUS_IGNORE)
                                 : MPI_File_read_all(file, block.data(), count, MPI_DOUBLE, MPI_STATUS_IGNORE);
        require(move == MPI_SUCCESS, "transfer");
        MPI_File_close(&file);
    }

    // server: KUMIHIMO_IO while it runs; what is written by hand is the MPI library's.
    void by_xmp(const std::string& path, const char* server, bool writes) const {
        setenv("KUMIHIMO_IO", server, 1);
        xmp_file_t* const file = xmp_fopen_all(path.c_str(), writes ? "w" : "r");
        require(file != nullptr, "xmp_fopen_all");
        const auto moved =
            writes ? xmp_fwrite_darray_all(file, array_.array(), nullptr) : xmp_fread_darray_all(file, array_.array(), nullptr);
        require(moved >= 0 && xmp_fclose_all(file) == 0, "xmp_f..._darray_all");
        unsetenv("KUMIHIMO_IO");
    }

    // Between all nodes and the first one's copy of the array.
    void exchange(bool gathers) {
        std::vector<MPI_Request> requests(1);
        const int count = static_cast<int>(block_.size());
        const auto move = [&](bool sends, void* memory, int items, MPI_Datatype type, int node, MPI_Request& request) {
            if (sends)
                MPI_Isend(memory, items, type, node, 0, MPI_COMM_WORLD, &request);
            else
                MPI_Irecv(memory, items, type, node, 0, MPI_COMM_WORLD, &request);
        };
        move(gathers, block_.data(), count, MPI_DOUBLE, 0, requests[0]);
        for (int node = 0; me_ == 0 && node < nodes_; ++node)
            move(!gathers, whole_.data(), 1, shape_.types[node], node, requests.emplace_back());
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

    void gathered(const std::string& path, bool writes) {
        if (writes) exchange(true);
        if (me_ == 0) {
            FILE* const file = std::fopen(path.c_str(), writes ? "wb" : "rb");
            require(file != nullptr, "fopen");
            const std::size_t moved = writes ? std::fwrite(whole_.data(), sizeof(double), whole_.size(), file)
                                             : std::fread(whole_.data(), sizeof(double), whole_.size(), file);
            require(std::fclose(file) == 0 && moved == whole_.size(), "transfer");
        }
        if (!writes) exchange(false);
        MPI_Barrier(MPI_COMM_WORLD);
    }

#ifdef BENCH_NETCDF
    // As the datatype of Shape says: nodes are numbered row by row.
    std::vector<bench::OwnedIndices> owned() const {
        using bench::OwnedIndices;
        std::vector<OwnedIndices> all(layout_.rank);
        for (int d = layout_.rank - 1, rest = me_; d >= 0; rest /= shape_.grid[d], --d) {
            const int extent = shape_.extents[d], nodes = shape_.grid[d], node = rest % nodes;
            const auto& sizes = shape_.sizes;
            const MPI_Offset first = std::accumulate(sizes.begin(), sizes.begin() + node, MPI_Offset{0});
            all[d] = layout_.format == XMP_GBLOCK   ? OwnedIndices::interval(first, first + sizes[node])
                     : layout_.format == XMP_CYCLIC ? OwnedIndices::cyclic(extent, nodes, node, layout_.width)
                                                    : OwnedIndices::block(extent, nodes, node);
        }
        return all;
    }

    template <typename Add>
    void add_netcdf(Add&& add, const std::string& stem, bool writes) {
        const bench::NetcdfFile file(shape_.extents, owned());
        const auto path = [&](const char* suffix) { return stem + (writes ? suffix : "p") + ".nc"; };  // all read one file
        const auto add_pnetcdf = [&](const char* name, const char* suffix, std::vector<double>& block) {
            add(name, path(suffix), [file, &block, writes](const std::string& place) {
                require(file.by_hand(place, block, writes) == NC_NOERR, "PnetCDF");
            });
        };
        const auto add_xmpnc = [&](const char* name, const char* suffix, const char* server) {
            add(name, path(suffix), [=, this](const std::string& place) {
                setenv("KUMIHIMO_IO", server, 1);
                require(file.by_xmpnc(place, array_, writes) == NC_NOERR, "xmpnc");
                unsetenv("KUMIHIMO_IO");
            });
        };
        add_pnetcdf("PnetCDF", "p", block_);
        add_pnetcdf("PnetCDF again", "q", control_);
        add_xmpnc("xmpnc", "n", "mpi");
        add_xmpnc("xmpnc on the engine", "e", "direct");
    }
#else
    template <typename Add>
    void add_netcdf(Add&&, const std::string&, bool) {}
#endif

    const Layout& layout_;
    const int nodes_, me_;
    const Shape shape_;
    const bench::DistributedArray array_;
    std::vector<double> block_, control_, whole_;
};

}  // namespace

int main(int argc, char** argv) {
    XMP_Start(&argc, &argv);
    const auto named = [&](const Layout& layout) { return argc >= 5 && std::string(argv[1]) == layout.name; };
    const auto* const layout = std::find_if(std::begin(layouts), std::end(layouts), named);
    if (layout == std::end(layouts)) {
        std::fprintf(stderr,
                     "bench_layouts block|cyclic|cyclic4|gblock|plane|box ELEMENTS REPETITIONS DIRECTORY [VARIANT...]\n");
        return 2;
    }
    Program(*layout, std::atoll(argv[2]))
        .compare(std::string(argv[4]) + "/kumihimo-bench-", std::max(1, std::atoi(argv[3])), {argv + 5, argv + argc});
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) bench_end();
    return 0;
}
