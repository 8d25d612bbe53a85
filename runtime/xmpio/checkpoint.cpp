#include "runtime/xmpio/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <random>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "runtime/xmpio/checksum.hpp"
#include "runtime/xmpio/collective.hpp"

namespace kumihimo::xmpio {

namespace {

constexpr const char* values_name = "(values)";  // no name in C or Fortran

MPI_Comm executing_communicator(std::shared_ptr<Communicator>& holder) {
    holder = Communicator::of(execution::Context::get().executing()->communicator());
    return *holder;
}

bool first_node() {
    return execution::Context::get().executing()->my_number() == 0;
}

// body() on the first node; what it throws is the failure of all.
template <typename Body>
std::optional<Failure> on_first_node(MPI_Comm comm, Body&& body) {
    std::optional<Failure> failure;
    if (first_node()) try {
            body();
        } catch (const std::exception& error) {
            failure = Failure{-1, error.what()};
        }
    return agree(comm, failure);
}

std::string file_name(const std::string& name, Index number) {
    return name + "." + std::to_string(number);
}

// ---- the files of a name ----

Index number_in(std::string_view digits) {
    Index number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size() && digits.front() != '0' ? number : 0;
}

std::filesystem::path directory_of(const std::string& name) {
    const std::filesystem::path path(name);
    return path.has_parent_path() ? path.parent_path() : ".";
}

std::filesystem::directory_iterator files_beside(const std::string& name) {
    std::error_code error;
    std::filesystem::directory_iterator files(directory_of(name), error);
    if (!error) return files;
    throw base::Error(
        fmt::format("cannot read directory '{}' of checkpoint '{}': {}", directory_of(name).string(), name, error.message()));
}

// The numbers of the files in its directory that are called name.NUMBER and `suffix`, ascending.
std::vector<Index> numbers_of(const std::string& name, const std::string& suffix) {
    const std::string prefix = std::filesystem::path(name).filename().string() + ".";
    std::vector<Index> numbers;
    for (const auto& entry : files_beside(name)) {
        const std::string one = entry.path().filename().string();
        if (one.size() <= prefix.size() + suffix.size() || !one.starts_with(prefix) || !one.ends_with(suffix)) continue;
        const Index number = number_in(std::string_view(one).substr(prefix.size(), one.size() - prefix.size() - suffix.size()));
        if (number > 0) numbers.push_back(number);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

std::vector<Index> described_numbers(const std::string& name) {
    return numbers_of(name, description_name(""));
}

// Behind all that are there, whoever made them.
Index next_number(const std::string& name) {
    Index highest = 0;
    for (const std::string& suffix : {std::string(), description_name("")})
        for (const Index number : numbers_of(name, suffix)) highest = std::max(highest, number);
    return highest + 1;
}

// Throws what makes it no complete file.
Description complete_description(const std::string& file) {
    const std::string text = load_description(file);
    Description description;
    try {
        description = Description::parse(text);
    } catch (const std::exception& error) {
        throw base::Error(fmt::format("'{}' is damaged: {}", description_name(file), error.what()));
    }
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    if (error) throw base::Error(fmt::format("cannot read '{}': {}", file, error.message()));
    if (static_cast<Index>(bytes) != description.file_bytes)
        throw base::Error(fmt::format("'{}' has {} bytes, its description says {}", file, bytes, description.file_bytes));
    return description;
}

// Those that are passed over are told of in the name of `function`.
Index newest_complete(const std::string& name, const char* function) {
    const std::vector<Index> numbers = described_numbers(name);
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) try {
            (void)complete_description(file_name(name, *number));
            return *number;
        } catch (const std::exception& error) {
            report(function, {-1, fmt::format("{}; an older checkpoint is taken", error.what())}, true);
        }
    return 0;
}

bool is_complete(const std::string& name, Index number) {
    try {
        (void)complete_description(file_name(name, number));
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

// What is being written has a name that no job had before: Open MPI waits for ever where a job that was killed had a file of
// the same name open. Those of such jobs are removed by the next one.
constexpr const char* unfinished = ".new";
constexpr std::size_t random_digits = 16;

std::string fresh_name(const std::string& file) {
    std::random_device device;
    const std::uint64_t number = std::uint64_t{device()} << 32 | device();
    return fmt::format("{}.{:0{}x}{}", file, number, random_digits, unfinished);
}

// Whether what follows the name of a checkpoint is number, point, random digits and `unfinished`, and perhaps more.
bool is_unfinished(std::string_view rest) {
    const std::size_t point = rest.find_first_not_of("0123456789");
    if (point == 0 || point == std::string_view::npos || rest[point] != '.') return false;
    const std::string_view random = rest.substr(point + 1, random_digits);
    return random.size() == random_digits && random.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
           rest.substr(point + 1 + random_digits).starts_with(unfinished);
}

// With what MPI libraries put beside them.
void remove_unfinished(const std::string& name) {
    const std::string prefix = std::filesystem::path(name).filename().string() + ".";
    for (const auto& entry : files_beside(name)) {
        const std::string one = entry.path().filename().string();
        std::error_code ignored;
        if (one.starts_with(prefix) && is_unfinished(std::string_view(one).substr(prefix.size())))
            std::filesystem::remove(entry.path(), ignored);
    }
}

// What is left of one that was not completed or not removed entirely goes, too.
void remove_older(const std::string& name) {
    std::vector<Index> numbers = described_numbers(name);
    std::erase_if(numbers, [&](Index number) {
        std::error_code ignored;
        const std::string file = file_name(name, number);
        return !std::filesystem::exists(file) && std::filesystem::remove(description_name(file), ignored);
    });
    const auto kept = static_cast<std::size_t>(base::setting_number("KUMIHIMO_XMPIO_CHECKPOINTS"));
    std::size_t first_kept = numbers.size(), complete = 0;  // damaged ones do not count: nobody can go back to them
    while (first_kept > 0 && complete < kept) complete += is_complete(name, numbers[--first_kept]);
    numbers.resize(first_kept);
    for (const Index number : numbers) {
        const std::string file = file_name(name, number);
        std::error_code error;
        if (!std::filesystem::remove(file, error) || !std::filesystem::remove(description_name(file), error))
            report("xmp_checkpoint_save", {-1, fmt::format("cannot remove '{}': {}", file, error.message())}, true);
    }
}

// ---- what the nodes say alike ----

std::optional<Failure> agree_on_call(MPI_Comm comm, const std::string& name, const State& state) {
    Terms terms;
    terms.fingerprint = std::hash<std::string>{}(fmt::format("{}\n{}\n{}", name, state.arrays.size(), state.bytes));
    std::optional<Failure> failure;
    if (name.empty()) failure = Failure{-1, "the name of the checkpoint is empty"};
    return agree(comm, failure, terms);
}

const execution::Array& allocated_array(xmp_desc_t descriptor) {
    const execution::Array& array = execution::array_of(static_cast<const void*>(descriptor));
    if (!array.allocated()) throw base::Error("array '" + array.name + "' is not allocated");
    return array;
}

// ---- save ----

std::optional<Failure> write_state(File& file, const State& state) {
    if (auto failure = file.describe()) return failure;
    for (const xmp_desc_t array : state.arrays) {
        Index moved = 0;
        if (auto failure = write_array(file, array, nullptr, moved)) return failure;
    }
    if (state.bytes > 0) {
        const Index position = file.position;
        if (auto failure = write_same(file, state.values, state.bytes)) return failure;
        file.sidecar->holds(values_name, state.values, state.bytes, position);
    }
    return file.synchronise();
}

void rename_durably(const std::string& from, const std::string& to) {
    std::filesystem::rename(from, to);
    if (const auto failure = synchronise_directory_of(to)) throw base::Error(failure->text);
}

std::optional<Failure> write_file(MPI_Comm comm, const std::string& name, const State& state) {
    std::string fresh = fresh_name(name);
    share(comm, fresh);
    std::optional<Failure> failure;
    const std::unique_ptr<File> file = File::open(fresh, *Mode::parse("w"), failure);
    if (!file) return failure;
    failure = write_state(*file, state);
    const std::unique_ptr<Sidecar> sidecar = std::move(file->sidecar);
    const std::optional<Failure> closed = file->close();
    if (!failure) failure = closed;
    if (!failure) failure = sidecar->store(name, fresh);
    // From here on it is complete. A description alone is removed by a later save.
    if (!failure) failure = on_first_node(comm, [&] { rename_durably(fresh, name); });
    if (!failure) return std::nullopt;
    (void)on_first_node(comm, [&] {
        std::filesystem::remove(fresh);
        std::filesystem::remove(description_name(name));
    });
    return failure;
}

// ---- restore ----

std::string shape_text(const ArrayInFile& array) {
    std::vector<std::string> extents;
    for (const Index extent : array.shape) extents.push_back(std::to_string(extent));
    return fmt::format("{} of {}{}", array.type, execution::subscripts_text(array.order, extents),
                       array.type == "bytes" ? fmt::format(" ({} bytes each)", array.element_bytes) : "");
}

// Extents from the one whose index varies slowest in the file: x[6][5] of C is x(5,6) of Fortran.
std::vector<Index> slowest_first(const ArrayInFile& array) {
    std::vector<Index> extents = array.shape;
    if (array.order == sets::Order::column_major) std::reverse(extents.begin(), extents.end());
    return extents;
}

bool same_kind(const ArrayInFile& one, const ArrayInFile& other) {
    return one.type == other.type && one.element_bytes == other.element_bytes && slowest_first(one) == slowest_first(other);
}

// Throws where the arrays of the program are not those of the file.
void compare(const std::string& file, const std::vector<ArrayInFile>& ours, const std::vector<ArrayInFile>& theirs) {
    if (ours.size() != theirs.size())
        throw base::Error(fmt::format("'{}' has {}, the program asks for {}", file,
                                      base::counted(static_cast<Index>(theirs.size()), "array"), ours.size()));
    for (std::size_t i = 0; i < ours.size(); ++i)
        if (!same_kind(ours[i], theirs[i]))
            throw base::Error(fmt::format("array {} of '{}' is '{}', {}; in the program it is '{}', {}", i + 1, file,
                                          theirs[i].name, shape_text(theirs[i]), ours[i].name, shape_text(ours[i])));
    // Functions may know an array by another name, but the same names in another order are a mistake.
    const auto named = [](const ArrayInFile& array, const std::string& name) { return array.name == name; };
    for (std::size_t i = 0; i < ours.size(); ++i)
        if (ours[i].name != theirs[i].name &&
            std::any_of(theirs.begin(), theirs.end(), [&](const ArrayInFile& one) { return named(one, ours[i].name); }))
            throw base::Error(fmt::format("array {} of '{}' is '{}', the program gives '{}' in its place", i + 1, file,
                                          theirs[i].name, ours[i].name));
}

std::vector<ArrayInFile> arrays_of(const State& state) {
    std::vector<ArrayInFile> arrays;
    for (const xmp_desc_t descriptor : state.arrays) {
        const execution::Array& array = allocated_array(descriptor);
        arrays.push_back(in_file(array, section_of(array, nullptr), 0));
    }
    return arrays;
}

Failure damaged(const std::string& what, const std::string& file, std::uint64_t found, std::uint64_t expected) {
    return Failure{-1, fmt::format("{} in '{}' is damaged: its checksum is {}, it was written with {}", what, file,
                                   checksum_text(found), checksum_text(expected))};
}

std::optional<Failure> read_one(File& file, xmp_desc_t descriptor, const ArrayInFile& array, std::size_t number) {
    Index moved = 0;
    file.position = array.offset;
    if (auto failure = read_array(file, descriptor, nullptr, moved)) return failure;
    if (!array.checksum) return std::nullopt;
    const execution::Array& memory = allocated_array(descriptor);
    const std::uint64_t found = checksum_in_memory(file.communicator(), memory, section_of(memory, nullptr));
    if (found == *array.checksum) return std::nullopt;
    return damaged(fmt::format("array '{}' (number {})", array.name, number), file.name(), found, *array.checksum);
}

std::optional<Failure> read_values(File& file, const State& state, const ArrayInFile& values) {
    Index moved = 0;
    file.position = values.offset;
    if (auto failure = read_same(file, state.values, state.bytes, moved)) return failure;
    const std::uint64_t found = checksum(static_cast<const std::byte*>(state.values), moved, 1);
    if (values.checksum && (moved < state.bytes || found != *values.checksum))
        return damaged("the memory of values", file.name(), found, *values.checksum);
    return std::nullopt;
}

// The same on all nodes: they have the same description.
std::optional<Failure> fits(const std::string& name, const State& state, const Description& description,
                            std::vector<ArrayInFile>& arrays, std::optional<ArrayInFile>& values) {
    for (const ArrayInFile& array : description.arrays)
        if (array.name == values_name)
            values = array;
        else
            arrays.push_back(array);
    try {
        compare(name, arrays_of(state), arrays);
        const Index there = values ? values->elements() : 0;
        if (state.bytes > 0 && there != state.bytes)
            throw base::Error(fmt::format("'{}' has {} bytes of values, the program asks for {}", name, there, state.bytes));
        return std::nullopt;
    } catch (const std::exception& error) {
        return Failure{-1, error.what()};
    }
}

std::optional<Failure> read_file(MPI_Comm comm, const std::string& name, const State& state) {
    std::string text;
    std::optional<Failure> failure = on_first_node(comm, [&] { text = complete_description(name).text(); });
    if (failure) return failure;
    share(comm, text);
    std::vector<ArrayInFile> arrays;
    std::optional<ArrayInFile> values;
    if ((failure = agree(comm, fits(name, state, Description::parse(text), arrays, values)))) return failure;
    const std::unique_ptr<File> file = File::open(name, *Mode::parse("r"), failure);
    if (!file) return failure;
    for (std::size_t i = 0; i < arrays.size() && !failure; ++i) failure = read_one(*file, state.arrays[i], arrays[i], i + 1);
    if (!failure && state.bytes > 0) failure = read_values(*file, state, *values);
    const std::optional<Failure> closed = file->close();
    return failure ? failure : agree(comm, closed);
}

}  // namespace

std::optional<Failure> latest(const std::string& name, Index& number) {
    std::shared_ptr<Communicator> holder;
    const MPI_Comm comm = executing_communicator(holder);
    number = 0;
    if (auto failure = agree_on_call(comm, name, {})) return failure;
    if (auto failure = on_first_node(comm, [&] { number = newest_complete(name, "xmp_checkpoint_latest"); })) return failure;
    share(comm, number);
    return std::nullopt;
}

std::optional<Failure> save(const std::string& name, const State& state, Index& number) {
    std::shared_ptr<Communicator> holder;
    const MPI_Comm comm = executing_communicator(holder);
    if (auto failure = agree_on_call(comm, name, state)) return failure;
    const auto choose = [&] {
        remove_unfinished(name);
        number = next_number(name);
    };
    if (auto failure = on_first_node(comm, choose)) return failure;
    share(comm, number);
    if (auto failure = write_file(comm, file_name(name, number), state)) return failure;
    return on_first_node(comm, [&] { remove_older(name); });
}

std::optional<Failure> restore(const std::string& name, const State& state, Index& number) {
    std::shared_ptr<Communicator> holder;
    const MPI_Comm comm = executing_communicator(holder);
    if (auto failure = agree_on_call(comm, name, state)) return failure;
    std::string file = name;
    const auto choose = [&] {
        if (std::filesystem::exists(description_name(name))) {
            const auto point = name.rfind('.');
            number = point == std::string::npos || point + 1 == name.size() ? 0 : number_in(name.substr(point + 1));
            return;
        }
        number = newest_complete(name, "xmp_checkpoint_restore");
        if (number == 0) throw base::Error(fmt::format("there is no complete checkpoint '{}'", name));
        file = file_name(name, number);
    };
    if (auto failure = on_first_node(comm, choose)) return failure;
    share(comm, number);
    share(comm, file);
    return read_file(comm, file, state);
}

}  // namespace kumihimo::xmpio
