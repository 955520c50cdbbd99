// CouponSet: a set of coupon codes, either one code per contact (unique) or one for all (shared).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::coupons {

// A workflow that assigns codes of a set.
struct WorkflowUse {
  std::string id;
  std::string name;
};

struct CouponSet {
  Uuid id;
  std::string alias;
  std::string name;
  std::string kind;                       // "unique" or "shared"
  std::optional<std::string> code;        // the code of a shared set
  std::optional<std::int64_t> total;      // number of codes; nullopt for a shared set
  std::optional<std::int64_t> available;  // codes neither assigned nor redeemed; nullopt if shared
  std::int64_t assigned = 0;              // number of codes assigned so far
  std::int64_t redeemed = 0;              // number of codes that purchases used
  std::optional<Instant> valid_from;
  std::optional<Instant> expires_at;
  std::optional<std::int64_t> low_watermark;
  std::vector<WorkflowUse> used_in_workflows;
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;

  bool is_shared() const { return kind == "shared"; }
};

// A code of a set, with its state.
struct CouponCode {
  std::string code;
  std::string state;  // "available", "assigned" or "redeemed"
  std::optional<std::string> contact_id;
  std::optional<Instant> assigned_at;
  std::optional<Instant> redeemed_at;
  std::optional<bool> by_other;
  Instant added_at;
  std::int64_t number = 0;  // counts up with each code added to the set
};

// Codes to add to a set.
struct NewCodes {
  std::vector<std::string> codes;
};

struct DuplicateCode {
  std::string code;
  std::string coupon_set;  // alias of the set that has the code
};

struct CodesAdded {
  std::int64_t added = 0;
  std::vector<DuplicateCode> duplicates;
};

// True for a valid code: 1 to 64 visible characters, no blanks.
bool is_code(std::string_view text);

// Returns the case-folded code: codes are compared ignoring case.
std::string code_key(std::string_view code);

}  // namespace shopbell::coupons
