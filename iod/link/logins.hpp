// One ssh login for the I/O processes of a job: the first one makes it, the others come over its connection (ssh_config(5),
// ControlMaster), also those of files that the job opens soon after. A login takes eight: sshd refuses an
// eleventh session (sshd_config(5), MaxSessions), and then ssh logs in anew by itself.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kumihimo::iod::link {

// What connections of this process's job know their logins by. Empty: each has its own, since `command` is no ssh, or one whose
// configuration says for itself how connections share logins.
std::string logins_of_job(const std::vector<std::string>& command);

constexpr std::size_t connections_of_a_login = 8;

// Connection number `connection` (0, 1, ...) of this machine on one of several `way`s. Without `logins` the command stays.
void share_login(std::vector<std::string>& command, const std::string& logins, std::size_t way, std::size_t connection);

}  // namespace kumihimo::iod::link
