#include "runtime/execution/settings.hpp"

#include <vector>

#include "base/error.hpp"
#include "base/fault_plan.hpp"
#include "base/settings_agreement.hpp"
#include "collectives/executor/settings.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::execution {

namespace {

void read_plan(const std::string& text) {
    transport::check_name(base::fault_plan(text, transport::fault_words).underlying);
}

std::vector<base::TextCheck> text_checks() {
    const auto rules = collectives::text_checks();
    std::vector<base::TextCheck> checks(rules.begin(), rules.end());
    checks.push_back({"KUMIHIMO_TRANSPORT", base::complaint_of(transport::check_name)});
    checks.push_back({"KUMIHIMO_FAULTY_TRANSPORT", base::complaint_of(read_plan)});
    return checks;
}

}  // namespace

void agree_on_settings(MPI_Comm communicator) {
    const auto failure = base::agree_on_settings(communicator, base::runtime, text_checks(), "node");
    if (failure) throw base::Error(failure->text, "`kumihimo info` explains every setting.");
}

}  // namespace kumihimo::execution
