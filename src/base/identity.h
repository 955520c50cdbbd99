// By which forms contacts are told apart and found: a person may write an address, a name or a
// number in several ways, and each of them has one form here. Safe with whatever bytes come, from
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shopbell {

// The form by which an e-mail address is unique: without case, in NFC, the host in ASCII
// (UTS 46, non-transitional). It is an address itself, and its own key. Nothing when `email` is no
// address: `is_email` says no, its host cannot be looked up, its local part holds white space, an
// invisible or an unassigned character, or the key would be too long.
std::optional<std::string> email_key(std::string_view email);

// A text as it compares when case does not count: folded, in NFC. It is its own key.
std::string fold_case(std::string_view text);

// Whether every character can be seen and is known to Unicode: no white space, nothing invisible.
bool is_visible(std::string_view text);

// What a search compares, on both sides: compatibility characters taken apart, without marks, case
// and invisible characters, runs of white space as one blank, none around. It is its own key. What
// is not UTF-8 counts as U+FFFD. Can be 11 times as long as the text.
std::string search_key(std::string_view text);

// E.164, "+436641234567". A number that begins with + is read as it is and must have a length that
// its country uses: the list of numbers may be older than the number. Any other one is read as
// dialled in `country` (ISO 3166-1, "AT"; none: refused) and must be a number that exists there or,
// past the prefix for calls abroad, elsewhere. Blanks, dashes, dots, slashes and parentheses may
// stand between the digits; letters and extensions are refused, and more than 64 bytes.
std::optional<std::string> to_e164(std::string_view text, std::string_view country);

// "1990-12-31", or "--12-31" of somebody who keeps the year private; a day that exists, and
// "--02-29" does.
bool is_birth_date(std::string_view text);

}  // namespace shopbell
