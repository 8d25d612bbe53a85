// kumihimo-settings: the settings in force and the MPI library, as JSON, for `kumihimo info`.
#include <cstdio>

#include "base/family.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"

int main() {
    namespace base = kumihimo::base;
    const std::string library = base::json_string(base::family_library());
    std::printf("{\"family\": \"%s\",\n\"library\": %s,\n\"settings\": %s}\n", base::family_name(), library.c_str(),
                base::settings_json().c_str());
    return 0;
}
