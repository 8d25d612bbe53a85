#include "iod/way/metafile.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "base/toml.hpp"
#include "iod/way/name.hpp"

namespace kumihimo::iod::way {

namespace {

constexpr std::int64_t usual_stripe = 4 << 20, most_stripe = std::int64_t{1} << 40;
constexpr std::size_t most_files = 4096;
constexpr std::string_view stampi = "stampi:", spread = "stampi+meta:";

std::int64_t stripe_in(const std::string& metafile, const toml::table& table) {
    const toml::node* const node = table.get("stripe");
    if (node == nullptr) return usual_stripe;
    const auto text = node->value<std::string>();
    const std::optional<long long> number = node->value_exact<std::int64_t>(), bytes = text ? base::number_in(*text) : number;
    if (!bytes || *bytes < 1 || *bytes > most_stripe)
        throw base::Error(fmt::format("{}: stripe is a number of bytes, as 4194304 or \"4M\"", metafile));
    return *bytes;
}

std::string name_in(const std::string& metafile, const toml::node& node) {
    const auto name = node.value<std::string>();
    if (!name || name->empty()) throw base::Error(fmt::format("{}: files are names", metafile));
    if (name->starts_with(stampi)) return *name;
    if (name->starts_with(spread)) throw base::Error(fmt::format("{}: '{}' is a metafile: name its files", metafile, *name));
    return (std::filesystem::absolute(metafile).parent_path() / *name).lexically_normal().string();
}

// Spelled in one way: stripes of one file in each other's place would be lost.
std::string spelled(const std::string& name) {
    Name parts;
    if (!name.starts_with(stampi) || !parse(name.substr(stampi.size()), parts).ok()) return name;
    parts.path = std::filesystem::path(parts.path).lexically_normal().string();
    return parts.text();
}

std::vector<std::string> files_in(const std::string& metafile, const toml::table& table) {
    const toml::array* const list = table["files"].as_array();
    if (list == nullptr || list->empty() || list->size() > most_files)
        throw base::Error(fmt::format("{}: files is a list of 1 to {} names", metafile, most_files));
    std::vector<std::string> names;
    for (const toml::node& node : *list) names.push_back(name_in(metafile, node));
    std::vector<std::string> sorted;
    std::ranges::transform(names, std::back_inserter(sorted), spelled);
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end())
        throw base::Error(fmt::format("{}: a file stands there twice", metafile));
    return names;
}

}  // namespace

Spread::Place Spread::place_of(std::int64_t offset) const {
    const auto count = static_cast<std::int64_t>(files.size());
    const std::int64_t number = offset / stripe, within = offset % stripe;
    return {static_cast<std::size_t>(number % count), number / count * stripe + within, stripe - within};
}

std::int64_t Spread::share(std::size_t file, std::int64_t bytes) const {
    const auto count = static_cast<std::int64_t>(files.size());
    const std::int64_t stripes = bytes / stripe, rounds = stripes / count, number = static_cast<std::int64_t>(file);
    const std::int64_t begun = stripes % count;  // whole stripes of the last round; then one in part
    return rounds * stripe + (number < begun ? stripe : number == begun ? bytes % stripe : 0);
}

std::int64_t Spread::end_of_whole(std::size_t file, std::int64_t bytes_of_file) const {
    if (bytes_of_file == 0) return 0;
    const std::int64_t last = bytes_of_file - 1, count = static_cast<std::int64_t>(files.size());
    return (last / stripe * count + static_cast<std::int64_t>(file)) * stripe + last % stripe + 1;
}

std::string read_text(const std::string& metafile) {
    std::ifstream stream(metafile, std::ios::binary);
    if (!stream) throw base::Error(fmt::format("the metafile '{}' cannot be read: {}", metafile, base::errno_text(errno)));
    std::string text(most_metafile_bytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most_metafile_bytes) throw base::Error(fmt::format("'{}' is too long for a metafile", metafile));
    return text;
}

Spread parse_metafile(const std::string& metafile, const std::string& text) {
    try {
        const toml::table table = base::parse_toml(text, metafile);
        for (const auto& [key, value] : table)
            if (key.str() != "stripe" && key.str() != "files")
                throw base::Error(fmt::format("{}:{}: unknown key '{}'; there are stripe and files", metafile,
                                              value.source().begin.line, key.str()));
        return {stripe_in(metafile, table), files_in(metafile, table)};
    } catch (const toml::parse_error& error) {
        throw base::Error(fmt::format("{}:{}: {}", metafile, error.source().begin.line, error.description()));
    }
}

}  // namespace kumihimo::iod::way
