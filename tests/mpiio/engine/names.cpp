// What files are called, and what is in them, for each engine under test.
#include <functional>

#include "contract.hpp"
#include "iod/way/metafile.hpp"
#include "tests/support/scratch_directory.hpp"

namespace kumihimo::mpiio {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t stripe = 1000;

bool lies_in_several() {
    return engine_is("stampi+meta");
}

// A device is one file, and nothing can be made beside it.
bool is_device(const std::string& path) {
    return path.starts_with("/dev/");
}

iod::way::Spread spread_of(const std::string& path) {
    if (is_device(path)) return {stripe, {path}};
    const fs::path parts =
        fs::path(parts_beside(fs::path(path).parent_path())) / std::to_string(std::hash<std::string>{}(path));
    return {stripe, {path, parts.string() + ".1", parts.string() + ".2"}};
}

// Where metafiles of devices are: until the test ends.
fs::path place_of_devices() {
    static const support::ScratchDirectory place;
    return place.path();
}

std::string metafile_of(const std::string& path) {
    const iod::way::Spread spread = spread_of(path);
    const fs::path name =
        is_device(path) ? place_of_devices() / "device.toml" : fs::path(spread.files.back()).replace_extension("toml");
    fs::create_directories(name.parent_path());
    std::ofstream text(name);
    text << "stripe = " << spread.stripe << "\nfiles = [";
    for (const std::string& file : spread.files) text << '"' << file << "\", ";
    text << "]\n";
    return name.string();
}

Bytes bytes_in(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    const auto* const data = reinterpret_cast<const std::byte*>(text.data());
    return Bytes(data, data + text.size());
}

}  // namespace

std::string parts_beside(const std::string& directory) {
    return directory + ".parts";
}

std::string named(const std::string& path) {
    if (engine_is("stampi")) return "//elsewhere" + path;
    return lies_in_several() && rank() == 0 && !path.empty() ? metafile_of(path) : path;  // rank 0 reads it
}

Bytes contents(const std::string& path) {
    if (!lies_in_several()) return bytes_in(path);
    const iod::way::Spread spread = spread_of(path);
    Bytes whole;
    for (std::size_t file = 0; file < spread.files.size(); ++file) {
        const Bytes part = bytes_in(spread.files[file]);
        whole.resize(std::max(whole.size(),
                              static_cast<std::size_t>(spread.end_of_whole(file, static_cast<std::int64_t>(part.size())))));
        for (std::size_t at = 0; at < part.size(); ++at)
            whole[static_cast<std::size_t>(spread.end_of_whole(file, static_cast<std::int64_t>(at) + 1)) - 1] = part[at];
    }
    return whole;
}

void put(const std::string& path, const Bytes& bytes) {
    const auto spread = lies_in_several() ? spread_of(path) : iod::way::Spread{stripe, {path}};
    std::vector<std::ofstream> files;
    for (const std::string& file : spread.files) {
        fs::create_directories(fs::path(file).parent_path());
        files.emplace_back(file, std::ios::binary);
    }
    for (std::size_t at = 0; at < bytes.size(); ++at)
        files[spread.place_of(static_cast<std::int64_t>(at)).file].put(static_cast<char>(bytes[at]));
}

}  // namespace kumihimo::mpiio
