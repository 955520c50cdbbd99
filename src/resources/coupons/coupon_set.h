// CouponSet: codes that a store gives to people, one each or one for all; and what happens to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::coupons {

// A workflow that gives codes of a set.
struct WorkflowUse {
  std::string id;
  std::string name;
};

struct CouponSet {
  Uuid id;
  std::string alias;
  std::string name;
  std::string kind;                       // unique, shared
  std::optional<std::string> code;        // of a shared set
  std::optional<std::int64_t> total;      // nothing: as many as like
  std::optional<std::int64_t> available;  // neither given to somebody nor used
  std::int64_t assigned = 0;              // ever given to somebody
  std::int64_t redeemed = 0;              // used by a purchase
  std::optional<Instant> valid_from;
  std::optional<Instant> expires_at;
  std::optional<std::int64_t> low_watermark;
  std::vector<WorkflowUse> used_in_workflows;
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;

  bool is_shared() const { return kind == "shared"; }
};

// One code, as its set shows it.
struct CouponCode {
  std::string code;
  std::string state;  // available, assigned, redeemed
  std::optional<std::string> contact_id;
  std::optional<Instant> assigned_at;
  std::optional<Instant> redeemed_at;
  std::optional<bool> by_other;
  Instant added_at;
  std::int64_t number = 0;  // in the order in which codes came
};

// Codes on their way into a set.
struct NewCodes {
  std::vector<std::string> codes;
};

struct DuplicateCode {
  std::string code;
  std::string coupon_set;  // alias of the set that has it
};

struct CodesAdded {
  std::int64_t added = 0;
  std::vector<DuplicateCode> duplicates;
};

// 1 to 64 characters that can be seen, without blanks between them.
bool is_code(std::string_view text);

// Codes match without regard to case: this is what is compared.
std::string code_key(std::string_view code);

}  // namespace shopbell::coupons
