// Compression windows: how far back compressed data may refer.
#pragma once

namespace shopbell::compress {

constexpr int kGzipWindow = 15 + 16;  // 32 KiB; 16 selects the gzip header and trailer in zlib
constexpr int kZstdWindowLog = 23;    // 8 MiB, which RFC 9659 requires every receiver to support

}  // namespace shopbell::compress
