// Random values for secrets and ids, from OpenSSL.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace shopbell {

void random_bytes(std::span<std::uint8_t> bytes);

// `count` characters of 0–9 A–Z a–z, each equally likely.
std::string random_base62(std::size_t count);

// A number in [0, 1) for jitter; not for secrets.
double jitter();

}  // namespace shopbell
