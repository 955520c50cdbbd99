#include "base/identity.h"

#include <algorithm>
#include <memory>
#include <ranges>
#include <stdexcept>

#include <phonenumbers/logger.h>
#include <phonenumbers/phonenumberutil.h>
#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/idna.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"

namespace shopbell {

namespace {

namespace phones = i18n::phonenumbers;

// Calls `each` with every code point until it returns false. Invalid bytes are passed as U+FFFD.
template <class Each>
bool all_characters(std::string_view text, Each each) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto length = static_cast<std::int32_t>(text.size());
  for (std::int32_t i = 0; i < length;) {
    UChar32 character = 0;
    U8_NEXT_OR_FFFD(bytes, i, length, character);  // NOLINT(bugprone-inc-dec-in-conditions): macro
    if (!each(character)) return false;
  }
  return true;
}

bool is_blank(UChar32 c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return u_isUWhiteSpace(c);
}

bool is_mark(UChar32 c) { return c >= 0x80 && (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0; }

void append(std::string& text, UChar32 c) {
  std::array<char, U8_MAX_LENGTH> bytes;
  std::size_t length = 0;
  U8_APPEND_UNSAFE(bytes.data(), length, c);
  text.append(bytes.data(), length);
}

// Applies an ICU function `write(piece, sink, error)` to a text. Throws on failure (no memory, no
// data), because a truncated key could equal another contact's key.
template <class Write>
std::string transform_text(std::string_view text, Write write) {
  std::string made;
  icu::StringByteSink<std::string> sink{&made};
  UErrorCode error = U_ZERO_ERROR;
  write(icu::StringPiece{text.data(), static_cast<std::int32_t>(text.size())}, sink, error);
  if (U_FAILURE(error)) throw std::runtime_error{u_errorName(error)};
  return made;
}

using Form = const icu::Normalizer2* (*)(UErrorCode&);

template <Form kForm>
std::string normal(std::string_view text) {
  static const icu::Normalizer2& normalizer = [] -> const icu::Normalizer2& {
    UErrorCode error = U_ZERO_ERROR;
    const icu::Normalizer2* made = kForm(error);
    if (U_FAILURE(error)) throw std::runtime_error{u_errorName(error)};
    return *made;
  }();
  return transform_text(text, [](icu::StringPiece piece, icu::ByteSink& sink, UErrorCode& error) {
    normalizer.normalizeUTF8(0, piece, sink, nullptr, error);
  });
}

// A character that a local part may contain: visible, and assigned in Unicode, because only then
// its folded form never changes.
bool is_visible_character(UChar32 c) {
  return u_isdefined(c) && !u_isUWhiteSpace(c) &&
         !u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT);
}

// A label that equals its ASCII form except for case. Hyphens in positions 3 and 4 may mark an
// encoded label (xn--), so such labels take the slow path.
bool is_plain_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && !label.starts_with('-') && !label.ends_with('-') &&
         label.substr(std::min<std::size_t>(2, label.size())).substr(0, 2) != "--" &&
         std::ranges::all_of(lower_ascii(label), [](char c) {
           return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
         });
}

bool is_plain_host(std::string_view host) {
  return host.size() < 254 &&
         std::ranges::all_of(
             std::views::split(host, '.'),
             [](auto label) { return is_plain_label(std::string_view{label}); });
}

// Returns nullopt for an invalid host. IDNA reserves hyphens in positions 3 and 4, but hosts with
// them exist, so that error is ignored.
std::optional<std::string> ascii_host(std::string_view host) {
  if (is_plain_host(host)) return lower_ascii(host);
  static const std::unique_ptr<const icu::IDNA> idna{[] {
    UErrorCode error = U_ZERO_ERROR;
    const auto* made =
        icu::IDNA::createUTS46Instance(UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_USE_STD3_RULES |
                                           UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ,
                                       error);
    if (U_FAILURE(error)) throw std::runtime_error{u_errorName(error)};
    return made;
  }()};
  icu::IDNAInfo info;
  std::string ascii =
      transform_text(host, [&](icu::StringPiece piece, icu::ByteSink& sink, UErrorCode& error) {
        idna->nameToASCII_UTF8(piece, sink, info, error);
      });
  if ((info.getErrors() & ~static_cast<std::uint32_t>(UIDNA_ERROR_HYPHEN_3_4)) != 0) return {};
  return ascii;
}

// The digits of a phone number as entered, with a leading + if there is one. Accepts digits of any
// script and usual separators, else returns nullopt. Ignores direction marks, which copying from a
// web page adds.
std::optional<std::string> dialled(std::string_view text) {
  std::string digits;
  const bool readable = all_characters(text, [&](UChar32 c) {
    if (const std::int32_t digit = u_charDigitValue(c); digit >= 0 && u_isdigit(c)) {
      digits += static_cast<char>('0' + digit);
      return true;
    }
    if (c == '+' || c == 0xff0b) {
      const bool first = digits.empty();
      digits += '+';
      return first;
    }
    return u_isUWhiteSpace(c) || u_charType(c) == U_DASH_PUNCTUATION || c == '.' || c == '/' ||
           c == '(' || c == ')' || c == 0x2212 ||
           (c != 0xfffd && u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT));
  });
  if (!readable) return std::nullopt;
  return digits;
}

const phones::PhoneNumberUtil& phone_numbers() {
  // The default logger writes to standard output. The static initializer runs once; other threads
  // wait for it.
  static const phones::PhoneNumberUtil* const made = [] {
    auto* numbers = phones::PhoneNumberUtil::GetInstance();
    numbers->SetLogger(new phones::NullLogger);  // the library owns the logger
    return numbers;
  }();
  return *made;
}

// Parses `digits` as dialled in `region`; nullopt unless `wanted` accepts the number.
template <class Wanted>
std::optional<std::string> read_number(const std::string& digits, const std::string& region,
                                       Wanted wanted) {
  const phones::PhoneNumberUtil& numbers = phone_numbers();
  phones::PhoneNumber number;
  if (numbers.Parse(digits, region, &number) != phones::PhoneNumberUtil::NO_PARSING_ERROR ||
      !wanted(numbers, number)) {
    return std::nullopt;
  }
  std::string e164;
  numbers.Format(number, phones::PhoneNumberUtil::E164, &e164);
  if (!is_phone(e164)) return std::nullopt;
  return e164;
}

std::optional<std::string> read_international(const std::string& digits) {
  // "ZZ" means no region: with a region, libphonenumber ignores a + before a national number.
  return read_number(digits, "ZZ", [](const auto& numbers, const auto& number) {
    return numbers.IsPossibleNumberWithReason(number) == phones::PhoneNumberUtil::IS_POSSIBLE;
  });
}

}  // namespace

// Decomposes first (NFD), because some marks fold to letters.
std::string fold_case(std::string_view text) {
  if (is_ascii(text)) return lower_ascii(text);
  const std::string apart = normal<icu::Normalizer2::getNFDInstance>(text);
  const std::string folded =
      transform_text(apart, [](icu::StringPiece piece, icu::ByteSink& sink, UErrorCode& error) {
        icu::CaseMap::utf8Fold(0, piece, sink, nullptr, error);
      });
  return normal<icu::Normalizer2::getNFCInstance>(folded);
}

bool is_visible(std::string_view text) { return all_characters(text, is_visible_character); }

std::optional<std::string> email_key(std::string_view email) {
  if (!is_email(email)) return std::nullopt;
  const std::size_t at = email.rfind('@');
  const std::string_view local = email.substr(0, at);
  if (!is_ascii(local) && !is_visible(local)) return std::nullopt;
  const auto host = ascii_host(email.substr(at + 1));
  if (!host) return std::nullopt;
  std::string key = fold_case(local) + '@' + *host;
  if (!is_email(key)) return std::nullopt;  // folding can lengthen the key, or turn U+037E into ;
  return key;
}

std::string search_key(std::string_view text) {
  std::string folded;
  if (is_ascii(text)) {
    folded = lower_ascii(text);
  } else {
    // Replaces invalid bytes first: removing a character between two of them could join them into
    // a valid character.
    std::string readable;
    all_characters(text, [&](UChar32 c) {
      append(readable, c);
      return true;
    });
    folded = normal<icu::Normalizer2::getNFKDInstance>(
        normal<icu::Normalizer2::getNFKCCasefoldInstance>(readable));
  }
  std::string key;
  bool blank = false;
  all_characters(folded, [&](UChar32 c) {
    if (is_blank(c)) {
      blank = !key.empty();
    } else if (!is_mark(c)) {
      if (blank) key += ' ';
      blank = false;
      append(key, c);
    }
    return true;
  });
  return key;
}

std::optional<std::string> to_e164(std::string_view text, std::string_view country) {
  if (text.size() > limits::kPhoneBytes) return std::nullopt;
  const auto digits = dialled(text);
  if (!digits || digits->empty()) return std::nullopt;
  std::optional<std::string> e164;
  if (digits->starts_with('+')) {
    e164 = read_international(*digits);
  } else if (country.size() == 2) {
    e164 = read_number(*digits, std::string{country},
                       [](const auto& numbers, const auto& n) { return numbers.IsValidNumber(n); });
  }
  // The result may still contain a national prefix and would then have a second canonical form.
  if (e164 && e164 != digits && read_international(*e164) != e164) return std::nullopt;
  return e164;
}

bool is_birth_date(std::string_view text) {
  if (!text.starts_with("--")) return parse_date(text).has_value();
  return parse_date("2000" + std::string{text.substr(1)}).has_value();  // 2000 is a leap year
}

}  // namespace shopbell
