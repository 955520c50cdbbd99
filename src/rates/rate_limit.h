// RateLimits: limits the requests of an account, a key and an address. One object per process, used
// by every loop. It is kept in memory: a request costs a lookup and a few additions, never a write.
// Processes exchange their use once a second (rates/usage_exchange.h). Together they grant what one
// bucket would, within 10 % over a minute of overload.
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

// Identifies a bucket: that of an account, or of one of its keys.
struct Bucket {
  std::int64_t account = 0;
  Uuid key;  // nil: the account itself; a reserved id stands for its lines

  auto operator<=>(const Bucket&) const = default;
};

struct BucketHash {
  std::size_t operator()(const Bucket& bucket) const;
};

// The use of a bucket by this process, as reported to the other processes.
struct BucketUse {
  Bucket bucket;
  std::int64_t first = 0;   // start value of `used` and `wanted`
  std::int64_t used = 0;    // tokens granted
  std::int64_t wanted = 0;  // tokens granted and refused
  double left = 0;          // tokens of the whole bucket, as this process sees it
};

// The outcome of a request: for its account, and for its key if that has its own rate.
struct Admission {
  Rate account_rate;
  Allowance account;
  std::optional<Rate> key_rate;
  Allowance key;

  bool granted() const { return account.granted && key.granted; }
};

// The outcome of a body with many lines.
struct LineAdmission {
  Rate rate;  // counted in lines, like the allowance
  Allowance allowance;
};

class RateLimits {
 public:
  explicit RateLimits(observe::Metrics& metrics, std::size_t most_buckets = limits::kRateBuckets);

  // Admits one request of an authenticated caller. If one bucket refuses it, the other is not
  // charged.
  Admission admit(std::int64_t account, const Uuid& key, Rate account_rate,
                  std::optional<Rate> key_rate, Steady::time_point now);
  Allowance take(const Bucket& bucket, Rate rate, Steady::time_point now, std::int64_t amount = 1);
  // Admits a body of that many lines, in addition to its request.
  LineAdmission admit_lines(std::int64_t account, std::size_t lines, Rate account_rate,
                            Steady::time_point now);

  // Returns all buckets in use in this process, for the exchange. Removes buckets that have been
  // idle for a while.
  std::vector<BucketUse> use(Steady::time_point now);
  void learn(const Bucket& bucket, std::span<const OtherUse> others, Steady::time_point now);

  // Failed authentications of an address, in this process alone: addresses are personal data, and
  // are not stored. Call may_authenticate() before looking up a key, and failed() after a failure.
  Allowance may_authenticate(std::string_view address, Steady::time_point now);
  void failed(std::string_view address, Steady::time_point now);

  // Admits one request without a key. In this process alone, for the same reason.
  Allowance admit_anonymous(std::string_view address, Steady::time_point now);

  std::size_t size() const { return buckets_.size() + addresses_.size() + anonymous_.size(); }

 private:
  BucketTable<Bucket, BucketHash> buckets_;
  BucketTable<std::string, std::hash<std::string>> addresses_;
  BucketTable<std::string, std::hash<std::string>> anonymous_;
  observe::Counter& limited_accounts_;
  observe::Counter& limited_keys_;
  observe::Counter& limited_lines_;
  observe::Counter& limited_addresses_;
  observe::Counter& limited_anonymous_;
};

// Value of RateLimit-Policy: `"default";q=200;w=2, "key";q=20;w=2`
std::string policy_header(const Admission& admission);
// Value of RateLimit: `"default";r=199;t=1, "key";r=19;t=1`
std::string limit_header(const Admission& admission);
// Adds the limit of lines of bulk bodies to the values of RateLimit-Policy and RateLimit.
void add_lines(const LineAdmission& lines, std::string& policy_header, std::string& limit_header);

// The 429 response for a refused request, and for an address with too many failures. It omits the
// two headers above, because every response carries them.
Problem quota_problem(const Admission& admission);
Problem quota_problem(const LineAdmission& lines);
Problem authentication_quota_problem(const Allowance& allowance);
Problem anonymous_quota_problem(const Allowance& allowance);

// The part of an address that identifies its owner: the address itself, or the /64 network of an
// IPv6 address, which one owner usually has as a whole.
std::string network_of(std::string_view address);

}  // namespace shopbell::rates
