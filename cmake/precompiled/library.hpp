// Headers of the standard library that most files read (cmake/precompiled.cmake). No file may count on them: each includes what
// it needs.
#pragma once
#ifdef __cplusplus  // files of C read it, too
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>
#endif
