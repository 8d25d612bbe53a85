#include "runtime/execution/message.hpp"

#include <map>
#include <memory>
#include <tuple>

namespace kumihimo::execution {

const XMP_Site* kept_site(const std::string& file, int line, const std::string& directive) {
    struct Kept {
        std::string file, directive;
        XMP_Site site;
    };
    static auto& known = *new std::map<std::tuple<std::string, int, std::string>, std::unique_ptr<Kept>>;
    std::unique_ptr<Kept>& kept = known[{file, line, directive}];
    if (!kept) {
        kept = std::make_unique<Kept>(Kept{file, directive, {}});
        kept->site = {kept->file.c_str(), line, kept->directive.c_str()};
    }
    return &kept->site;
}

}  // namespace kumihimo::execution
