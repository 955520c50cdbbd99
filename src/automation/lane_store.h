// LaneStore: what the lanes read and write while they process a batch. All calls of a batch belong
// to one transaction, which began with the fence and ends with the new position.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "automation/account_workflows.h"
#include "automation/rows.h"
#include "engine/definition.h"
#include "engine/facts.h"
#include "engine/step.h"

namespace shopbell::automation {

// The enrolments of a contact in one workflow.
struct EnrolmentsOf {
  ContactKey owner;
  Uuid workflow;

  auto operator<=>(const EnrolmentsOf&) const = default;
};

// The rows that the first round trip reads.
struct Wanted {
  std::set<ContactKey> contacts;
  std::set<EnrolmentsOf> enrolments;
};
// Converts a loaded contact to its form in conditions, which shows the account's own fields.
using LoadedContact = std::function<engine::Data(const AccountWorkflows&)>;
struct Loaded {
  std::map<ContactKey, LoadedContact> contacts;  // without erased and merged ones
  std::map<ContactKey, Uuid> merged;             // contacts that were merged into others
  std::vector<StoredRun> runs;
  std::vector<StoredEnrolment> enrolments;
  std::map<std::int64_t, AccountVersions> accounts;
};

// Events that precede the input of a step: those that the tick shows, and of those that `through`
// shows all with smaller ids.
struct Before {
  std::int64_t tick = 0;
  std::optional<std::int64_t> through;
  std::int64_t id = 0;
};
struct HistoryQuestion {
  ContactKey owner;
  std::string kind;
  Instant since;
  Before before;
};
struct ObjectQuestion {
  std::int64_t account = 0;
  std::string type;
  std::string id;
};
struct CouponQuestion {
  ContactKey owner;
  engine::CouponNeed need;
};
struct WithdrawQuestion {
  std::int64_t account = 0;
  engine::WithdrawNeed need;
};
// What a step lacks. The answers are in the same order.
struct Questions {
  std::vector<HistoryQuestion> histories;
  std::vector<ObjectQuestion> objects;
  std::vector<CouponQuestion> coupons;
  std::vector<WithdrawQuestion> withdrawals;
  std::vector<std::pair<std::int64_t, EventKey>> triggers;  // by account
  std::vector<EnrolmentsOf> enrolments;

  bool empty() const {
    return histories.empty() && objects.empty() && coupons.empty() && withdrawals.empty() &&
           triggers.empty() && enrolments.empty();
  }
};
struct Answers {
  std::vector<engine::History> histories;
  std::vector<engine::Data> objects;
  std::vector<engine::CouponAnswer> coupons;
  std::vector<bool> withdrawn;
  std::vector<engine::Data> triggers;  // envelopes; no value if the event is gone
  std::vector<StoredEnrolment> enrolments;
};

struct EndedRun {
  StoredRun run;
  Instant at;
};
// A run whose enrolment ends; of a done run that is before the run itself ends.
struct EnrolmentEnd {
  ContactKey owner;
  Uuid workflow;
  std::string key;
  Uuid run;
  Instant at;
  std::set<std::pair<std::string, std::string>> seen;
};
struct NewEnrolment {
  StoredEnrolment row;
  std::optional<Uuid> replaces;  // the run of the row that it replaces
};
struct ArmedTimer {
  std::int16_t group = 0;
  Instant due_at;
  ContactKey owner;
  Uuid run;
};
struct SubjectWait {
  ContactKey owner;
  std::int16_t lane = 0;
  std::string subject;
  Instant since;
  Uuid run;
  std::int64_t per_unit = 0;  // runs that one unit in stock releases; 0: all
};
struct Planned {
  ContactKey owner;
  std::int16_t lane = 0;
  Uuid workflow;
  std::int64_t priority = 0;
  engine::PlanMessage message;
  std::optional<std::string> send_rules;  // JSON
  Instant at;
  bool is_bulk = false;
};
struct Sent {
  ContactKey owner;
  std::int16_t lane = 0;
  Uuid workflow;
  std::string node;
  engine::SendWebhook webhook;
};
struct AppendedEvent {
  std::int64_t account = 0;
  std::int16_t lane = 0;
  std::optional<Uuid> contact;
  std::string kind;
  Instant occurred_at;
  std::string trigger = "all";
  std::int64_t hops = 0;
  std::string payload;
};
struct ContactChange {
  ContactKey owner;
  std::string patch;  // JSON merge patch
  std::int64_t hops = 0;
  const AccountWorkflows* account = nullptr;  // the fields and the store that the patch is for
};
// A run that a purchase converted.
struct ConvertedRun {
  Uuid workflow;
  Uuid run;
  Instant started_at;
};
// A purchase by account and the store's id.
using PurchaseKey = std::pair<std::int64_t, std::string>;
using Counter = std::tuple<std::int64_t, Uuid, std::string, std::string>;

// The last round trip.
struct Writes {
  std::vector<StoredRun> started;
  std::vector<StoredRun> moved;
  std::vector<EndedRun> ended;  // also runs that ended in the batch that started them
  std::vector<NewEnrolment> enrolled;
  std::vector<EnrolmentEnd> left;
  std::vector<ArmedTimer> timers;
  std::vector<SubjectWait> waits;
  std::vector<SubjectWait> waits_over;
  std::vector<Planned> messages;
  std::vector<Sent> webhooks;
  std::vector<ContactChange> changes;
  std::vector<std::pair<std::int64_t, Uuid>> coupons_released;
  std::vector<AppendedEvent> events;
  std::map<Counter, std::int64_t> counts;
  // All purchases that events are about: their attribution is written as they are now.
  std::map<PurchaseKey, std::optional<ConvertedRun>> purchases;
  std::map<ContactKey, Uuid> merged;  // into which contact: their enrolments go, their past moves
  std::set<ContactKey> erased;        // all their rows go
};

class LaneStore {
 public:
  virtual ~LaneStore() = default;
  virtual boost::asio::awaitable<Loaded> load(Wanted wanted) = 0;
  virtual boost::asio::awaitable<Answers> look_up(Questions questions) = 0;
  // Locks contacts without waiting. Returns those that another transaction has locked.
  virtual boost::asio::awaitable<std::vector<ContactKey>> lock(std::set<ContactKey> contacts) = 0;
  // Adds the writes to the end of the transaction.
  virtual boost::asio::awaitable<void> write(Writes writes) = 0;
};

}  // namespace shopbell::automation
