#include "resources/keys/key_width.h"

#include <gtest/gtest.h>

namespace shopbell::keys {
namespace {

using Lines = std::vector<std::string>;

Instant day(int number) { return Instant{} + std::chrono::days{number}; }

ApiKey narrow() {
  return {.scopes = {"store:read", "manage-keys:write"},
          .expires_at = day(10),
          .allowed_addresses = {"192.0.2.0/25", "192.0.2.128/25", "2001:db8::/32"},
          .requests_per_second = 10,
          .request_burst = 15};
}

Lines excess(const ApiKey& key, const ApiKey& caller = narrow()) {
  Lines lines;
  for (const auto& fault : excess_of(key, caller)) lines.push_back(fault.at + " " + fault.code);
  return lines;
}

// The narrow key with one change.
template <class Value>
ApiKey with(Value ApiKey::* member, Value value) {
  ApiKey key = narrow();
  key.*member = std::move(value);
  return key;
}

using Texts = std::vector<std::string>;
using Number = std::optional<std::int64_t>;

TEST(KeyWidth, a_key_is_within_itself_and_within_an_unlimited_key) {
  EXPECT_EQ(excess(narrow()), Lines{});
  EXPECT_EQ(excess(narrow(), ApiKey{.scopes = narrow().scopes}), Lines{});
}

TEST(KeyWidth, every_respect_is_reported_at_once) {
  EXPECT_EQ(excess(ApiKey{.scopes = {"store:read", "contacts:read", "exports:read"}}),
            (Lines{"/scopes/1 not-an-option", "/scopes/2 not-an-option", "/expiresAt out-of-range",
                   "/allowedAddresses required", "/requestsPerSecond out-of-range"}));
}

TEST(KeyWidth, an_expiry_may_be_earlier_but_not_later) {
  const auto expiry = [](std::optional<Instant> at) { return with(&ApiKey::expires_at, at); };
  EXPECT_EQ(excess(expiry(day(9))), Lines{});
  EXPECT_EQ(excess(expiry(day(11))), Lines{"/expiresAt out-of-range"});
  EXPECT_EQ(excess(expiry(std::nullopt)), Lines{"/expiresAt out-of-range"});
}

TEST(KeyWidth, addresses_are_compared_as_sets) {
  const auto addresses = [](Texts texts) { return with(&ApiKey::allowed_addresses, texts); };
  EXPECT_EQ(excess(addresses({"192.0.2.7", "192.0.2.0/24", "2001:db8:1::/48"})), Lines{});
  EXPECT_EQ(excess(addresses({"192.0.2.0/23", "192.0.2.7", "::/0", "198.51.100.1"})),
            (Lines{"/allowedAddresses/0 out-of-range", "/allowedAddresses/2 out-of-range",
                   "/allowedAddresses/3 out-of-range"}));
  EXPECT_EQ(excess(addresses({})), Lines{"/allowedAddresses required"});
}

TEST(KeyWidth, no_rate_limit_is_wider_than_any) {
  const auto rate = [](Number per_second, Number burst) {
    ApiKey key = with(&ApiKey::requests_per_second, per_second);
    key.request_burst = burst;
    return excess(key);
  };
  EXPECT_EQ(rate(10, 15), Lines{});
  EXPECT_EQ(rate(5, {}), Lines{});
  EXPECT_EQ(rate(11, 15), Lines{"/requestsPerSecond out-of-range"});
  EXPECT_EQ(rate(10, 16), Lines{"/requestBurst out-of-range"});
  EXPECT_EQ(rate(10, {}), Lines{"/requestBurst out-of-range"});  // twice the rate by default
  EXPECT_EQ(rate({}, {}), Lines{"/requestsPerSecond out-of-range"});
}

TEST(KeyWidth, a_missing_scope_decides_the_code) {
  const auto code_of = [](const ApiKey& key) {
    try {
      require_within(key, narrow());
    } catch (const Problem& problem) {
      return std::optional{problem.code()};
    }
    return std::optional<Code>{};
  };
  EXPECT_EQ(code_of(narrow()), std::nullopt);
  EXPECT_EQ(code_of(ApiKey{.scopes = {"contacts:read"}}), Code::scope_missing);
  EXPECT_EQ(code_of(ApiKey{.scopes = {"store:read"}}), Code::key_too_wide);
}

}  // namespace
}  // namespace shopbell::keys
