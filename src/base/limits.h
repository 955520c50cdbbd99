// Every limit of the service, on one page. Past a limit the caller is told; nothing grows without
// end.
#pragma once

#include <chrono>
#include <cstddef>

namespace shopbell::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Requests
inline constexpr std::size_t kPathBytes = std::size_t{8} * 1024;     // 414 path-too-long
inline constexpr std::size_t kHeaderBytes = std::size_t{32} * 1024;  // 431 headers-too-large
inline constexpr std::size_t kBodyBytes = std::size_t{1024} * 1024;  // 413 body-too-large
inline constexpr std::size_t kPathSegments = 16;
inline constexpr std::size_t kRequestIdBytes = 128;
inline constexpr auto kRequestDeadline =
    seconds{5};  // from the last byte of a request to its answer

// Connections
inline constexpr std::size_t kConnectionsPerLoop = 20'000;
inline constexpr auto kHeadTimeout = seconds{10};  // first byte of a request to the end of its head
inline constexpr auto kBodyTimeout = seconds{30};  // end of the head to the end of the body
inline constexpr auto kIdleTimeout = seconds{75};  // a kept connection without a request
inline constexpr auto kWriteTimeout = seconds{30};  // a client that does not read its answer
inline constexpr auto kSweepInterval = milliseconds{100};

// JSON
inline constexpr int kJsonDepth = 32;

// PostgreSQL
inline constexpr std::size_t kGroupsPerConnection = 4096;  // unanswered groups; past it 503
inline constexpr std::size_t kStatementsPerGroup = 64;
inline constexpr auto kQueryTimeout = milliseconds{2000};
inline constexpr auto kLockTimeout = milliseconds{50};
inline constexpr auto kStallTimeout =
    seconds{15};  // groups wait and nothing comes back: the connection is dead
inline constexpr auto kConnectTimeout = milliseconds{3000};
inline constexpr auto kReconnectFirst = milliseconds{50};
inline constexpr auto kReconnectMost = milliseconds{1000};
inline constexpr std::size_t kExclusivePerLoop = 4;

// Keys
inline constexpr auto kKeyCache = milliseconds{900};  // so a revoked key is dead within a second
inline constexpr std::size_t kKeyCacheEntries = 10'000;

// Stopping
inline constexpr auto kDrainIdle =
    seconds{1};  // kept connections without a request are closed after this
inline constexpr auto kDrainMost = seconds{10};  // then the process ends, whatever is left

}  // namespace shopbell::limits
