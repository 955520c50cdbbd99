#include "base/text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/ucurr.h>
#include <unicode/uloc.h>
#include <unicode/utf8.h>

namespace shopbell {

using namespace std::string_view_literals;

namespace {

// Calls `each` with every code point. Stops and returns false at the first invalid byte.
template <class Each>
bool for_each_character(std::string_view text, Each each) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto length = static_cast<std::int32_t>(text.size());
  for (std::int32_t i = 0; i < length;) {
    UChar32 character = 0;
    U8_NEXT(bytes, i, length, character);  // NOLINT(bugprone-inc-dec-in-conditions): ICU's macro
    if (character < 0) return false;
    each(character);
  }
  return true;
}

bool all_of(std::string_view text, char from, char to) {
  return std::ranges::all_of(text, [&](char c) { return c >= from && c <= to; });
}

}  // namespace

// Checks eight bytes at a time: most texts are ASCII and are checked several times per request.
bool is_ascii(std::string_view text) {
  std::uint64_t all = 0;
  for (; text.size() >= sizeof all; text.remove_prefix(sizeof all)) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data(), sizeof eight);
    all |= eight;
  }
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return (all & 0x8080808080808080) == 0;
}

bool is_utf8(std::string_view text) {
  if (is_ascii(text)) return true;
  return for_each_character(text, [](UChar32) {});
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string lower_ascii(std::string_view text) {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return lower;
}

std::optional<std::string> to_nfc(std::string_view text) {
  if (is_ascii(text)) {
    return std::string{text};
  }
  if (!is_utf8(text)) return std::nullopt;
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(error);
  std::string normal;
  icu::StringByteSink<std::string> sink{&normal};
  if (U_SUCCESS(error)) {
    nfc->normalizeUTF8(0, {text.data(), static_cast<std::int32_t>(text.size())}, sink, nullptr,
                       error);
  }
  if (U_FAILURE(error)) return std::nullopt;
  return normal;
}

std::string beginning_of(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text;
}

std::size_t count_characters(std::string_view text) {
  if (is_ascii(text)) return text.size();
  std::size_t count = 0;
  for_each_character(text, [&](UChar32) { ++count; });
  return count;
}

bool is_alias(std::string_view text) {
  const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && text.size() <= 64 && small(text[0]) &&
         std::ranges::all_of(
             text, [&](char c) { return small(c) || (c >= '0' && c <= '9') || c == '-'; });
}

bool has_control_character(std::string_view text, Lines lines) {
  bool found = false;
  for_each_character(text, [&](UChar32 c) {
    const bool line_end = c == '\n' || c == '\r' || c == '\t';
    const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    found = found || (control && !(line_end && lines == Lines::several));
  });
  return found;
}

bool is_name(std::string_view text, std::size_t characters_max) {
  if (!is_utf8(text) || has_control_character(text, Lines::one)) return false;
  const std::size_t count = count_characters(text);
  return count >= 1 && count <= characters_max;
}

bool is_email(std::string_view text) {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64 || text.size() > 254) return false;
  const std::string_view local = text.substr(0, at);
  const std::string_view host = text.substr(at + 1);
  const auto plain = [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; };
  if (!is_utf8(text) || has_control_character(text, Lines::one)) return false;
  if (!std::ranges::all_of(text, plain) || local.find_first_of("@,;:<>()[]\\\"") != local.npos)
    return false;
  if (local.starts_with('.') || local.ends_with('.') || local.contains("..")) return false;
  if (!host.contains('.') || host.starts_with('.') || host.ends_with('.') || host.contains(".."))
    return false;
  return std::ranges::all_of(host, [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || c == '.' || c == '-' ||
           (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

bool is_phone(std::string_view text) {
  return text.size() >= 8 && text.size() <= 16 && text[0] == '+' && text[1] != '0' &&
         all_of(text.substr(1), '0', '9');
}

bool is_web_url(std::string_view text) {
  if (text.size() > 2048) return false;
  if (text.starts_with("https://")) {
    text.remove_prefix(8);
  } else if (text.starts_with("http://")) {
    text.remove_prefix(7);
  } else {
    return false;
  }
  const std::string_view authority = text.substr(0, text.find_first_of("/?#"));
  const std::string_view host = authority.substr(0, authority.rfind(':'));
  return !host.empty() && !authority.contains('@') && std::ranges::all_of(text, [](char c) {
    return c > 0x20 && c < 0x7f && !R"("<>\^`{|})"sv.contains(c);
  });
}

bool is_currency(std::string_view code) {
  if (code.size() != 3 || !all_of(code, 'A', 'Z')) return false;
  const std::array<char16_t, 4> wide{static_cast<char16_t>(code[0]), static_cast<char16_t>(code[1]),
                                     static_cast<char16_t>(code[2]), u'\0'};
  UErrorCode error = U_ZERO_ERROR;
  const double now_ms =
      std::chrono::duration<double, std::milli>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  return ucurr_isAvailable(wide.data(), now_ms, now_ms, &error) && U_SUCCESS(error);
}

int minor_digits(std::string_view currency) {
  if (!is_currency(currency)) return 2;
  const std::array<char16_t, 4> wide{static_cast<char16_t>(currency[0]),
                                     static_cast<char16_t>(currency[1]),
                                     static_cast<char16_t>(currency[2]), u'\0'};
  UErrorCode error = U_ZERO_ERROR;
  const int digits = ucurr_getDefaultFractionDigits(wide.data(), &error);
  return U_SUCCESS(error) ? digits : 2;
}

bool is_country(std::string_view code) {
  if (code.size() != 2) return false;
  for (const char* const* known = uloc_getISOCountries(); *known != nullptr; ++known) {
    if (code == *known) return true;
  }
  return false;
}

bool is_locale(std::string_view tag) {
  if (tag.empty() || tag.size() > 35) return false;
  std::array<char, ULOC_FULLNAME_CAPACITY> name;
  std::int32_t parsed = 0;
  UErrorCode error = U_ZERO_ERROR;
  uloc_forLanguageTag(std::string{tag}.c_str(), name.data(), name.size(), &parsed, &error);
  return U_SUCCESS(error) && parsed == static_cast<std::int32_t>(tag.size());
}

bool is_time_zone(std::string_view name) {
  const auto& database = std::chrono::get_tzdb();
  const auto named = [&](const auto& entry) { return entry.name() == name; };
  return std::ranges::any_of(database.zones, named) || std::ranges::any_of(database.links, named);
}

}  // namespace shopbell
