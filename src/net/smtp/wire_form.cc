#include "net/smtp/wire_form.h"

#include <algorithm>

namespace shopbell::net::smtp {

namespace {

constexpr std::string_view kEnd = ".\r\n";

}  // namespace

std::string to_wire_form(std::string_view message) {
  std::string wire;
  wire.reserve(message.size() + message.size() / 32 + 8);
  std::size_t begin = 0;
  while (begin < message.size()) {
    const std::size_t end = std::min(message.find_first_of("\r\n", begin), message.size());
    const std::string_view line = message.substr(begin, end - begin);
    if (line.starts_with('.')) wire += '.';
    wire += line;
    wire += "\r\n";
    begin = message.substr(end).starts_with("\r\n") ? end + 2 : end + 1;
  }
  wire += kEnd;
  return wire;
}

bool is_wire_form(std::string_view text) {
  if (text.contains('\0')) return false;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\r\n");
    if (end == std::string_view::npos || !text.substr(end).starts_with("\r\n")) return false;
    if (text.substr(0, end) == ".") return text.size() == kEnd.size();
    text.remove_prefix(end + 2);
  }
  return false;
}

std::optional<std::string> fault_of_address(std::string_view address) {
  const std::size_t at = address.rfind('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == address.size())
    return "the address has no local part or no domain";
  if (address.size() > 254) return "the address is longer than 254 bytes";
  const bool is_plain = std::ranges::none_of(address, [](char byte) {
    return (byte >= 0 && byte <= ' ') || byte == 0x7f || byte == '<' || byte == '>';
  });
  if (!is_plain) return "the address has a space, a control character, < or >";
  return std::nullopt;
}

bool needs_smtputf8(std::string_view address) {
  return std::ranges::any_of(address, [](char byte) { return (byte & 0x80) != 0; });
}

}  // namespace shopbell::net::smtp
