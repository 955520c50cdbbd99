#include "base/letter_case.h"

#include <algorithm>
#include <cstdint>

#include <unicode/bytestream.h>
#include <unicode/casemap.h>

#include "base/text.h"

namespace shopbell {

std::string upper_case(std::string_view text) {
  std::string upper;
  if (is_ascii(text)) {
    upper = text;
    std::ranges::transform(upper, upper.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
    return upper;
  }
  UErrorCode error = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink{&upper};
  icu::CaseMap::utf8ToUpper("", 0, {text.data(), static_cast<std::int32_t>(text.size())}, sink,
                            nullptr, error);
  return upper;
}

std::string lower_case(std::string_view text) {
  if (is_ascii(text)) return lower_ascii(text);
  std::string lower;
  UErrorCode error = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink{&lower};
  icu::CaseMap::utf8ToLower("", 0, {text.data(), static_cast<std::int32_t>(text.size())}, sink,
                            nullptr, error);
  return lower;
}

}  // namespace shopbell
