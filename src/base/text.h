// Unicode text: validation and normalization to NFC, from ICU; checks of the formats of fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shopbell {

bool is_utf8(std::string_view text);
bool is_ascii(std::string_view text);

// For header fields: remove blanks and tabs at both ends; convert A–Z to a–z.
std::string_view trimmed(std::string_view text);
std::string lower_ascii(std::string_view text);

// The text in NFC; nullopt when it is not UTF-8.
std::optional<std::string> to_nfc(std::string_view text);

// Truncates valid UTF-8 to at most `bytes_max` bytes without splitting a character.
std::string beginning_of(std::string text, std::size_t bytes_max);

// Characters (code points) of valid UTF-8.
std::size_t count_characters(std::string_view text);

// A name: one line of valid UTF-8 with 1 to `characters_max` characters and no control characters.
bool is_name(std::string_view text, std::size_t characters_max);

// An alias identifies an object in definitions: ^[a-z][a-z0-9-]{0,63}$.
bool is_alias(std::string_view text);

// Checks valid UTF-8. With Lines::several, LF, CR and TAB do not count as control characters.
enum class Lines { one, several };
bool has_control_character(std::string_view text, Lines lines);

// A bare e-mail address: something@host.example, at most 254 bytes, no spaces, no display name. It
// does not prove that the mailbox exists.
bool is_email(std::string_view text);

// E.164: a plus and 7 to 15 digits, the first not 0.
bool is_phone(std::string_view text);

// http or https with a host and no user, only characters that are valid in a URL, at most 2,048
// bytes.
bool is_web_url(std::string_view text);

// Known codes: ISO 4217 currencies in use, ISO 3166-1 countries, BCP 47 language tags, IANA time
// zones.
bool is_currency(std::string_view code);
bool is_country(std::string_view code);
// Number of fraction digits of the currency; 2 for an unknown one.
int minor_digits(std::string_view currency);
bool is_locale(std::string_view tag);
bool is_time_zone(std::string_view name);

}  // namespace shopbell
