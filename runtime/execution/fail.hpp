// Inside runtime/execution only: ending the job with one message.
#pragma once

#include <string>

namespace kumihimo::execution {

// Collective, at start and stop: what nodes of one machine need to agree on who reports.
void prepare_reports();
void forget_reports();

// Prints the message unless another node of this machine has reported already, and ends the job with this status.
[[noreturn]] void end_job(const std::string& message, int status) noexcept;

}  // namespace kumihimo::execution
