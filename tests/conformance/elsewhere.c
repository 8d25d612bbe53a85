/* Puts another machine before the names of files, for programs that have their names in their source: `testfile` becomes
 * stampi://elsewhere/the/working/directory/testfile. Preloaded before libkumihimo_io (elsewhere.py). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { longest = 8192 };

static const char* far(const char* name, char* to) {
    char here[longest / 2] = "";
    if (strncmp(name, "stampi", 6) == 0) return name;
    if (name[0] != '/' && getcwd(here, sizeof here) != NULL) strcat(here, "/");
    snprintf(to, longest, "stampi://elsewhere%s%s", here, name);
    return to;
}

int MPI_File_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
    char to[longest];
    return NEXT(MPI_File_open)(comm, far(name, to), mode, info, file);
}

int MPI_File_delete(const char* name, MPI_Info info) {
    char to[longest];
    return NEXT(MPI_File_delete)(far(name, to), info);
}

/* Fortran's: behind the arguments comes the length of the name, which has blanks at its end. */
static const char* far_fortran(const char* name, size_t length, char* to) {
    char copy[longest / 2];
    while (length > 0 && name[length - 1] == ' ') --length;
    snprintf(copy, sizeof copy, "%.*s", (int)length, name);
    return strcpy(to, far(copy, (char[longest]){0}));
}

void mpi_file_open_(MPI_Fint* comm, const char* name, MPI_Fint* mode, MPI_Fint* info, MPI_Fint* file, MPI_Fint* code,
                    size_t length) {
    char to[longest];
    far_fortran(name, length, to);
    NEXT(mpi_file_open_)(comm, to, mode, info, file, code, strlen(to));
}

void mpi_file_delete_(const char* name, MPI_Fint* info, MPI_Fint* code, size_t length) {
    char to[longest];
    far_fortran(name, length, to);
    NEXT(mpi_file_delete_)(to, info, code, strlen(to));
}
