// What gfortran 15 makes of coindexed objects, by hand: its accessors, and its calls of the library (gfortran's manual,
// "Function ABI Documentation"; gcc 15, libgfortran/caf/libcaf.h). Tells of each access as the Fortran programs here do.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ptrdiff_t stride, lower, upper;
} Dimension;
typedef struct {
    void* base;
    size_t offset;
    struct {
        size_t element_bytes;
        int version;
        signed char rank, type;
        short attribute;
    } type;
    ptrdiff_t span;
    Dimension dimension[1];
} Array;
typedef void* Token;
typedef void Accessor(void);
enum { integer = 1, real = 3, derived = 5, character = 6 };

void _gfortran_caf_init(int*, char***);
void _gfortran_caf_finalize(void);
int _gfortran_caf_this_image(int);
int _gfortran_caf_num_images(int, int);
void _gfortran_caf_register(size_t, int, Token*, Array*, int*, char*, size_t);
void _gfortran_caf_sync_all(int*, char*, size_t);
void _gfortran_caf_register_accessor(int, Accessor*);
void _gfortran_caf_register_accessors_finish(void);
int _gfortran_caf_get_remote_function_index(int);
void _gfortran_caf_get_from_remote(Token, const Array*, const size_t*, int, size_t, void**, size_t*, Array*, bool, int, void*,
                                   size_t, int*, void*, int*);
void _gfortran_caf_send_to_remote(Token, Array*, const size_t*, int, size_t, const void*, const size_t*, const Array*, int,
                                  void*, size_t, int*, void*, int*);
void _gfortran_caf_transfer_between_remotes(Token, Array*, size_t*, int, int, void*, size_t, Token, const Array*, const size_t*,
                                            int, int, void*, size_t, size_t, bool, int*, int*, void*, int*, void*, int*);
int32_t _gfortran_caf_is_present_on_remote(Token, int, int, void*, size_t);

static Array array_of(void* base, int type, size_t bytes, ptrdiff_t lower, ptrdiff_t upper, ptrdiff_t stride) {
    Array array = {
        base, (size_t)(-lower * stride), {bytes, 0, 1, (signed char)type, 0}, (ptrdiff_t)bytes, {{stride, lower, upper}}};
    return array;
}

// integer(8), save :: plain(10)[*]; integer(8), allocatable :: later(:)[:], later(0:5); type(object), save :: one[*];
// character(4), save :: names(3)[*]
typedef struct {
    int n;
    Array x;  // real(8), allocatable :: x(:)
    Token token;
} Object;
static Token plain_token, later_token, one_token, names_token;
static int64_t* plain;
static Array later;
static Object* one;
static char* names;

typedef struct {
    int64_t first, last, step;
} Section;

// plain(i)[k]
static void get_element(const Section* data, const int* image, int64_t** buffer, int32_t* is_new, int64_t* base) {
    (void)image;
    *buffer = &base[data->first - 1];
    *is_new = 0;
}

static void fill(Array* buffer, int type, const char* from, size_t bytes, int64_t count, int64_t step) {
    char* const memory = malloc(bytes * (size_t)(count + 1));
    for (int64_t i = 0; i < count; ++i) memcpy(memory + (size_t)i * bytes, from + i * step * (int64_t)bytes, bytes);
    *buffer = array_of(memory, type, bytes, 1, count, 1);
}

// plain(l:u:s)[k]
static void get_section(const Section* data, const int* image, Array* buffer, int32_t* is_new, int64_t* base) {
    (void)image;
    fill(buffer, integer, (char*)&base[data->first - 1], sizeof *base, (data->last - data->first) / data->step + 1, data->step);
    *is_new = 1;
}

// later(l:u:s)[k]: of an array with a descriptor
static void get_later(const Section* data, const int* image, Array* buffer, int32_t* is_new, Array* base) {
    Section section = *data;
    section.first -= base->dimension[0].lower - 1;
    section.last -= base->dimension[0].lower - 1;
    get_section(&section, image, buffer, is_new, base->base);
}

// plain(l:u:s)[k] = an array of integer(4)
static void set_section(const Section* data, const int* image, int64_t* base, const Array* value) {
    (void)image;
    for (int64_t i = data->first, from = 0; i <= data->last; i += data->step, ++from)
        base[i - 1] = ((const int32_t*)value->base)[from * value->dimension[0].stride];
}

// later(l:u:s)[k] = a scalar
static void set_later(const Section* data, const int* image, Array* base, const int64_t* value) {
    (void)image;
    for (int64_t i = data->first; i <= data->last; i += data->step)
        ((int64_t*)base->base)[i - base->dimension[0].lower] = *value;
}

// plain(l:u)[k] = an array of integer(8)
static void set_same(const Section* data, const int* image, int64_t* base, const Array* value) {
    (void)image;
    for (int64_t i = data->first; i <= data->last; ++i) base[i - 1] = ((const int64_t*)value->base)[i - data->first];
}

// one[k]%x
static void get_x(const void* data, const int* image, Array* buffer, int32_t* is_new, Object* base) {
    (void)data, (void)image;
    fill(buffer, real, base->x.base, sizeof(double), base->x.dimension[0].upper, 1);
    *is_new = 1;
}

// one[k]%x(i)
static void get_x_element(const Section* data, const int* image, double** buffer, int32_t* is_new, Object* base) {
    (void)image;
    *buffer = &((double*)base->x.base)[data->first - 1];
    *is_new = 0;
}

// one[k]%x = an array
static void set_x(const void* data, const int* image, Object* base, const Array* value) {
    (void)data, (void)image;
    const int64_t count = value->dimension[0].upper - value->dimension[0].lower + 1;
    free(base->x.base);
    fill(&base->x, real, value->base, sizeof(double), count, 1);
}

static void x_is_present(const void* data, const int* image, int32_t* result, Object* base) {
    (void)data, (void)image;
    *result = base->x.base != NULL;
}

// names(i)[k], and its assignment with blanks behind
static void get_name(const Section* data, const int* image, char** buffer, int32_t* is_new, char* base, Token token,
                     size_t offset, size_t* to_length) {
    (void)image, (void)token, (void)offset;
    *buffer = base + 4 * (data->first - 1);
    *to_length = 4;
    *is_new = 0;
}

static void set_name(const Section* data, const int* image, char* base, const char* value, Token token, size_t offset,
                     const size_t* to_length, const size_t* from_length) {
    (void)image, (void)token, (void)offset, (void)to_length;
    for (size_t i = 0; i < 4; ++i) base[4 * (data->first - 1) + (int64_t)i] = i < *from_length ? value[i] : ' ';
}

enum { element = 1000, section = -7, later_section, to_section, to_later, same, x, x_element, to_x, has_x, name, to_name };

__attribute__((constructor)) static void register_all(void) {
    Array described = array_of(NULL, integer, sizeof(int64_t), 1, 10, 1);
    _gfortran_caf_register(10 * sizeof(int64_t), 0, &plain_token, &described, NULL, NULL, 0);
    plain = described.base;
    described = array_of(NULL, derived, sizeof(Object), 1, 1, 1);
    described.type.rank = 0;
    _gfortran_caf_register(sizeof(Object), 0, &one_token, &described, NULL, NULL, 0);
    one = described.base;
    described = array_of(NULL, character, 4, 1, 3, 1);
    _gfortran_caf_register(12, 0, &names_token, &described, NULL, NULL, 0);
    names = described.base;
    _gfortran_caf_register_accessor(element, (Accessor*)get_element);
    _gfortran_caf_register_accessor(section, (Accessor*)get_section);
    _gfortran_caf_register_accessor(later_section, (Accessor*)get_later);
    _gfortran_caf_register_accessor(to_section, (Accessor*)set_section);
    _gfortran_caf_register_accessors_finish();
    _gfortran_caf_register_accessor(to_later, (Accessor*)set_later);
    _gfortran_caf_register_accessor(same, (Accessor*)set_same);
    _gfortran_caf_register_accessor(x, (Accessor*)get_x);
    _gfortran_caf_register_accessor(x_element, (Accessor*)get_x_element);
    _gfortran_caf_register_accessor(to_x, (Accessor*)set_x);
    _gfortran_caf_register_accessor(has_x, (Accessor*)x_is_present);
    _gfortran_caf_register_accessor(name, (Accessor*)get_name);
    _gfortran_caf_register_accessor(to_name, (Accessor*)set_name);
    _gfortran_caf_register_accessors_finish();
}

static int index_of(int hash) {
    return _gfortran_caf_get_remote_function_index(hash);
}

static void tell(const char* what, bool right) {
    printf("%s %c\n", what, right ? 'T' : 'F');
    fflush(stdout);
}

static void sync_all(void) {
    _gfortran_caf_sync_all(NULL, NULL, 0);
}

static void get_array(Token token, const Array* object, int image, Array* to, bool may_move, int hash, Section data) {
    _gfortran_caf_get_from_remote(token, object, NULL, image, 8, &to->base, NULL, to, may_move, index_of(hash), &data,
                                  sizeof data, NULL, NULL, NULL);
}

static void gets(int next) {
    int64_t value = 0, values[4] = {0};
    void* at = &value;
    int stat = -1;
    Section data = {3, 0, 0};
    _gfortran_caf_get_from_remote(plain_token, NULL, NULL, next, 8, &at, NULL, NULL, false, index_of(element), &data,
                                  sizeof data, &stat, NULL, NULL);
    tell("get of an element", *(int64_t*)at == 100 * next + 3 && stat == 0);
    Array to = array_of(values, integer, 8, 1, 4, 1);
    get_array(plain_token, NULL, next, &to, false, section, (Section){2, 8, 2});
    bool right = to.base == values;
    for (int i = 0; i < 4; ++i) right = right && values[i] == 100 * next + 2 + 2 * i;
    tell("get of a section", right);
    Array grown = array_of(malloc(8), integer, 8, 1, 1, 1);
    get_array(later_token, &later, next, &grown, true, later_section, (Section){1, 5, 1});
    right = grown.dimension[0].lower == 1 && grown.dimension[0].upper == 5;
    for (int i = 0; right && i < 5; ++i) right = ((int64_t*)grown.base)[i] == 200 * next + 1 + i;
    tell("get that allocates", right && later.base != NULL);
    free(grown.base);
    char text[8] = "........";
    size_t length = 4;
    at = text;
    _gfortran_caf_get_from_remote(names_token, NULL, NULL, next, 1, &at, &length, NULL, false, index_of(name),
                                  &(Section){2, 0, 0}, sizeof data, NULL, NULL, NULL);
    char expected[16];
    snprintf(expected, sizeof expected, "%04d", next * 10 + 2);
    tell("get of a text", memcmp(at, expected, 4) == 0 && length == 4);
}

static void sends(int next) {
    int32_t values[6] = {7 * next, 0, 8 * next, 0, 9 * next, 0};
    const Array from = array_of(values, integer, 4, 0, 2, 2);  // with gaps
    Section data = {1, 9, 4};
    _gfortran_caf_send_to_remote(plain_token, NULL, NULL, next, 4, NULL, NULL, &from, index_of(to_section), &data, sizeof data,
                                 NULL, NULL, NULL);
    const int64_t value = -next;
    data = (Section){0, 4, 2};
    int stat = -1;
    _gfortran_caf_send_to_remote(later_token, &later, NULL, next, 8, &value, NULL, NULL, index_of(to_later), &data, sizeof data,
                                 &stat, NULL, NULL);
    const size_t two = 2, four = 4;
    _gfortran_caf_send_to_remote(names_token, NULL, &four, next, 1, "ab", &two, NULL, index_of(to_name), &(Section){3, 0, 0},
                                 sizeof data, NULL, NULL, NULL);
    tell("send with stat", stat == 0);
}

static void components(int me, int next) {
    double values[3] = {next, 2 * next, 3 * next};
    const Array from = array_of(values, real, 8, 1, 3, 1);
    Section data = {2, 0, 0};
    bool before = _gfortran_caf_is_present_on_remote(one_token, next, index_of(has_x), &data, sizeof data);
    sync_all();
    _gfortran_caf_send_to_remote(one_token, NULL, NULL, next, 8, NULL, NULL, &from, index_of(to_x), &data, sizeof data, NULL,
                                 NULL, NULL);
    sync_all();
    tell("component of this image", one->x.dimension[0].upper == 3 && ((double*)one->x.base)[2] == 3 * me);
    bool behind = _gfortran_caf_is_present_on_remote(one_token, next, index_of(has_x), &data, sizeof data);
    tell("allocated", !before && behind);
    double value = 0;
    void* at = &value;
    _gfortran_caf_get_from_remote(one_token, NULL, NULL, next, 8, &at, NULL, NULL, false, index_of(x_element), &data,
                                  sizeof data, NULL, NULL, NULL);
    tell("get of an element of a component", *(double*)at == 2 * next);
    Array all = array_of(NULL, real, 8, 1, 0, 1);
    get_array(one_token, NULL, next, &all, true, x, data);
    tell("get of a component", all.dimension[0].upper == 3 && ((double*)all.base)[2] == 3 * next);
    free(all.base);
    sync_all();
}

static void transfers(int next, int images) {
    const int behind = next % images + 1;
    Section from = {2, 4, 1}, to = {8, 10, 1}, second = {2, 2, 1}, zero = {3, 3, 1};
    int to_stat = -1, from_stat = -1;
    _gfortran_caf_transfer_between_remotes(plain_token, NULL, NULL, behind, index_of(same), &to, sizeof to, plain_token, NULL,
                                           NULL, next, index_of(section), &from, sizeof from, 8, false, &to_stat, &from_stat,
                                           NULL, NULL, NULL, NULL);
    _gfortran_caf_transfer_between_remotes(later_token, &later, NULL, behind, index_of(to_later), &zero, sizeof zero,
                                           plain_token, NULL, NULL, next, index_of(element), &second, sizeof second, 8, true,
                                           NULL, NULL, NULL, NULL, NULL, NULL);
    tell("stat of both", to_stat == 0 && from_stat == 0);
}

int main(int argc, char** argv) {
    _gfortran_caf_init(&argc, &argv);
    const int me = _gfortran_caf_this_image(0), images = _gfortran_caf_num_images(0, -1);
    const int next = me % images + 1, previous = (me + images - 2) % images + 1;
    later = array_of(NULL, integer, 8, 0, 5, 1);
    _gfortran_caf_register(6 * 8, 1, &later_token, &later, NULL, NULL, 0);
    for (int i = 0; i < 10; ++i) plain[i] = 100 * me + i + 1;
    for (int i = 0; i < 6; ++i) ((int64_t*)later.base)[i] = 200 * me + i;
    for (int i = 0; i < 3; ++i) {
        char text[16];
        snprintf(text, sizeof text, "%04d", me * 10 + i + 1);
        memcpy(names + 4 * i, text, 4);
    }
    sync_all();
    gets(next);
    gets(me);
    sync_all();
    sends(next);
    sync_all();
    const int64_t* const l = later.base;
    tell("section that was sent", plain[0] == 7 * me && plain[1] == 100 * me + 2 && plain[4] == 8 * me && plain[8] == 9 * me);
    tell("scalar that was sent", l[0] == -me && l[1] == 200 * me + 1 && l[2] == -me && l[4] == -me && l[5] == 200 * me + 5);
    tell("text that was sent", memcmp(names + 8, "ab  ", 4) == 0);
    sync_all();
    transfers(next, images);
    sync_all();
    tell("section between images", plain[7] == 100 * previous + 2 && plain[9] == 100 * previous + 4);
    tell("scalar between images", l[3] == 100 * previous + 2);
    sync_all();
    components(me, next);
    // of this image, where both sides are the same elements
    Array own = array_of(plain, integer, 8, 1, 3, 1);
    Section data = {2, 4, 1};
    const int64_t first = plain[0];
    _gfortran_caf_send_to_remote(plain_token, NULL, NULL, me, 8, NULL, NULL, &own, index_of(same), &data, sizeof data, NULL,
                                 NULL, NULL);
    tell("of oneself", plain[1] == first && plain[0] == first && plain[2] != first);
    tell("of no such accessor", index_of(12345) == -1);
    sync_all();
    _gfortran_caf_finalize();
    return 0;
}
