/* Runs a rank's program for `xmprun --continue-after-failure`. Launchers end all ranks when one ends by a signal: they get to
 * see the end of this process instead. MPICH's also takes a rank that ends without leaving MPI for an error, whatever its exit
 * code. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { code_of_signals = 128, code_not_executable = 126, code_not_found = 127 };

/* In place of a program that did not: in the protocol of MPICH's launcher (PMI), on the socket that it gave to the program. */
static void leave_mpi(void) {
    static const char leave[] = "cmd=finalize\n";
    const char* const number = getenv("PMI_FD");
    char answer[4096];
    size_t length = 0;
    if (number == NULL || send(atoi(number), leave, sizeof leave - 1, MSG_NOSIGNAL) < 0) return; /* it had left */
    while (length < sizeof answer - 1) {
        const ssize_t more = recv(atoi(number), answer + length, sizeof answer - 1 - length, 0);
        if (more <= 0) return;
        answer[length += (size_t)more] = '\0';
        if (strstr(answer, "finalize_ack") != NULL) return;
    }
}

/* Of a program that was killed: 0, and so for one that a shell in between started. */
static int code_of(int status) {
    return WIFEXITED(status) && WEXITSTATUS(status) <= code_of_signals ? WEXITSTATUS(status) : 0;
}

int main(int count, char** words) {
    pid_t program;
    int status = 0;
    if (count < 2) return code_not_found;
    signal(SIGUSR1, SIG_IGN); /* by which the launcher tells all ranks that one is gone; the program ignores it as well */
    program = fork();
    if (program == 0) {
        execvp(words[1], words + 1);
        perror(words[1]);
        _exit(errno == ENOENT ? code_not_found : code_not_executable);
    }
    while (program > 0 && waitpid(program, &status, 0) < 0 && errno == EINTR) continue;
    if (program < 0) perror("fork");
    leave_mpi();
    return program < 0 ? EXIT_FAILURE : code_of(status);
}
