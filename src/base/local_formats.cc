#include "base/local_formats.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include <unicode/bytestream.h>
#include <unicode/currunit.h>
#include <unicode/dtfmtsym.h>
#include <unicode/locid.h>
#include <unicode/numberformatter.h>
#include <unicode/unistr.h>

#include "base/lru_cache.h"
#include "base/text.h"

namespace shopbell {

namespace {

using icu::number::LocalizedNumberFormatter;

// ICU's formatter of one currency and the names of one locale take a few kilobytes each.
constexpr std::size_t kFormatterBytes = std::size_t{16} * 1024;
constexpr std::size_t kCacheBytes = 64 * kFormatterBytes;

struct Names {
  std::array<std::array<std::string, 12>, 2> months;
  std::array<std::array<std::string, 7>, 2> weekdays;  // from Sunday
};

icu::Locale icu_locale(std::string_view tag) {
  UErrorCode error = U_ZERO_ERROR;
  icu::Locale locale = icu::Locale::forLanguageTag(
      icu::StringPiece{tag.data(), static_cast<std::int32_t>(tag.size())}, error);
  return U_FAILURE(error) || locale.isBogus() ? icu::Locale::getRoot() : locale;
}

std::string utf8_of(const icu::UnicodeString& text) {
  std::string utf8;
  text.toUTF8String(utf8);
  return utf8;
}

Names names_of(std::string_view locale) {
  using icu::DateFormatSymbols;
  UErrorCode error = U_ZERO_ERROR;
  const DateFormatSymbols symbols{icu_locale(locale), error};
  Names names;
  constexpr std::array kWidths{DateFormatSymbols::WIDE, DateFormatSymbols::ABBREVIATED};
  for (std::size_t width = 0; width < kWidths.size(); ++width) {
    std::int32_t count = 0;
    const auto* january = symbols.getMonths(count, DateFormatSymbols::FORMAT, kWidths[width]);
    const std::span months{january, static_cast<std::size_t>(count)};
    for (std::size_t i = 0; i < 12 && i < months.size(); ++i)
      names.months[width][i] = utf8_of(months[i]);
    // ICU counts weekdays from 1.
    const auto* zeroth = symbols.getWeekdays(count, DateFormatSymbols::FORMAT, kWidths[width]);
    const std::span days{zeroth, static_cast<std::size_t>(count)};
    for (std::size_t i = 0; i < 7 && i + 1 < days.size(); ++i)
      names.weekdays[width][i] = utf8_of(days[i + 1]);
  }
  return names;
}

std::optional<LocalizedNumberFormatter> formatter_of(std::string_view currency,
                                                     std::string_view locale) {
  if (!is_currency(currency)) return std::nullopt;
  icu::UnicodeString code = icu::UnicodeString::fromUTF8(
      icu::StringPiece{currency.data(), static_cast<std::int32_t>(currency.size())});
  UErrorCode error = U_ZERO_ERROR;
  const icu::CurrencyUnit unit{code.getTerminatedBuffer(), error};
  return icu::number::NumberFormatter::withLocale(icu_locale(locale)).unit(unit);
}

}  // namespace

struct LocalFormats::Cache {
  // By currency and locale, "EUR de". Without a formatter there is no such currency.
  LruCache<std::string, std::optional<LocalizedNumberFormatter>> formatters{kCacheBytes};
  LruCache<std::string, Names> names{kCacheBytes};  // by locale

  const Names& names_in(std::string_view locale) {
    const std::string key{locale};
    if (const Names* found = names.find(key)) return *found;
    names.put(key, names_of(locale), kFormatterBytes);
    return *names.find(key);
  }
};

LocalFormats::LocalFormats() : cache_{std::make_unique<Cache>()} {}
LocalFormats::~LocalFormats() = default;

std::string LocalFormats::money(Decimal amount, std::string_view currency,
                                std::string_view locale) {
  std::string key{currency};
  key.append(1, ' ').append(locale);
  auto* formatter = cache_->formatters.find(key);
  if (formatter == nullptr) {
    cache_->formatters.put(key, formatter_of(currency, locale), kFormatterBytes);
    formatter = cache_->formatters.find(key);
  }
  if (!*formatter) {
    const std::string digits = amount.to_string(2);
    return currency.empty() ? digits : digits + " " + std::string{currency};
  }
  UErrorCode error = U_ZERO_ERROR;
  const std::string digits = amount.to_string();
  return utf8_of(
      (*formatter)
          ->formatDecimal({digits.data(), static_cast<std::int32_t>(digits.size())}, error)
          .toString(error));
}

std::string LocalFormats::month(std::chrono::month month, Width width, std::string_view locale) {
  const Names& names = cache_->names_in(locale);
  return names.months[width == Width::full ? 0 : 1][unsigned{month} - 1];
}

std::string LocalFormats::weekday(std::chrono::weekday day, Width width, std::string_view locale) {
  const Names& names = cache_->names_in(locale);
  return names.weekdays[width == Width::full ? 0 : 1][day.c_encoding()];
}

}  // namespace shopbell
