/* What the sweeps run: files written and read in many ways under faults, and what each rank was told, as JSON.
 *
 *   workload CASES RESULTS DIRECTORY      (ranks of mpiexec; the injector preloaded)
 *
 * CASES has one line for each case: number direction layout access hints rules. Every case is a file of its own,
 * DIRECTORY/case-NUMBER.dat; the rules are armed before it is opened. Rank r appends one line for each case to RESULTS.r.
 * Byte o of every file is a function of o alone (`content`), so that who checks it needs to know no layout. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { piece_bytes = 4096, pieces = 4, calls = 4, call_bytes = pieces * piece_bytes };

static int rank, ranks;

/* ---- layouts: where call `call` of a rank lies ---- */
struct layout {
    const char *name;
    void (*view)(MPI_File file, MPI_Info info);
    MPI_Offset (*position)(int call);          /* where the call begins, in the view */
    MPI_Offset (*offset)(int call, int piece); /* of a piece, in the file */
};

static MPI_Offset in_order(int call) { return (MPI_Offset)call * call_bytes; }

/* Each rank has one contiguous block. */
static MPI_Offset block_offset(int call, int piece) { return (MPI_Offset)(rank * calls + call) * call_bytes + piece * piece_bytes; }
static void block_view(MPI_File file, MPI_Info info)
{
    MPI_File_set_view(file, block_offset(0, 0), MPI_BYTE, MPI_BYTE, "native", info);
}

/* Pieces of 4 KiB in turn, by a view: all ranks' data meets in each collective call. */
static MPI_Offset interleaved_offset(int call, int piece) { return (MPI_Offset)((call * pieces + piece) * ranks + rank) * piece_bytes; }
static void interleaved_view(MPI_File file, MPI_Info info)
{
    MPI_Datatype piece, every;
    MPI_Type_contiguous(piece_bytes, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, (MPI_Aint)ranks * piece_bytes, &every);
    MPI_Type_commit(&every);
    MPI_File_set_view(file, (MPI_Offset)rank * piece_bytes, MPI_BYTE, every, "native", info);
    MPI_Type_free(&every);
    MPI_Type_free(&piece);
}

/* No view: calls of 16 KiB in turn, each at its offset in the file. */
static MPI_Offset turn_offset(int call, int piece) { return (MPI_Offset)(call * ranks + rank) * call_bytes + piece * piece_bytes; }
static MPI_Offset turn_position(int call) { return turn_offset(call, 0); }
static void no_view(MPI_File file, MPI_Info info) { (void)file, (void)info; }

static const struct layout layouts[] = {
    {"blocks", block_view, in_order, block_offset},
    {"interleaved", interleaved_view, in_order, interleaved_offset},
    {"turns", no_view, turn_position, turn_offset},
};

/* ---- accesses: the MPI function, in one form for all ---- */
struct transfer {
    MPI_File file;
    MPI_Offset position;
    unsigned char *buffer;
    MPI_Request request;
    MPI_Status status;
    int result;
};

struct access {
    const char *name;
    void (*write)(struct transfer *);
    void (*read)(struct transfer *);
    int shared; /* by the shared pointer: the order of ranks is anybody's */
};

#define EXPLICIT(name, function) \
    static void name(struct transfer *t) { t->result = function(t->file, t->position, t->buffer, call_bytes, MPI_BYTE, &t->status); }
#define SOUGHT(name, function)                                                             \
    static void name(struct transfer *t)                                                   \
    {                                                                                      \
        MPI_File_seek(t->file, t->position, MPI_SEEK_SET);                                 \
        t->result = function(t->file, t->buffer, call_bytes, MPI_BYTE, &t->status);        \
    }
#define POINTED(name, function) \
    static void name(struct transfer *t) { t->result = function(t->file, t->buffer, call_bytes, MPI_BYTE, &t->status); }
#define STARTED(name, function) \
    static void name(struct transfer *t) { t->result = function(t->file, t->position, t->buffer, call_bytes, MPI_BYTE, &t->request); }
#define SPLIT(name, function)                                                                          \
    static void name(struct transfer *t)                                                               \
    {                                                                                                  \
        t->result = function##_begin(t->file, t->position, t->buffer, call_bytes, MPI_BYTE);           \
        if (t->result == MPI_SUCCESS) t->result = function##_end(t->file, t->buffer, &t->status);      \
    }
EXPLICIT(write_at, MPI_File_write_at)
EXPLICIT(read_at, MPI_File_read_at)
EXPLICIT(write_at_all, MPI_File_write_at_all)
EXPLICIT(read_at_all, MPI_File_read_at_all)
SOUGHT(write_one, MPI_File_write)
SOUGHT(read_one, MPI_File_read)
SOUGHT(write_all, MPI_File_write_all)
SOUGHT(read_all, MPI_File_read_all)
POINTED(write_shared, MPI_File_write_shared)
POINTED(read_shared, MPI_File_read_shared)
POINTED(write_ordered, MPI_File_write_ordered)
POINTED(read_ordered, MPI_File_read_ordered)
STARTED(iwrite_at, MPI_File_iwrite_at)
STARTED(iread_at, MPI_File_iread_at)
STARTED(iwrite_at_all, MPI_File_iwrite_at_all)
STARTED(iread_at_all, MPI_File_iread_at_all)
SPLIT(write_split, MPI_File_write_at_all)
SPLIT(read_split, MPI_File_read_at_all)

static const struct access accesses[] = {
    {"at", write_at, read_at, 0},
    {"at_all", write_at_all, read_at_all, 0},
    {"one", write_one, read_one, 0},
    {"all", write_all, read_all, 0},
    {"shared", write_shared, read_shared, 1},
    {"ordered", write_ordered, read_ordered, 0},
    {"iat", iwrite_at, iread_at, 0},
    {"iat_all", iwrite_at_all, iread_at_all, 0},
    {"split", write_split, read_split, 0},
};

/* ---- what a byte of a file is ---- */
static unsigned char content(MPI_Offset offset)
{
    const uint64_t word = ((uint64_t)offset / 8 + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return (unsigned char)(word >> (offset % 8 * 8));
}

static void fill(unsigned char *buffer, const struct layout *layout, int call)
{
    for (int i = 0; i < call_bytes; i++) buffer[i] = content(layout->offset(call, i / piece_bytes) + i % piece_bytes);
}

static int different(const unsigned char *one, const unsigned char *other, int bytes)
{
    int wrong = 0;
    for (int i = 0; i < bytes; i++) wrong += one[i] != other[i];
    return wrong;
}

/* Bytes of a read that are not the file's. A read by the shared pointer may return any rank's record. */
static int wrong_bytes(const struct layout *layout, const struct access *access, int call, const unsigned char *buffer, int bytes)
{
    static unsigned char expected[call_bytes];
    int least = call_bytes;
    for (int record = 0; record < (access->shared ? calls * ranks : 1); record++) {
        for (int i = 0; i < call_bytes; i++)
            expected[i] = access->shared ? content((MPI_Offset)record * call_bytes + i)
                                         : content(layout->offset(call, i / piece_bytes) + i % piece_bytes);
        const int wrong = different(buffer, expected, bytes);
        if (wrong < least) least = wrong;
    }
    return least;
}

/* ---- what this rank was told ---- */
static FILE *results;
static const char *comma;

/* Error classes by name: their numbers differ between MPI libraries. */
#define CLASS(name) {name, #name}
static const struct {
    int number;
    const char *name;
} classes[] = {
    CLASS(MPI_SUCCESS), CLASS(MPI_ERR_IO), CLASS(MPI_ERR_NO_SPACE), CLASS(MPI_ERR_QUOTA), CLASS(MPI_ERR_ACCESS),
    CLASS(MPI_ERR_NO_SUCH_FILE), CLASS(MPI_ERR_READ_ONLY), CLASS(MPI_ERR_FILE), CLASS(MPI_ERR_BAD_FILE), CLASS(MPI_ERR_ARG),
    CLASS(MPI_ERR_OTHER), CLASS(MPI_ERR_INTERN), CLASS(MPI_ERR_UNKNOWN), CLASS(MPI_ERR_NO_MEM), CLASS(MPI_ERR_FILE_IN_USE),
    CLASS(MPI_ERR_UNSUPPORTED_OPERATION),
};

static const char *error_class(int result)
{
    int class = result;
    if (result != MPI_SUCCESS) MPI_Error_class(result, &class);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].number == class) return classes[i].name;
    return "another class";
}

static int told(const char *call, int result, int bytes, int wrong)
{
    fprintf(results, "%s[\"%s\", \"%s\", %d, %d]", comma, call, error_class(result), bytes, wrong);
    comma = ", ";
    return result;
}

static void told_transfer(const struct layout *layout, const struct access *access, int reading, int call, struct transfer *t)
{
    int bytes = 0;
    if (t->result == MPI_SUCCESS && t->request != MPI_REQUEST_NULL) t->result = MPI_Wait(&t->request, &t->status);
    if (t->result == MPI_SUCCESS) MPI_Get_count(&t->status, MPI_BYTE, &bytes);
    const int wrong = reading && bytes > 0 ? wrong_bytes(layout, access, call, t->buffer, bytes) : 0;
    told(access->name, t->result, bytes, wrong);
}

/* ---- the injector, where there is one ---- */
static void *injector(const char *name) { return dlsym(RTLD_DEFAULT, name); }

static void arm(const char *rules)
{
    int (*const function)(const char *) = (int (*)(const char *))injector("kumihimo_faults_arm");
    if (function && function(rules) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
}

static void told_counts(void)
{
    static const char *const kinds[] = {"open", "read", "write", "sync", "close", "truncate", "allocate", "lock", "unlink", "size"};
    long (*const injected)(void) = (long (*)(void))injector("kumihimo_faults_injected");
    long (*const count)(const char *) = (long (*)(const char *))injector("kumihimo_faults_count");
    fprintf(results, "], \"injected\": %ld, \"counts\": {", injected ? injected() : 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        fprintf(results, "%s\"%s\": %ld", i ? ", " : "", kinds[i], count ? count(kinds[i]) : 0);
    fprintf(results, "}}\n");
    fflush(results);
}

/* ---- a case ---- */
struct test_case {
    long number;
    char direction[16], layout[16], access[16], hints[128], rules[512];
};

/* Hints: key=value+key=value, or - for none. */
static MPI_Info info_of(const char *hints)
{
    MPI_Info info;
    char copy[128], *rest = copy;
    MPI_Info_create(&info);
    snprintf(copy, sizeof copy, "%s", hints);
    for (char *hint = strtok_r(rest, "+", &rest); hint; hint = strtok_r(NULL, "+", &rest)) {
        char *const equals = strchr(hint, '=');
        if (equals) *equals = '\0', MPI_Info_set(info, hint, equals + 1);
    }
    return info;
}

static void transfers(MPI_File file, const struct layout *layout, const struct access *access, int reading)
{
    static unsigned char buffers[calls][call_bytes];
    struct transfer transfer[calls];
    const int nonblocking = access->name[0] == 'i';
    for (int call = 0; call < calls; call++) {
        struct transfer *const t = &transfer[call];
        *t = (struct transfer){file, layout->position(call), buffers[call], MPI_REQUEST_NULL, {0}, MPI_SUCCESS};
        if (reading) memset(t->buffer, 0x5a, call_bytes);
        else fill(t->buffer, layout, call);
        (reading ? access->read : access->write)(t);
        if (!nonblocking) told_transfer(layout, access, reading, call, t);
    }
    for (int call = 0; nonblocking && call < calls; call++) told_transfer(layout, access, reading, call, &transfer[call]);
}

static int is(const struct test_case *what, const char *direction) { return strcmp(what->direction, direction) == 0; }

/* Direction `removed`: rank 0 takes away file and directory while all have the file open. */
static void remove_directory(const char *path, const char *directory)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && (unlink(path) != 0 || rmdir(directory) != 0)) perror(directory), MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Direction `limited`: no file may grow beyond half of what is written. */
static void limit_file_size(const struct test_case *what)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = is(what, "limited") ? (rlim_t)ranks * calls * call_bytes / 2 : limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN); /* so that it is an error instead */
}

static void use_file(MPI_File file, const struct layout *layout, const struct access *access, const struct test_case *what, MPI_Info info)
{
    const int reading = is(what, "read");
    layout->view(file, info);
    if (is(what, "sized")) {
        told("set_size", MPI_File_set_size(file, (MPI_Offset)ranks * calls * call_bytes / 2), 0, 0);
        told("preallocate", MPI_File_preallocate(file, (MPI_Offset)ranks * calls * call_bytes), 0, 0);
    }
    transfers(file, layout, access, reading);
    if (!reading && !is(what, "closed")) told("sync", MPI_File_sync(file), 0, 0);
    if (is(what, "synced_twice")) told("sync", MPI_File_sync(file), 0, 0);
}

static void run(const struct test_case *what, const struct layout *layout, const struct access *access, const char *parent)
{
    char directory[2048], path[4096];
    MPI_File file;
    MPI_Info info = info_of(what->hints);
    snprintf(directory, sizeof directory, "%s", parent);
    if (is(what, "removed")) snprintf(directory, sizeof directory, "%s/directory-%ld", parent, what->number);
    if (is(what, "removed") && rank == 0) mkdir(directory, 0777);
    snprintf(path, sizeof path, "%s/case-%ld.dat", directory, what->number);
    arm(strcmp(what->rules, "-") == 0 ? "" : what->rules);
    MPI_Barrier(MPI_COMM_WORLD);
    limit_file_size(what);
    comma = "";
    fprintf(results, "{\"case\": %ld, \"calls\": [", what->number);
    const int mode = is(what, "read") ? MPI_MODE_RDONLY : MPI_MODE_CREATE | MPI_MODE_RDWR;
    if (told("open", MPI_File_open(MPI_COMM_WORLD, path, mode, info, &file), 0, 0) == MPI_SUCCESS) {
        if (is(what, "removed")) remove_directory(path, directory);
        use_file(file, layout, access, what, info);
        told("close", MPI_File_close(&file), 0, 0);
    }
    told_counts();
    arm("");
    MPI_Info_free(&info);
}

#define FIND(variable, table, wanted)                                        \
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)                \
        if (strcmp(table[i].name, wanted) == 0) variable = &table[i];

static int parse(const char *line, struct test_case *what)
{
    return sscanf(line, "%ld %15s %15s %15s %127s %511s", &what->number, what->direction, what->layout, what->access, what->hints,
                  what->rules) == 6;
}

int main(int argc, char **argv)
{
    char line[1024];
    struct test_case what;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    FILE *const cases = argc == 4 ? fopen(argv[1], "r") : NULL;
    snprintf(line, sizeof line, "%s.%d", argc == 4 ? argv[2] : "", rank);
    results = fopen(line, "a");
    if (!cases || !results) fprintf(stderr, "workload: cannot open its files\n"), MPI_Abort(MPI_COMM_WORLD, 2);
    fprintf(results, "{\"process\": %ld}\n", (long)getpid());
    fflush(results);
    while (fgets(line, sizeof line, cases)) {
        const struct layout *layout = NULL;
        const struct access *access = NULL;
        if (!parse(line, &what)) fprintf(stderr, "workload: cannot read %s", line), MPI_Abort(MPI_COMM_WORLD, 2);
        FIND(layout, layouts, what.layout)
        FIND(access, accesses, what.access)
        if (!layout || !access) fprintf(stderr, "workload: unknown pattern in %s", line), MPI_Abort(MPI_COMM_WORLD, 2);
        run(&what, layout, access, argv[3]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
