// What most tests read besides.
#pragma once
#include "library.hpp"
#ifdef __cplusplus
#include <gtest/gtest.h>

#include <random>
#endif
