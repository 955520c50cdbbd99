// Canonical forms of e-mail addresses, names and phone numbers, by which contacts are identified
// and searched. All functions accept arbitrary bytes and are thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shopbell {

// The unique form of an e-mail address: case-folded, in NFC, the host in ASCII (UTS 46,
// non-transitional). The key is an address itself, and idempotent. Returns nullopt when `is_email`
// fails, the host is invalid, the key is too long, or the local part has white space, an invisible
// or an unassigned character.
std::optional<std::string> email_key(std::string_view email);

// The form for case-insensitive comparison: case-folded, in NFC. Idempotent.
std::string fold_case(std::string_view text);

// True when no character is white space, invisible or unassigned in Unicode.
bool is_visible(std::string_view text);

// The form that a search compares on both sides: NFKD and case-folded, without marks and invisible
// characters, trimmed, runs of white space as one blank. Idempotent. Invalid UTF-8 becomes U+FFFD.
// The key can be 11 times as long as the text.
std::string search_key(std::string_view text);

// Converts a phone number to E.164, "+436641234567". A number with a leading + only needs a length
// that its country uses, because the number may be newer than the library's data. Any other number
// is parsed as dialled in `country` (ISO 3166-1, "AT"; required) and must be assigned there or,
// with the prefix for calls abroad, elsewhere. Blanks, dashes, dots, slashes and parentheses may
// separate digits. Letters, extensions and texts of more than 64 bytes are rejected.
std::optional<std::string> to_e164(std::string_view text, std::string_view country);

// "1990-12-31", or "--12-31" without the year. The day must exist; "--02-29" is valid.
bool is_birth_date(std::string_view text);

}  // namespace shopbell
