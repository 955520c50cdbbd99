// RateLimits: how many requests an account, a key and an address may make. One object per process,
// used by every loop. It lives in memory: a request costs a look-up and a few additions, never a
// write. Processes tell each other once a second what they granted
// (rates/usage_exchange.h); together they then grant what one bucket would, within 10 %
// over a minute of overload.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.h"
#include "base/uuid.h"
#include "observe/metrics.h"
#include "rates/bucket_table.h"
#include "rates/token_bucket.h"

namespace shopbell::rates {

// Whose bucket it is: an account's, or that of one of its keys.
struct Bucket {
  std::int64_t account = 0;
  Uuid key;  // nil: the account's own; one more id stands for its lines

  auto operator<=>(const Bucket&) const = default;
};

struct BucketHash {
  std::size_t operator()(const Bucket& bucket) const;
};

// What this process did with a bucket so far, for the others.
struct BucketUse {
  Bucket bucket;
  std::int64_t first = 0;   // where the two numbers started
  std::int64_t used = 0;    // granted
  std::int64_t wanted = 0;  // granted and refused
  double left = 0;          // of the whole bucket, as this process sees it
};

// How a request fared: with its account, and with its key where that has a rate of its own.
struct Admission {
  Rate account_rate;
  Allowance account;
  std::optional<Rate> key_rate;
  Allowance key;

  bool granted() const { return account.granted && key.granted; }
};

// How a body of many lines fared.
struct LineAdmission {
  Rate rate;  // in lines, as is the allowance
  Allowance allowance;
};

class RateLimits {
 public:
  explicit RateLimits(observe::Metrics& metrics, std::size_t most_buckets = limits::kRateBuckets);

  // One request of a caller who is known. Refused by one bucket, it costs nothing of the other.
  Admission admit(std::int64_t account, const Uuid& key, Rate account_rate,
                  std::optional<Rate> key_rate, Steady::time_point now);
  Allowance take(const Bucket& bucket, Rate rate, Steady::time_point now, std::int64_t amount = 1);
  // A body of so many lines, besides the request it came in.
  LineAdmission admit_lines(std::int64_t account, std::size_t lines, Rate account_rate,
                            Steady::time_point now);

  // For the exchange: every bucket that is in use here. Those nobody used for a while are
  // forgotten.
  std::vector<BucketUse> use(Steady::time_point now);
  void learn(const Bucket& bucket, std::span<const OtherUse> others, Steady::time_point now);

  // Failed authentications of an address, in this process alone: an address is somebody's, and is
  // not written down. may_authenticate() is asked before a key is looked up, failed() after a
  // failure.
  Allowance may_authenticate(std::string_view address, Steady::time_point now);
  void failed(std::string_view address, Steady::time_point now);

  std::size_t size() const { return buckets_.size() + addresses_.size(); }

 private:
  BucketTable<Bucket, BucketHash> buckets_;
  BucketTable<std::string, std::hash<std::string>> addresses_;
  observe::Counter& limited_accounts_;
  observe::Counter& limited_keys_;
  observe::Counter& limited_lines_;
  observe::Counter& limited_addresses_;
};

// `"default";q=200;w=2, "key";q=20;w=2`
std::string policy_header(const Admission& admission);
// `"default";r=199;t=1, "key";r=19;t=1`
std::string limit_header(const Admission& admission);
// What a body of many lines adds to the two.
void add_lines(const LineAdmission& lines, std::string& policy_header, std::string& limit_header);

// The 429 of a request that was not granted, and that of an address with too many failures. The two
// headers above are for every answer, so they are not in it.
Problem quota_problem(const Admission& admission);
Problem quota_problem(const LineAdmission& lines);
Problem authentication_quota_problem(const Allowance& allowance);

}  // namespace shopbell::rates
