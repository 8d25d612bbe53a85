// Teams of images (Fortran 2018, 5.3.4, 11.1.5, 11.6.9). The current team is the executing set: what XcalableMP's tasks push,
// too.
#pragma once

#include <cstdint>
#include <list>

#include "runtime/caf/token.hpp"
#include "runtime/execution/context.hpp"

namespace kumihimo::caf {

struct Team {
    execution::NodeSetPointer images;
    int number;
    std::list<Token*> allocated = {};  // in the team, the latest first
};

// A team that gfortran passes where the program may name none: then it is null, or an integer of -1.
inline Team* given(Team** team) {
    const bool absent = team == nullptr || static_cast<int>(reinterpret_cast<std::intptr_t>(team)) == -1;
    return absent ? nullptr : *team;
}

const execution::NodeSet& images_of(const Team* team);  // null: the current team
int selected_in(const Team* team, int image);  // as an image selector of the current team has it, also where it is not in that

// What is still allocated at the end of its team is deallocated there (9.7.3.2).
void note_allocation(Token* token);
void note_deallocation(Token* token);

// registration.cpp's. The second leaves nothing of it in the program's variable.
void deallocate(Token* token);
void deallocate_of_team(Token* token);

}  // namespace kumihimo::caf
