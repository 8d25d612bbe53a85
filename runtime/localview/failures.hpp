// Images that fail (Fortran 2018, 5.3.6): by FAIL IMAGE, or since their process has died while the launcher let the job go on.
// Those of one machine look at each other's processes in waits that last, and tell the images of other machines.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "runtime/localview/mailbox.hpp"

namespace kumihimo::localview {

// Why an image that would have been needed does not come. Of several, one that stopped counts (Fortran 2018, 11.6.11).
enum class Absence { none, failed, stopped };

// Where a member is missing that a statement needs.
struct Missing : base::Error {
    explicit Missing(Absence absence);
    Absence absence;
};

void watch_processes();  // from here on a process that dies is a failed image; else the launcher ends the job
bool watches_processes();
void fail();  // this image takes no part any more; the process lives on

void note_loss(int node);  // MPI cannot reach it any more
void look_for_failures();  // costs something only every few milliseconds
void look();               // the same, and for mail; called in every wait
void pass_on_absences();   // to all: before this image does something that they could not understand without
void forget_failures();    // at the end of the program

// Of a process that has died: the barriers with each image that this one had completed when it learned of that, and those that
// it knows from others to have been completed. Null: the others were not told of that death yet.
struct Death {
    int image;
    std::vector<std::int64_t> completed;
};
Death* death_of(int node);
bool has_told_of_all_deaths(int node);  // that have such a record here

bool has_failed(int node);     // and all that it has told this image before has arrived
Absence absence_of(int node);  // failed comes before stopped
std::vector<int> without_died(std::vector<int> nodes);
Absence absence_in(const std::vector<int>& nodes);  // stopped comes before failed (11.6.11)
bool all_others_gone();  // each has ended or failed, and the process of one has died: MPI cannot end by its own means

// For calls of MPI that wait for other images by themselves: if the process of one of these has died, now or before, that ends
// the job, since this image would wait for ever.
class InsideMpi {
public:
    InsideMpi(const char* what, std::vector<int> others);
    ~InsideMpi();
    InsideMpi(const InsideMpi&) = delete;
    InsideMpi& operator=(const InsideMpi&) = delete;
};

// How many images are known to have failed, and a mark of how many the program was told of by a status or an inquiry.
int failures();
int failures_told();
void note_failures_told();

}  // namespace kumihimo::localview
