// Facts: data that a step needs beyond the run, the contact and the event: history, objects, coupon
// codes. A step that lacks a fact lists it as a need; the caller obtains all needs and repeats the
// step with the same run. Nothing else changes in between, so the repetition takes the same path.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/duration.h"
#include "base/time.h"
#include "base/uuid.h"
#include "engine/data.h"

namespace shopbell::engine {

// The contact's events of one kind since an instant, up to the event or timer of this step.
struct History {
  Instant since;
  std::vector<Data> events;  // as clients see them, oldest first
};

// The code that was claimed for one visit of a coupon node; no code: the set is empty.
struct CouponAnswer {
  std::optional<std::string> code;
  std::optional<Instant> expires_at;
};

struct HistoryNeed {
  std::string kind;
  Instant since;
};
struct ObjectNeed {
  std::string type;  // "product", "variant" or "purchase"
  std::string id;
};
// The claim's id makes a repeated claim return the same code.
struct CouponNeed {
  Uuid claim;
  Uuid run;
  Uuid workflow;
  std::string node;
  std::string coupon_set;
  bool reuse = false;
  std::optional<Instant> expires_at;
};
// Ends a planned message, unless a sender has claimed it.
struct WithdrawNeed {
  Uuid message;
  std::string reason;
};
using Need = std::variant<HistoryNeed, ObjectNeed, CouponNeed, WithdrawNeed>;

struct Facts {
  std::map<std::string, History, std::less<>> histories;        // by kind of event
  std::map<std::pair<std::string, std::string>, Data> objects;  // by type and id
  std::map<Uuid, CouponAnswer> coupons;                         // by claim
  std::map<Uuid, bool> withdrawn;  // by message; false: a sender had claimed it
};

}  // namespace shopbell::engine
