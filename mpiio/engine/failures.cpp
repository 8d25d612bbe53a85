#include "mpiio/engine/failures.hpp"

#include "base/error.hpp"
#include "base/format.hpp"
#include "iod/client/connection.hpp"

namespace kumihimo::mpiio {

std::optional<Failure> failure_of(const iod::Status& status, const std::string& path) {
    if (status.ok()) return std::nullopt;
    const bool named = status.text.find(path) != std::string::npos;
    std::string text = named ? status.text : fmt::format("'{}': {}", path, status.text);
    if (status.code == iod::Code::incomplete)
        text +=
            ". Say what shall become of it with `kumihimo files recover`, or open it as it is with the hint "
            "kumihimo_catwalk_incomplete=accept";
    return Failure{error_class(status.code), std::move(text), 0};
}

iod::Status status_of_exception() {
    try {
        throw;
    } catch (const iod::ConnectionLost& lost) {
        return lost.status();
    } catch (const base::Error& error) {
        const char* const between = error.advice().empty() ? "" : ". ";
        return {iod::Code::not_supported, fmt::format("{}{}{}", error.what(), between, error.advice()), {}};
    } catch (const std::exception& error) {
        return iod::Status::of_exception(error, "the I/O process");
    }
}

}  // namespace kumihimo::mpiio
