// The C functions of xmp_io.h: arguments in, failures out as return values; the work is in file.cpp and collective.cpp.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/error.hpp"
#include "kumihimo/xmp_io.h"
#include "runtime/xmpio/checkpoint.hpp"
#include "runtime/xmpio/collective.hpp"

using namespace kumihimo::xmpio;
using kumihimo::execution::Visit, kumihimo::execution::Visiting;

struct xmp_file {
    std::unique_ptr<File> file;
};

namespace {

constexpr int closed = 1, failed = -1;

std::string text_of(const char* given) {
    return given == nullptr ? "" : given;
}

// Runs body(File&) -> optional<Failure>; 0 or the failure's code, reported. Collective calls print on the first node only,
// and take their time for a disk.
template <typename Body>
int run(const char* function, xmp_file_t* fh, bool collective, Body&& body) noexcept {
    const XMP_Site site = {nullptr, 0, function};
    const Visit visit(collective ? &site : nullptr, Visiting::at_length);
    try {
        if (fh == nullptr) {
            report(function, {failed, "the file handle is NULL"}, true);
            return failed;
        }
        const std::optional<Failure> failure = body(*fh->file);
        if (!failure) return 0;
        report(function, *failure, !collective || fh->file->first_node());
        return failure->code == too_short ? failed : failure->code;
    } catch (const std::exception& error) {
        report(function, {failed, error.what()}, true);
        return failed;
    }
}

template <typename Body>
ssize_t run_for_bytes(const char* function, xmp_file_t* fh, bool collective, Body&& body) noexcept {
    Index moved = 0;
    const int code = run(function, fh, collective, [&](File& file) { return body(file, moved); });
    return code == 0 ? static_cast<ssize_t>(moved) : static_cast<ssize_t>(code);
}

// The same for what needs no open file: the result, or -1 where body(result) -> optional<Failure> fails.
template <typename Body>
long long run_for_number(const char* function, Body&& body) noexcept {
    const XMP_Site site = {nullptr, 0, function};
    const Visit visit(&site, Visiting::at_length);
    const bool first = kumihimo::execution::Context::get().executing()->my_number() == 0;
    try {
        Index result = 0;
        const std::optional<Failure> failure = body(result);
        if (!failure) return result;
        report(function, *failure, first);
    } catch (const std::exception& error) {
        report(function, {failed, error.what()}, true);
    }
    return failed;
}

// What a caller gives of a checkpoint. Throws base::Error.
State state_of(int n, const xmp_desc_t arrays[], const void* values, size_t bytes) {
    if (n < 0 || (n > 0 && arrays == nullptr)) throw kumihimo::base::Error(fmt::format("{} arrays", n));
    if (static_cast<Index>(bytes) < 0)
        throw kumihimo::base::Error(fmt::format("{} bytes of values", static_cast<Index>(bytes)));
    if (bytes > 0 && values == nullptr) throw kumihimo::base::Error("the address of the values is NULL");
    return {{arrays, static_cast<std::size_t>(n)}, const_cast<void*>(values), static_cast<Index>(bytes)};
}

}  // namespace

extern "C" {

xmp_range_t* xmp_allocate_range(int n_dim) {
    if (n_dim < 1 || n_dim > XMP_MAX_RANK) return nullptr;
    auto* const range = new (std::nothrow) xmp_range;
    if (range != nullptr) range->dimensions.resize(n_dim);
    return range;
}

void xmp_set_range(xmp_range_t* rp, int i_dim, long long lb, long long length, long long step) {
    if (rp == nullptr) return;
    const auto refuse = [&](const std::string& why) {
        rp->valid = false;
        report("xmp_set_range", {failed, why}, kumihimo::execution::Context::get().executing()->my_number() == 0);
    };
    const auto rank = rp->dimensions.size();
    if (i_dim < 1 || static_cast<std::size_t>(i_dim) > rank)
        return refuse("dimension " + std::to_string(i_dim) + " of a range with " + std::to_string(rank) +
                      " (they count from 1)");
    if (length < 0) return refuse("length " + std::to_string(length) + " is negative");
    if (step == 0) return refuse("step is 0");
    rp->dimensions[i_dim - 1] = {true, {lb, length, step}};
}

void xmp_free_range(xmp_range_t* rp) {
    delete rp;
}

xmp_file_t* xmp_fopen_all(const char* fname, const char* amode) {
    static const XMP_Site site = {nullptr, 0, "xmp_fopen_all"};
    const Visit visit(&site, Visiting::at_length);
    try {
        const std::string name = text_of(fname), letters = text_of(amode);
        const std::optional<Mode> mode = Mode::parse(letters);
        std::optional<Failure> failure;  // the same on all nodes, as all arguments are
        std::unique_ptr<File> file;
        if (mode)
            file = File::open(name, *mode, failure);
        else
            failure = Failure{failed, "unknown mode \"" + letters + "\" for '" + name + "': it is one of r, r+, w, w+, a, a+"};
        if (file) return new xmp_file{std::move(file)};
        report("xmp_fopen_all", *failure, kumihimo::execution::Context::get().executing()->my_number() == 0);
        return nullptr;
    } catch (const std::exception& error) {
        report("xmp_fopen_all", {failed, error.what()}, true);
        return nullptr;
    }
}

int xmp_fclose_all(xmp_file_t* fh) {
    if (fh == nullptr) {
        report("xmp_fclose_all", {closed, "the file handle is NULL"}, true);
        return closed;
    }
    const int code = run("xmp_fclose_all", fh, true, [](File& file) { return file.close(); });
    delete fh;
    return code;
}

int xmp_fseek(xmp_file_t* fh, long long offset, int whence) {
    return run("xmp_fseek", fh, false, [&](File& file) -> std::optional<Failure> {
        Index start = whence == SEEK_CUR ? file.position : 0;
        if (whence == SEEK_END)
            if (auto failure = file.end(start)) return failure;
        if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END)
            return Failure{failed, "whence " + std::to_string(whence) + " is none of SEEK_SET, SEEK_CUR, SEEK_END"};
        if (start + offset < 0) return Failure{failed, "position " + std::to_string(start + offset) + " lies before the file"};
        file.position = start + offset;
        return std::nullopt;
    });
}

long long xmp_ftell(xmp_file_t* fh) {
    Index absolute = 0;
    const int code = run("xmp_ftell", fh, false, [&](File& file) -> std::optional<Failure> {
        absolute = file.viewed() && file.view().pattern.size() > 0 ? file.view().offset(file.position) : file.position;
        return std::nullopt;
    });
    return code == 0 ? absolute : code;
}

int xmp_fseek_shared_all(xmp_file_t* fh, long long offset, int whence) {
    return run("xmp_fseek_shared_all", fh, true, [&](File& file) { return file.seek_shared(offset, whence); });
}

int xmp_fseek_shared(xmp_file_t* fh, long long offset, int whence) {
    return xmp_fseek_shared_all(fh, offset, whence);
}

long long xmp_ftell_shared(xmp_file_t* fh) {
    Index position = 0;
    const int code = run("xmp_ftell_shared", fh, false, [&](const File& file) { return file.tell_shared(position); });
    return code == 0 ? position : code;
}

int xmp_file_sync_all(xmp_file_t* fh) {
    return run("xmp_file_sync_all", fh, true, [](File& file) { return file.synchronise(); });
}

ssize_t xmp_fread_darray_all(xmp_file_t* fh, xmp_desc_t desc, xmp_range_t* rp) {
    return run_for_bytes("xmp_fread_darray_all", fh, true,
                         [&](File& file, Index& moved) { return read_array(file, desc, rp, moved); });
}

ssize_t xmp_fwrite_darray_all(xmp_file_t* fh, xmp_desc_t desc, xmp_range_t* rp) {
    return run_for_bytes("xmp_fwrite_darray_all", fh, true,
                         [&](File& file, Index& moved) { return write_array(file, desc, rp, moved); });
}

ssize_t xmp_fread_all(xmp_file_t* fh, void* buffer, size_t size, size_t count) {
    return run_for_bytes("xmp_fread_all", fh, true, [&](File& file, Index& moved) -> std::optional<Failure> {
        const auto bytes = static_cast<Index>(size * count);
        if (!file.viewed()) return read_same(file, buffer, bytes, moved);
        auto failure =
            file.counted(false, true, moved, [&] { return agree(file.communicator(), file.read_here(buffer, bytes, moved)); });
        if (!failure) file.position += moved;
        return failure;
    });
}

ssize_t xmp_fwrite_all(xmp_file_t* fh, const void* buffer, size_t size, size_t count) {
    return run_for_bytes("xmp_fwrite_all", fh, true, [&](File& file, Index& moved) {
        auto failure = file.counted(true, true, moved, [&] {
            return agree(file.communicator(), file.write_here(buffer, static_cast<Index>(size * count), moved));
        });
        if (!failure) file.position += moved;
        return failure;
    });
}

int xmp_file_set_view_all(xmp_file_t* fh, long long disp, xmp_desc_t desc, xmp_range_t* rp) {
    return run("xmp_file_set_view_all", fh, true, [&](File& file) { return set_view(file, disp, desc, rp); });
}

int xmp_file_clear_view_all(xmp_file_t* fh, long long disp) {
    return run("xmp_file_clear_view_all", fh, true, [&](File& file) {
        file.clear_view();
        file.position = disp;
        return file.seek_shared(disp, SEEK_SET);
    });
}

ssize_t xmp_fread_shared(xmp_file_t* fh, void* buffer, size_t size, size_t count) {
    return run_for_bytes("xmp_fread_shared", fh, false, [&](File& file, Index& moved) -> std::optional<Failure> {
        if (auto failure = file.refuses(false)) return failure;
        return file.move_shared(buffer, static_cast<Index>(size * count), false, moved);
    });
}

ssize_t xmp_fwrite_shared(xmp_file_t* fh, const void* buffer, size_t size, size_t count) {
    return run_for_bytes("xmp_fwrite_shared", fh, false, [&](File& file, Index& moved) -> std::optional<Failure> {
        if (auto failure = file.refuses(true)) return failure;
        return file.move_shared(const_cast<void*>(buffer), static_cast<Index>(size * count), true, moved);
    });
}

ssize_t xmp_fread(xmp_file_t* fh, void* buffer, size_t size, size_t count) {
    return run_for_bytes("xmp_fread", fh, false, [&](File& file, Index& moved) {
        auto failure = file.read_here(buffer, static_cast<Index>(size * count), moved);
        if (!failure) file.position += moved;
        return failure;
    });
}

ssize_t xmp_fwrite(xmp_file_t* fh, const void* buffer, size_t size, size_t count) {
    return run_for_bytes("xmp_fwrite", fh, false, [&](File& file, Index& moved) {
        auto failure = file.write_here(buffer, static_cast<Index>(size * count), moved);
        if (!failure) file.position += moved;
        return failure;
    });
}

int xmp_file_set_view(xmp_file_t* fh, long long disp, xmp_desc_t desc, xmp_range_t* rp) {
    return xmp_file_set_view_all(fh, disp, desc, rp);
}

int xmp_file_describe_all(xmp_file_t* fh) {
    return run("xmp_file_describe_all", fh, true, [](File& file) { return file.describe(); });
}

long long xmp_checkpoint_save(const char* name, int n, const xmp_desc_t arrays[]) {
    return xmp_checkpoint_save_values(name, n, arrays, nullptr, 0);
}

long long xmp_checkpoint_restore(const char* name, int n, const xmp_desc_t arrays[]) {
    return xmp_checkpoint_restore_values(name, n, arrays, nullptr, 0);
}

long long xmp_checkpoint_save_values(const char* name, int n, const xmp_desc_t arrays[], const void* values, size_t bytes) {
    return run_for_number("xmp_checkpoint_save",
                          [&](Index& number) { return save(text_of(name), state_of(n, arrays, values, bytes), number); });
}

long long xmp_checkpoint_restore_values(const char* name, int n, const xmp_desc_t arrays[], void* values, size_t bytes) {
    return run_for_number("xmp_checkpoint_restore",
                          [&](Index& number) { return restore(text_of(name), state_of(n, arrays, values, bytes), number); });
}

long long xmp_checkpoint_latest(const char* name) {
    return run_for_number("xmp_checkpoint_latest", [&](Index& number) { return latest(text_of(name), number); });
}

const char* xmp_io_error(void) {
    return last_message();
}

}  // extern "C"
