#include "rates/rate_limit.h"

#include <bit>
#include <format>

#include <boost/asio/ip/address.hpp>

#include "base/digest.h"

namespace shopbell::rates {

namespace {

// Full buckets carry no information; the others are kept longer, for their debt.
constexpr auto kIdleWhenFull = std::chrono::seconds{10};
constexpr auto kIdle = std::chrono::seconds{60};

constexpr Rate kFailureRate{static_cast<std::int64_t>(limits::kFailuresPerSecond),
                            static_cast<std::int64_t>(limits::kFailuresBurst)};

constexpr Rate kAnonymousRate{limits::kAnonymousPerSecond, limits::kAnonymousBurst};

constexpr std::string_view kAccountPolicy = "default";
constexpr std::string_view kKeyPolicy = "key";
constexpr std::string_view kLinesPolicy = "lines";
constexpr std::string_view kAddressPolicy = "authentication";
constexpr std::string_view kAnonymousPolicy = "anonymous";

// No key has this id: ids of keys start with a time.
const Uuid& lines_key() {
  static const Uuid key = Uuid::parse("00000000-0000-0000-0000-000000000001").value();
  return key;
}

observe::Counter& limited(observe::Metrics& metrics, std::string_view policy) {
  return metrics.counter("shopbell_rate_limited_total",
                         "Requests refused with 429, by the limit that they exceeded.",
                         {{"policy", std::string{policy}}});
}

void append_policy(std::string& header, std::string_view name, std::string_view first_name,
                   std::int64_t first, std::string_view second_name, std::int64_t second) {
  if (!header.empty()) header += ", ";
  header.append("\"").append(name).append("\"");
  header.append(first_name).append(std::to_string(first));
  header.append(second_name).append(std::to_string(second));
}

std::int64_t window_of(const Rate& rate) {
  return (rate.burst + rate.per_second - 1) / rate.per_second;
}

Problem too_many(std::string detail, std::int64_t retry_seconds, std::string policies) {
  return Problem{Code::quota_exceeded, std::move(detail)}
      .with_header("Retry-After", std::to_string(retry_seconds))
      .with_member("violated-policies", std::move(policies));
}

}  // namespace

std::string network_of(std::string_view address) {
  namespace ip = boost::asio::ip;
  boost::system::error_code error;
  const ip::address parsed = ip::make_address(address, error);
  if (error || !parsed.is_v6()) return std::string{address};
  if (parsed.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, parsed.to_v6()).to_string();
  const auto bytes = parsed.to_v6().to_bytes();
  return to_hex(std::span{bytes}.first(8));
}

std::size_t BucketHash::operator()(const Bucket& bucket) const {
  static_assert(sizeof(Uuid) == 2 * sizeof(std::uint64_t));
  const auto key = std::bit_cast<std::array<std::uint64_t, 2>>(bucket.key);
  std::uint64_t hash = std::bit_cast<std::uint64_t>(bucket.account) ^ key[0];
  hash = (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: spreads every bit
  hash = (hash ^ key[1] ^ (hash >> 29)) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 32);
}

RateLimits::RateLimits(observe::Metrics& metrics, std::size_t most_buckets)
    : buckets_{most_buckets},
      addresses_{most_buckets},
      anonymous_{most_buckets},
      limited_accounts_{limited(metrics, kAccountPolicy)},
      limited_keys_{limited(metrics, kKeyPolicy)},
      limited_lines_{limited(metrics, kLinesPolicy)},
      limited_addresses_{limited(metrics, kAddressPolicy)},
      limited_anonymous_{limited(metrics, kAnonymousPolicy)} {}

Allowance RateLimits::take(const Bucket& bucket, Rate rate, Steady::time_point now,
                           std::int64_t amount) {
  return buckets_.with(bucket, rate, now,
                       [&](TokenBucket& tokens) { return tokens.take(rate, now, amount); });
}

LineAdmission RateLimits::admit_lines(std::int64_t account, std::size_t lines, Rate account_rate,
                                      Steady::time_point now) {
  constexpr std::int64_t kEach = limits::kLinesAsRequest;
  const auto cost = (static_cast<std::int64_t>(lines) + kEach - 1) / kEach;
  Allowance allowance = take({.account = account, .key = lines_key()}, account_rate, now, cost);
  if (!allowance.granted) limited_lines_.add();
  allowance.remaining *= kEach;
  return {.rate = {account_rate.per_second * kEach, account_rate.burst * kEach},
          .allowance = allowance};
}

Admission RateLimits::admit(std::int64_t account, const Uuid& key, Rate account_rate,
                            std::optional<Rate> key_rate, Steady::time_point now) {
  const auto give_back = [](TokenBucket& tokens) { return tokens.give_back(); };
  const Bucket of_account{.account = account};
  Admission admission{.account_rate = account_rate,
                      .account = take(of_account, account_rate, now),
                      .key_rate = key_rate};
  if (key_rate) {
    const Bucket of_key{.account = account, .key = key};
    admission.key = take(of_key, *key_rate, now);
    if (!admission.key.granted && admission.account.granted)
      admission.account = buckets_.with(of_account, account_rate, now, give_back);
    if (!admission.account.granted && admission.key.granted)
      admission.key = buckets_.with(of_key, *key_rate, now, give_back);
  }
  if (!admission.account.granted) limited_accounts_.add();
  if (!admission.key.granted) limited_keys_.add();
  return admission;
}

std::vector<BucketUse> RateLimits::use(Steady::time_point now) {
  std::vector<BucketUse> all;
  all.reserve(buckets_.size());
  buckets_.sweep(
      [&](TokenBucket& tokens) {
        const auto idle = now - tokens.wanted_at();
        return idle > kIdle || (idle > kIdleWhenFull && tokens.is_full(now));
      },
      [&](const Bucket& bucket, const TokenBucket& tokens) {
        all.push_back({.bucket = bucket,
                       .first = tokens.first(),
                       .used = tokens.used(),
                       .wanted = tokens.wanted(),
                       .left = tokens.left()});
      });
  return all;
}

void RateLimits::learn(const Bucket& bucket, std::span<const OtherUse> others,
                       Steady::time_point now) {
  buckets_.with_known(bucket, [&](TokenBucket& tokens) { tokens.learn(others, now); });
}

Allowance RateLimits::may_authenticate(std::string_view address, Steady::time_point now) {
  Allowance allowance;
  addresses_.with_known(network_of(address),
                        [&](TokenBucket& tokens) { allowance = tokens.look(kFailureRate, now); });
  if (!allowance.granted) limited_addresses_.add();
  return allowance;
}

void RateLimits::failed(std::string_view address, Steady::time_point now) {
  addresses_.with(network_of(address), kFailureRate, now,
                  [&](TokenBucket& tokens) { tokens.charge(now); });
}

Allowance RateLimits::admit_anonymous(std::string_view address, Steady::time_point now) {
  const Allowance allowance =
      anonymous_.with(network_of(address), kAnonymousRate, now,
                      [&](TokenBucket& tokens) { return tokens.take(kAnonymousRate, now); });
  if (!allowance.granted) limited_anonymous_.add();
  return allowance;
}

std::string policy_header(const Admission& admission) {
  std::string header;
  const auto append = [&](std::string_view name, const Rate& rate) {
    append_policy(header, name, ";q=", rate.burst, ";w=", window_of(rate));
  };
  append(kAccountPolicy, admission.account_rate);
  if (admission.key_rate) append(kKeyPolicy, *admission.key_rate);
  return header;
}

std::string limit_header(const Admission& admission) {
  std::string header;
  const auto append = [&](std::string_view name, const Allowance& allowance) {
    append_policy(header, name, ";r=", allowance.remaining, ";t=", allowance.reset_seconds);
  };
  append(kAccountPolicy, admission.account);
  if (admission.key_rate) append(kKeyPolicy, admission.key);
  return header;
}

Problem quota_problem(const Admission& admission) {
  const auto detail = [](std::string_view who, const Rate& rate) {
    return std::format("The {} may make {} requests per second, in bursts of up to {}.", who,
                       rate.per_second, rate.burst);
  };
  const std::int64_t retry = std::max(admission.account.retry_seconds, admission.key.retry_seconds);
  if (admission.key.granted)
    return too_many(detail("account", admission.account_rate), retry, R"(["default"])");
  return too_many(detail("key", *admission.key_rate), retry,
                  admission.account.granted ? R"(["key"])" : R"(["default","key"])");
}

void add_lines(const LineAdmission& lines, std::string& policy_header, std::string& limit_header) {
  append_policy(policy_header, kLinesPolicy, ";q=", lines.rate.burst, ";w=", window_of(lines.rate));
  append_policy(limit_header, kLinesPolicy, ";r=", lines.allowance.remaining,
                ";t=", lines.allowance.reset_seconds);
}

Problem quota_problem(const LineAdmission& lines) {
  return too_many(std::format("The account may send {} lines per second, in bursts of up to {}.",
                              lines.rate.per_second, lines.rate.burst),
                  lines.allowance.retry_seconds, R"(["lines"])");
}

Problem authentication_quota_problem(const Allowance& allowance) {
  return too_many("Too many requests from this address had no valid key.", allowance.retry_seconds,
                  R"(["authentication"])");
}

Problem anonymous_quota_problem(const Allowance& allowance) {
  return too_many(std::format("An address may make {} requests without a key per second, in bursts "
                              "of up to {}.",
                              kAnonymousRate.per_second, kAnonymousRate.burst),
                  allowance.retry_seconds, R"(["anonymous"])");
}

}  // namespace shopbell::rates
