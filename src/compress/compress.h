// Content codings of HTTP: which one an answer gets, and gzip (RFC 1952) and zstd (RFC 8878) both
// ways. What strangers send is inflated against limits that hold while it grows, so that a small
// body never becomes a large one in memory.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace shopbell::compress {

enum class Coding { identity, gzip, zstd };

// The coding of one Content-Encoding token, in either case: gzip, x-gzip, zstd, identity.
std::optional<Coding> coding_of(std::string_view name);
std::string_view name_of(Coding coding);

// The coding of an answer, from the request's Accept-Encoding (RFC 9110, 12.5.3). Of two that are
// wanted alike: zstd before gzip before identity. A coding that is not named (by itself or by `*`)
// is not wanted; when none is, or the header is malformed, it is identity.
Coding choose(std::string_view accept_encoding);

enum class InflateFault {
  malformed,  // not of that coding, cut off, or followed by something else
  too_large,  // more than the caller's limit
  bomb,  // past limits::kInflationFree and more than limits::kInflationRatio times what was sent
};

// The plain bytes, at most `bytes_max`; beyond these only one small buffer and, for zstd, the
// window of 8 MiB are ever held. Several gzip members or zstd frames make one text, as the RFCs
// say.
std::expected<std::string, InflateFault> inflate(Coding coding, std::string_view bytes,
                                                 std::size_t bytes_max);

// Fast rather than small: an answer waits for it.
std::string deflate(Coding coding, std::string_view plain);

}  // namespace shopbell::compress
