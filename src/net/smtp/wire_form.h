// The wire form of a message: its lines end with CRLF, a leading dot is doubled, and a lone dot
// ends it (RFC 5321, 4.5.2). A relay and we must agree where a message ends: otherwise its text
// could smuggle in commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shopbell::net::smtp {

// Any CR, LF or CRLF of the message becomes CRLF. The result includes the lone dot.
std::string to_wire_form(std::string_view message);

// True if the text has no CR or LF on its own, no U+0000, and a lone dot at its end alone.
bool is_wire_form(std::string_view text);

// Returns why the address cannot be part of a command, or nullopt if it can.
std::optional<std::string> fault_of_address(std::string_view address);

// True if the address needs a relay that offers SMTPUTF8 (RFC 6531).
bool needs_smtputf8(std::string_view address);

}  // namespace shopbell::net::smtp
