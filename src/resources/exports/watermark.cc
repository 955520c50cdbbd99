#include "resources/exports/watermark.h"

#include <algorithm>
#include <charconv>
#include <format>

#include "base/limits.h"

namespace shopbell::exports {

namespace {

bool is_made_of(std::string_view text, std::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

std::string signed_text(std::int64_t account, std::string_view moment) {
  return std::format("watermark {} {}", account, moment);
}

}  // namespace

std::string to_text(const Moment& moment) {
  return std::format("{} {} {}", moment.incarnation, moment.taken_s, moment.snapshot);
}

std::optional<Moment> moment_from(std::string_view text) {
  const auto first = text.find(' ');
  const auto second = text.find(' ', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  Moment moment{.incarnation = std::string{text.substr(0, first)},
                .snapshot = std::string{text.substr(second + 1)}};
  const std::string_view taken = text.substr(first + 1, second - first - 1);
  const auto [end, error] =
      std::from_chars(taken.data(), taken.data() + taken.size(), moment.taken_s);
  const bool whole = error == std::errc{} && end == taken.data() + taken.size();
  // Incarnation and snapshot become part of an SQL statement: accept no other characters.
  if (!whole || !is_made_of(moment.incarnation, "0123456789ABCDEF.") ||
      !is_made_of(moment.snapshot, "0123456789:,"))
    return std::nullopt;
  return moment;
}

std::string watermark_of(const keyring::Keyring& keyring, std::int64_t account,
                         const Moment& moment) {
  const std::string text = to_text(moment);
  const Sha256 hash = keyring.hash(keyring::Purpose::links, signed_text(account, text));
  const std::span<const std::uint8_t> bytes{reinterpret_cast<const std::uint8_t*>(text.data()),
                                            text.size()};
  return to_hex(hash) + to_hex(bytes);
}

std::optional<Moment> moment_in(std::string_view watermark) {
  const auto bytes = from_hex(watermark);
  if (!bytes || bytes->size() <= sizeof(Sha256)) return std::nullopt;
  return moment_from({reinterpret_cast<const char*>(bytes->data()) + sizeof(Sha256),
                      bytes->size() - sizeof(Sha256)});
}

std::optional<Moment> verify_watermark(const keyring::Keyring& keyring, std::int64_t account,
                                       std::string_view watermark) {
  const auto moment = moment_in(watermark);
  const auto bytes = from_hex(watermark);
  if (!moment || !bytes) return std::nullopt;
  const auto hashes = keyring.recent_hashes(
      keyring::Purpose::links, signed_text(account, to_text(*moment)), limits::kWatermarkValid);
  const auto sent = std::span<const std::uint8_t>{*bytes}.first(sizeof(Sha256));
  const bool known =
      std::ranges::any_of(hashes, [&](const Sha256& hash) { return same_secret(hash, sent); });
  return known ? moment : std::nullopt;
}

}  // namespace shopbell::exports
