// LocalFormats: amounts of money and names of months and weekdays in the language of a locale, by
// ICU. Keeps the formats that it has used, because ICU takes longer to build one than to apply it.
// Not thread-safe: each thread that renders has its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "base/time.h"

namespace shopbell {

class LocalFormats {
 public:
  LocalFormats();
  ~LocalFormats();

  // "€19.90" in the locale "en", "19,90 €" in "de". `locale` is a BCP 47 tag; an unknown one gives
  // ICU's default format. `currency` is an ISO 4217 code; an unknown one is written behind the
  // number.
  std::string money(Decimal amount, std::string_view currency, std::string_view locale);

  enum class Width { full, abbreviated };
  // The name as it stands in a date: "März", "Mär".
  std::string month(std::chrono::month month, Width width, std::string_view locale);
  std::string weekday(std::chrono::weekday day, Width width, std::string_view locale);

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace shopbell
