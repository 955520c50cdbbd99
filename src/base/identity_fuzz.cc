// Fuzzes addresses, names, phone numbers and dates of birth: no crash, and every canonical form is
// idempotent. The first two bytes are also the country of the phone number.
#include "base/identity.h"
#include "base/text.h"

namespace {

void check(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};

  if (const auto key = shopbell::email_key(text)) {
    check(shopbell::is_email(*key));
    check(shopbell::to_nfc(*key) == key);
    check(shopbell::email_key(*key) == key);
  }

  const std::string found = shopbell::search_key(text);
  check(shopbell::is_utf8(found));
  check(shopbell::search_key(found) == found);

  const std::string country = text.substr(0, 2);
  const std::string number = text.substr(country.size());
  if (const auto e164 = shopbell::to_e164(number, country)) {
    check(shopbell::is_phone(*e164));
    check(shopbell::to_e164(*e164, "") == e164);
    check(shopbell::to_e164(*e164, country) == e164);
  }

  if (shopbell::is_birth_date(text)) check(size == 10 || (size == 7 && text.starts_with("--")));
  return 0;
}
