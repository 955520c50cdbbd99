// HTTP content codings: negotiation, and compression and decompression with gzip (RFC 1952) and
// zstd (RFC 8878). Decompression enforces its limits while it runs, so that a small body cannot
// fill the memory.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace shopbell::compress {

enum class Coding { identity, gzip, zstd };

// The coding of a Content-Encoding token, case-insensitive: gzip, x-gzip, zstd, identity.
std::optional<Coding> coding_of(std::string_view name);
std::string_view name_of(Coding coding);

// Chooses the coding of an answer from Accept-Encoding (RFC 9110, 12.5.3). With equal weights zstd
// wins over gzip, and gzip over identity. A coding must be listed, by name or by `*`. Falls back to
// identity, also for a malformed header.
Coding choose(std::string_view accept_encoding);

enum class InflateFault {
  malformed,  // the input is not in this coding, is truncated, or has trailing data
  too_large,  // the output exceeds the caller's limit
  bomb,       // exceeds limits::kInflationFree and limits::kInflationRatio times the input
};

// Returns the decompressed bytes, at most `bytes_max`. Otherwise it allocates only one small buffer
// and, for zstd, the window of 8 MiB. Concatenates several gzip members or zstd frames.
std::expected<std::string, InflateFault> inflate(Coding coding, std::string_view bytes,
                                                 std::size_t bytes_max);

// Prefers speed to size, because the client waits for the answer.
std::string deflate(Coding coding, std::string_view plain);

}  // namespace shopbell::compress
