// How far back what is packed may refer.
#pragma once

namespace shopbell::compress {

constexpr int kGzipWindow = 15 + 16;  // 32 KiB; the 16 asks zlib for gzip's head and tail
constexpr int kZstdWindowLog = 23;    // 8 MiB, what RFC 9659 has every receiver take

}  // namespace shopbell::compress
