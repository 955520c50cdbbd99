#include "resources/files/file_link.h"

#include <algorithm>
#include <format>
#include <span>

#include "base/limits.h"

namespace shopbell::files {

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kSigned = 8 + 16 + 16 + 8;
constexpr std::size_t kToken = kSigned + 32;

void put(Bytes& bytes, std::int64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

std::int64_t number_at(std::span<const std::uint8_t> bytes) {
  std::uint64_t number = 0;
  for (const auto byte : bytes.first(8)) number = number << 8 | byte;
  return static_cast<std::int64_t>(number);
}

std::optional<Uuid> uuid_at(std::span<const std::uint8_t> bytes) {
  std::string text = to_hex(bytes.first(16));
  for (const std::size_t at : {8U, 13U, 18U, 23U}) text.insert(at, "-");
  return Uuid::parse(text);
}

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string link_to(const operations::Input& input, const Uuid& job, const std::string& file_name,
                    std::optional<Instant> expires_at) {
  const Instant now = input.clock().now();
  const Instant until = std::min(now + limits::kLinkValid, expires_at.value_or(now));
  const auto until_s = std::chrono::floor<std::chrono::seconds>(until).time_since_epoch().count();
  const FileLink link{
      .account = input.account(), .key = input.caller().key_id, .job = job, .until_s = until_s};
  return std::format("{}/files/{}/{}", input.base_path(), sign(input.keyring(), link), file_name);
}

std::string sign(const keyring::Keyring& keyring, const FileLink& link) {
  Bytes bytes;
  put(bytes, link.account);
  std::ranges::copy(link.key.bytes(), std::back_inserter(bytes));
  std::ranges::copy(link.job.bytes(), std::back_inserter(bytes));
  put(bytes, link.until_s);
  const Sha256 hash = keyring.hash(keyring::Purpose::links, text_of(bytes));
  std::ranges::copy(hash, std::back_inserter(bytes));
  return to_hex(bytes);
}

std::optional<FileLink> verify(const keyring::Keyring& keyring, std::string_view token) {
  const auto bytes = from_hex(token);
  if (!bytes || bytes->size() != kToken) return std::nullopt;
  const std::span<const std::uint8_t> all{*bytes};
  const auto hashes = keyring.recent_hashes(keyring::Purpose::links, text_of(all.first(kSigned)),
                                            limits::kLinkValid);
  const bool known = std::ranges::any_of(
      hashes, [&](const Sha256& hash) { return same_secret(hash, all.subspan(kSigned)); });
  const auto key = uuid_at(all.subspan(8));
  const auto job = uuid_at(all.subspan(24));
  if (!known || !key || !job) return std::nullopt;
  return FileLink{number_at(all), *key, *job, number_at(all.subspan(40))};
}

}  // namespace shopbell::files
