#include "runtime/caf/component_memory.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/next.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/memory/segment.hpp"

namespace kumihimo::caf {

namespace {

using execution::Context;

constexpr std::size_t all_bytes = std::size_t{4} << 20;  // of each image; the kernel gives what is touched
constexpr std::size_t chunk_bytes = std::size_t{64} << 10, chunks = all_bytes / chunk_bytes;
constexpr std::size_t least_place = 64;  // places are powers of two: no two components share a cache line
constexpr std::size_t place_sizes = std::countr_zero(chunk_bytes) - std::countr_zero(least_place) + 1;

// The begin of this image's; where there is none, no address lies behind it.
constexpr std::uintptr_t nowhere = UINTPTR_MAX - all_bytes;
constinit std::atomic<std::uintptr_t> begin = nowhere;

bool is_here(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) - begin.load(std::memory_order_relaxed) < all_bytes;
}

// Chunks of places of one size each. What is kept of them is this process's alone, so nothing that others write harms it.
struct Places {
    std::mutex mutex;
    std::size_t used_chunks = 0;
    std::array<std::uint8_t, chunks> size_of_chunk;
    std::array<std::vector<void*>, place_sizes> free;  // with room for all: giving back allocates nothing
    static Places& get() {
        static auto& places = *new Places;
        return places;
    }
};

// Components whose memory is malloc's, and those that `realloc` has moved: a token is the address at which its component was
// made, so no other one is made there while it lives. Nothing is freed while the mutex is held: `free` takes it, too.
struct Tracks {
    std::mutex mutex;
    std::set<const void*> outside;
    std::map<const void*, void*> moved;       // from where it was made to where it is
    std::map<const void*, const void*> made;  // and back
    static Tracks& get() {
        static auto& tracks = *new Tracks;
        return tracks;
    }
};
constinit std::atomic<std::size_t> outside_count = 0, moved_count = 0;  // where there are none, `free` looks no further

void note_outside(const void* memory) {
    Tracks& tracks = Tracks::get();
    const std::lock_guard lock(tracks.mutex);
    if (tracks.outside.insert(memory).second) ++outside_count;
}

// Whether it was one outside.
bool end_outside(const void* memory) {
    if (outside_count.load(std::memory_order_relaxed) == 0) return false;
    Tracks& tracks = Tracks::get();
    decltype(tracks.outside)::node_type ended;
    const std::lock_guard lock(tracks.mutex);
    ended = tracks.outside.extract(memory);
    if (!ended.empty()) --outside_count;
    return !ended.empty();
}

void note_move(const void* from, void* to) {
    Tracks& tracks = Tracks::get();
    decltype(tracks.made)::node_type before;
    const std::lock_guard lock(tracks.mutex);
    before = tracks.made.extract(from);
    const void* const first = before.empty() ? from : before.mapped();
    tracks.moved[first] = to;
    tracks.made[to] = first;
    moved_count = tracks.moved.size();
}

// The one here is no more.
void end_move(const void* memory) {
    if (moved_count.load(std::memory_order_relaxed) == 0) return;
    Tracks& tracks = Tracks::get();
    decltype(tracks.made)::node_type back;
    decltype(tracks.moved)::node_type there;
    const std::lock_guard lock(tracks.mutex);
    back = tracks.made.extract(memory);
    if (!back.empty()) there = tracks.moved.extract(back.mapped());
    moved_count = tracks.moved.size();
}

bool lives_elsewhere(const void* memory) {
    return moved_count.load(std::memory_order_relaxed) != 0 && moved_component(memory) != nullptr;
}

std::size_t size_number(std::size_t bytes) {
    return static_cast<std::size_t>(std::bit_width((std::max(bytes, least_place) - 1) / least_place));
}

std::size_t place_bytes_of(std::size_t number) {
    return least_place << number;
}

std::size_t size_number_of(const Places& places, const void* memory) {
    return places.size_of_chunk[(reinterpret_cast<std::uintptr_t>(memory) - begin) / chunk_bytes];
}

bool divide_chunk(Places& places, std::size_t number) {
    if (places.used_chunks == chunks) return false;
    char* const chunk = reinterpret_cast<char*>(begin.load()) + places.used_chunks * chunk_bytes;
    std::vector<void*>& free = places.free[number];
    const std::size_t more = chunk_bytes / place_bytes_of(number);
    free.reserve(free.capacity() + more);
    places.size_of_chunk[places.used_chunks++] = static_cast<std::uint8_t>(number);
    for (std::size_t i = more; i-- > 0;) free.push_back(chunk + i * place_bytes_of(number));
    return true;
}

void give_back(void* memory) {
    Places& places = Places::get();
    const std::lock_guard lock(places.mutex);
    places.free[size_number_of(places, memory)].push_back(memory);
}

void* find_next(const char* name) {
    return dlsym(RTLD_NEXT, name);
}

constinit base::Next<void(void*), find_next> next_free{"free"};
constinit base::Next<void*(void*, std::size_t), find_next> next_realloc{"realloc"};

// Null where there is no room or it is large.
void* take_place(std::size_t bytes) {
    if (bytes > chunk_bytes) return nullptr;
    Places& places = Places::get();
    const std::lock_guard lock(places.mutex);
    const std::size_t number = size_number(bytes);
    std::vector<void*>& free = places.free[number];
    const auto find = [&] { return std::find_if_not(free.rbegin(), free.rend(), lives_elsewhere); };
    auto found = find();
    if (found == free.rend() && divide_chunk(places, number)) found = find();
    if (found == free.rend()) return nullptr;
    std::swap(*found, free.back());
    void* const memory = free.back();
    free.pop_back();
    std::memset(memory, 0, bytes);
    return memory;
}

void* take_outside(std::size_t bytes) {
    void* const memory = std::calloc(bytes, 1);
    if (memory == nullptr) return nullptr;
    if (!lives_elsewhere(memory)) {
        note_outside(memory);
        return memory;
    }
    void* const other = take_outside(bytes);
    next_free(memory);
    return other;
}

void* move(void* memory, std::size_t bytes) {
    const std::size_t room = place_bytes_of(size_number_of(Places::get(), memory));
    if (bytes <= room) return memory;
    void* const larger = take_component_memory(bytes);
    if (larger == nullptr) return nullptr;
    std::memcpy(larger, memory, room);
    note_move(memory, larger);
    give_back(memory);
    return larger;
}

void* move_outside(void* memory, std::size_t bytes) {
    const bool is_component = end_outside(memory);
    void* const now = next_realloc(memory, bytes);
    if (!is_component) return now;
    if (now == nullptr && bytes == 0)
        end_move(memory);
    else
        note_outside(now != nullptr ? now : memory);
    if (now != nullptr && now != memory) note_move(memory, now);
    return now;
}

// Each image's, as its process and as this one has it.
struct Mapped {
    std::uintptr_t there = nowhere;
    std::byte* here = nullptr;
};
struct Neighbours {
    std::unique_ptr<memory::Segment> segment;
    std::vector<Mapped> of;  // by number in the entire set
    static Neighbours& get() {
        static auto& neighbours = *new Neighbours;
        return neighbours;
    }
};

bool free_is_of_this_library() {
    Dl_info of_free, of_this;
    void* const first = dlsym(RTLD_DEFAULT, "free");
    return first != nullptr && dladdr(first, &of_free) != 0 && dladdr(&begin, &of_this) != 0 &&
           of_free.dli_fbase == of_this.dli_fbase;
}

}  // namespace

void open_component_memory() {
    Neighbours& neighbours = Neighbours::get();
    const Context& context = Context::get();
    neighbours.segment = memory::Segment::allocate(context.world_communicator(), all_bytes, "components");
    const auto mine = reinterpret_cast<std::uintptr_t>(neighbours.segment->local());
    std::vector<std::uintptr_t> begins(static_cast<std::size_t>(context.world_size()));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, begins.data(), sizeof mine, MPI_BYTE, context.world_communicator());
    for (int node = 0; node < context.world_size(); ++node)
        if (std::byte* const here = neighbours.segment->direct(node))
            neighbours.of.push_back({begins[static_cast<std::size_t>(node)], here});
        else
            neighbours.of.emplace_back();
    if (free_is_of_this_library()) begin = mine;
}

void close_component_memory() {
    Places& places = Places::get();
    const std::lock_guard lock(places.mutex);
    places.used_chunks = chunks;
    for (std::vector<void*>& free : places.free) free.clear();
    Neighbours::get() = Neighbours{};
}

void* take_component_memory(std::size_t bytes) {
    if (begin == nowhere) return std::calloc(bytes, 1);
    void* const memory = take_place(bytes);
    return memory != nullptr ? memory : take_outside(bytes);
}

void* moved_component(const void* memory) {
    Tracks& tracks = Tracks::get();
    const std::lock_guard lock(tracks.mutex);
    const auto found = tracks.moved.find(memory);
    return found != tracks.moved.end() ? found->second : nullptr;
}

std::byte* mapped_component(int node, std::uintptr_t address) {
    const std::vector<Mapped>& of = Neighbours::get().of;
    if (of.empty()) return nullptr;
    const Mapped& mapped = of[static_cast<std::size_t>(node)];
    const std::uintptr_t offset = address - mapped.there;
    return offset < all_bytes ? mapped.here + offset : nullptr;
}

}  // namespace kumihimo::caf

using namespace kumihimo::caf;

extern "C" void free(void* memory) noexcept {
    end_move(memory);
    if (is_here(memory)) return give_back(memory);
    end_outside(memory);
    next_free(memory);
}

extern "C" void* realloc(void* memory, std::size_t bytes) noexcept {
    if (!is_here(memory)) return move_outside(memory, bytes);
    if (bytes > 0) return move(memory, bytes);
    free(memory);
    return nullptr;
}
