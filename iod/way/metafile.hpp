// A file that lies in several: a metafile (TOML) says in which, and in stripes of how many bytes. Stripe k of the whole is
// stripe k / n of file k mod n. Pure, but for read_text().
//     stripe = "4M"
//     files = ["stampi://centre/scratch/u.0", "stampi://other/scratch/u.1"]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kumihimo::iod::way {

struct Spread {
    std::int64_t stripe = 0;
    std::vector<std::string> files;

    struct Place {
        std::size_t file = 0;
        std::int64_t offset = 0;  // in it
        std::int64_t left = 0;    // bytes from there to the end of the stripe
    };
    Place place_of(std::int64_t offset) const;
    std::int64_t share(std::size_t file, std::int64_t bytes) const;                 // of the whole's first bytes
    std::int64_t end_of_whole(std::size_t file, std::int64_t bytes_of_file) const;  // as far as this file tells
};

constexpr std::size_t most_metafile_bytes = 1 << 20;

std::string read_text(const std::string& metafile);  // throws base::Error
// Names without a machine are relative to the metafile's directory. Throws base::Error.
Spread parse_metafile(const std::string& metafile, const std::string& text);

}  // namespace kumihimo::iod::way
