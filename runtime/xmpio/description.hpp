// What a flat file holds: the arrays in it, so that tools and other programs can read it without the program that wrote it. It
// stands beside the file as JSON, in a file of the same name with .json behind it (docs/reference/flat-files.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "sets/mapping.hpp"

namespace kumihimo::xmpio {

using sets::Index;

struct ArrayInFile {
    std::string name, type;  // type: as NumPy calls it; "bytes" for structures
    Index element_bytes = 0, offset = 0;
    std::vector<Index> shape;
    sets::Order order = sets::Order::row_major;
    std::optional<std::uint64_t> checksum;  // none: other calls wrote over it

    Index elements() const;
    Index end() const { return offset + elements() * element_bytes; }
};

struct Description {
    Index file_bytes = 0;
    std::vector<ArrayInFile> arrays;  // by their offsets, none over another

    void add(ArrayInFile array);  // in the place of what it covers, if only in part

    std::string text() const;
    // Throws std::exception with a sentence for text that is none.
    static Description parse(const std::string& text);
};

std::string description_name(const std::string& file);
// (local) The text beside a file. Throws std::exception with a sentence.
std::string load_description(const std::string& file);
// (local) Puts it there whole or not at all, whatever happens meanwhile, and on the storage device.
std::optional<base::Failure> store_description(const std::string& file, const Description& description);
// (local) The names of the files in the directory of `name` are on the storage device.
std::optional<base::Failure> synchronise_directory_of(const std::string& name);

// The name that a description gives to a type of generated.h.
std::string type_in_file(int type, std::size_t element_bytes);
std::string checksum_text(std::uint64_t checksum);

}  // namespace kumihimo::xmpio
