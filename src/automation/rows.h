// Rows: runs and enrolments as the lanes store them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "engine/run.h"

namespace shopbell::automation {

struct ContactKey {
  std::int64_t account = 0;
  Uuid contact;

  auto operator<=>(const ContactKey&) const = default;
};

// The event that started a run, by its key in the table `event`.
struct EventKey {
  Instant received_at;
  std::int64_t id = 0;

  auto operator<=>(const EventKey&) const = default;
};

// A run and what its row holds besides. Loaded runs have an empty trail: steps are appended to it.
struct StoredRun {
  engine::Run run;
  ContactKey owner;
  std::int16_t lane = 0;
  std::int64_t seq = 0;  // 0: not stored yet
  std::string enrolment_key;
  std::optional<Instant> timer_at;    // the armed timer; at or before the run's due time
  std::optional<EventKey> trigger;    // nullopt for a schedule
  std::optional<std::string> copied;  // the trigger's envelope, once its event may be dropped
};

// Key of the enrolment that notes that a schedule's condition holds.
inline constexpr std::string_view kHeldKey = "\x01held";

struct StoredEnrolment {
  ContactKey owner;
  std::int16_t lane = 0;
  engine::Enrolment enrolment;
};

// One "node\tedge" a line.
std::string seen_to_text(const std::set<std::pair<std::string, std::string>>& seen);
std::set<std::pair<std::string, std::string>> seen_from_text(std::string_view text);

// One "node\tedge\tmicroseconds\tcause" a line.
std::string trail_to_text(const std::vector<engine::TrailStep>& trail);
std::vector<engine::TrailStep> trail_from_text(std::string_view text);

// The members of a run that are not columns: item, variables, subjects and coupons; nullopt: none.
std::optional<std::string> data_to_json(const engine::Run& run);
void read_data(std::string_view json, engine::Run& run);

engine::RunState run_state_of(std::string_view name);

}  // namespace shopbell::automation
