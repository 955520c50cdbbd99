// Limits of runs.
#pragma once

#include <chrono>
#include <cstdint>

namespace shopbell::limits {

inline constexpr std::int64_t kRunsLookedAt = 5000;           // per page of a list or of a job
inline constexpr std::int64_t kRunCommandsUnfinished = 1000;  // jobs per account
inline constexpr auto kRunCommandsPace = std::chrono::milliseconds{500};  // between pages of a job
inline constexpr auto kTransactionMost = std::chrono::minutes{10};  // no transaction is longer
inline constexpr auto kCountsInterval = std::chrono::seconds{10};   // between merges of numbers
inline constexpr std::int64_t kCountsBatch = 2000;                  // rows per statement
inline constexpr int kRehearsedSteps = 2000;                        // of one dry run

}  // namespace shopbell::limits
