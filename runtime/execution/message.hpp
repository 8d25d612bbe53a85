// Numbers and texts one after the other: what the checks of --check tell other nodes.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kumihimo/generated.h"

namespace kumihimo::execution {

class Writer {
public:
    template <typename T>
    void number(const T& value) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    }
    void text(const char* text) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(text);
        bytes_.insert(bytes_.end(), bytes, bytes + std::strlen(text) + 1);
    }
    void site(const XMP_Site& site) {
        text(site.file);
        number(site.line);
        text(site.directive);
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

// A site of another node; it lives as long as the program, as this node's own do.
const XMP_Site* kept_site(const std::string& file, int line, const std::string& directive);

class Reader {
public:
    Reader(const std::byte* bytes, std::size_t count) : at_(bytes), end_(bytes + count) {}
    bool more() const { return at_ < end_; }
    template <typename T>
    T number() {
        T value;
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    std::string text() {
        std::string text = reinterpret_cast<const char*>(at_);
        at_ += text.size() + 1;
        return text;
    }
    const XMP_Site* site() {
        const std::string file = text();
        const auto line = number<decltype(XMP_Site::line)>();
        return kept_site(file, line, text());
    }

private:
    const std::byte *at_, *end_;
};

}  // namespace kumihimo::execution
