// Unicode text: what is valid, and its one normal form (NFC), from ICU.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shopbell {

bool is_utf8(std::string_view text);
bool is_ascii(std::string_view text);

// As header fields want it: without the blanks around, and with A–Z as a–z.
std::string_view trimmed(std::string_view text);
std::string lower_ascii(std::string_view text);

// The text in NFC; nothing when it is not UTF-8.
std::optional<std::string> to_nfc(std::string_view text);

// As much of valid UTF-8 as fits into so many bytes, no character cut.
std::string beginning_of(std::string text, std::size_t bytes_max);

// Characters (code points) of valid UTF-8.
std::size_t count_characters(std::string_view text);

// One line of valid UTF-8, 1 to `characters_max` characters, none of them a control character: a
// name.
bool is_name(std::string_view text, std::size_t characters_max);

// By which people name things in definitions: ^[a-z][a-z0-9-]{0,63}$.
bool is_alias(std::string_view text);

// Whether valid UTF-8 holds a control character; a text of several lines may hold LF, CR and TAB.
enum class Lines { one, several };
bool has_control_character(std::string_view text, Lines lines);

// One address, as people write it: something@host.example, at most 254 bytes, no spaces, no name
// around it. Only delivering a message shows more.
bool is_email(std::string_view text);

// E.164: a plus and 7 to 15 digits.
bool is_phone(std::string_view text);

// http or https, a host, no user, nothing that does not belong into a URL, at most 2,048 bytes.
bool is_web_url(std::string_view text);

// Codes the service knows: ISO 4217 currencies in use, ISO 3166-1 countries, BCP 47 language tags,
// IANA zones.
bool is_currency(std::string_view code);
bool is_country(std::string_view code);
// How many fraction digits amounts of the currency usually have.
int minor_digits(std::string_view currency);
bool is_locale(std::string_view tag);
bool is_time_zone(std::string_view name);

}  // namespace shopbell
