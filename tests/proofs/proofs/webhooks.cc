// Two processes, which are killed repeatedly, deliver events to endpoints with different
// behaviours. The arrivals are compared with the acknowledged events: each must arrive, signed,
// with the event's one id, in the order of its contact.
#include "tests/proofs/proofs/webhooks.h"

#include <algorithm>
#include <atomic>
#include <format>
#include <set>
#include <stdexcept>
#include <thread>

#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/log_load.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Installation;

// Endpoints that accept every event in the end, and those that never do.
const std::vector<std::string> kAcceptingPaths{"/fast", "/slow", "/flaky", "/busy", "/cut"};
const std::vector<std::string> kFailingPaths{"/gone", "/moved", "/silent"};

struct Shape {
  std::size_t contacts = 0;
  std::size_t events = 0;  // number of events per contact
  int kills = 0;
  std::chrono::milliseconds between_kills;
  std::chrono::milliseconds slowest;
  std::chrono::seconds patience;  // timeout until all events have arrived
};

Shape shape_of(const Setting& setting) {
  if (setting.quick)
    return {.contacts = 60,
            .events = 2,
            .kills = 2,
            .between_kills = 1500ms,
            .slowest = 1s,
            .patience = 60s};
  return {.contacts = 300,
          .events = 3,
          .kills = 8,
          .between_kills = 6s,
          .slowest = 10s,
          .patience = 200s};
}

// Sends each contact's events in order, on its own thread.
class EventSender {
 public:
  EventSender(const Fleet& fleet, const std::string& key, const Shape& shape, std::uint64_t seed)
      : thread_{[this, &fleet, key, shape, seed](const std::stop_token& stopping) {
          try {
            tell(fleet, key, shape, seed, stopping);
          } catch (const std::exception& error) {
            trouble_ = error.what();
          }
          done_ = true;
        }} {}

  std::size_t count() const { return count_; }
  // Waits for the sender and returns all acknowledged events.
  const std::vector<SentEvent>& finish() {
    while (!done_) std::this_thread::sleep_for(20ms);
    if (!trouble_.empty()) throw std::runtime_error{trouble_};
    return told_;
  }

 private:
  // Sends the events, spread over the time in which processes are killed.
  void tell(const Fleet& fleet, const std::string& key, const Shape& shape, std::uint64_t seed,
            const std::stop_token& stopping) {
    const auto between = std::chrono::microseconds{shape.between_kills} * shape.kills /
                         static_cast<std::int64_t>(shape.contacts * shape.events);
    for (std::size_t round = 0; round < shape.events; ++round) {
      for (std::size_t i = 0; i < shape.contacts && !stopping.stop_requested(); ++i) {
        told_.push_back(send_event(fleet, key, i, std::format("{}-{}-{}", seed, round, i)));
        ++count_;
        std::this_thread::sleep_for(between);
      }
    }
  }

  std::vector<SentEvent> told_;
  std::string trouble_;
  std::atomic<std::size_t> count_ = 0;
  std::atomic<bool> done_ = false;
  std::jthread thread_;
};

struct ArrivalFigures {
  std::int64_t arrivals = 0;
  std::int64_t repeated = 0;  // events that arrived more than once at one endpoint
  // Part of `repeated`: events that the endpoint had answered with 2xx.
  std::int64_t repeated_after_2xx = 0;
  std::int64_t missing = 0;     // events that did not arrive at an endpoint that answers
  std::int64_t disorder = 0;    // first arrivals out of the contact's order or with a gap
  std::int64_t renumbered = 0;  // arrivals of the same id with another sequence
  std::int64_t badly_signed = 0;
  std::int64_t unknown = 0;  // arrivals with an id that no event has
  std::int64_t redirected = 0;
  std::int64_t gone = 0;  // number of requests to the endpoint that answers 410
  std::vector<std::string> examples;

  bool exact() const {
    return missing == 0 && disorder == 0 && renumbered == 0 && badly_signed == 0 && unknown == 0 &&
           redirected == 0 && gone == 1;
  }
};

class Judge {
 public:
  explicit Judge(const std::vector<SentEvent>& told) {
    for (const auto& event : told) events_.emplace(event.id, event);
  }

  void take(const Arrival& arrival) {
    ++figures.arrivals;
    if (arrival.path == "/target") {
      ++figures.redirected;
      return;
    }
    if (arrival.path == "/gone") ++figures.gone;
    if (!arrival.is_signed) note(figures.badly_signed, arrival, "not signed");
    const auto event = events_.find(arrival.id);
    if (event == events_.end()) {
      note(figures.unknown, arrival, "unknown");
      return;
    }
    if (heard_.contains({arrival.path, arrival.id})) ++figures.repeated_after_2xx;
    if (arrival.accepted()) heard_.emplace(arrival.path, arrival.id);
    const auto [known, first] =
        sequences_.emplace(std::pair{arrival.path, arrival.id}, arrival.sequence);
    if (!first) {
      ++figures.repeated;
      if (known->second != arrival.sequence) note(figures.renumbered, arrival, "renumbered");
      return;
    }
    Latest& latest = latest_[{arrival.path, event->second.contact}];
    if (arrival.sequence != latest.sequence + 1 || event->second.place <= latest.place)
      note(figures.disorder, arrival, "out of order");
    latest = {arrival.sequence, event->second.place};
  }

  std::size_t missing() const {
    std::size_t heard = 0;
    for (const auto& [path, id] : heard_)
      if (std::ranges::contains(kAcceptingPaths, path)) ++heard;
    return events_.size() * kAcceptingPaths.size() - heard;
  }

  ArrivalFigures figures;

 private:
  struct Latest {
    std::int64_t sequence = 0;
    std::int64_t place = -1;
  };

  void note(std::int64_t& count, const Arrival& arrival, std::string_view what) {
    ++count;
    if (figures.examples.size() < 5)
      figures.examples.push_back(
          std::format("{}: {} {} at {}", what, arrival.id, arrival.sequence, arrival.path));
  }

  std::map<std::string, SentEvent> events_;
  std::set<std::pair<std::string, std::string>> heard_;
  std::map<std::pair<std::string, std::string>, std::int64_t> sequences_;
  std::map<std::pair<std::string, std::size_t>, Latest> latest_;
};

Judge judge(const WebhookSite& site, const std::vector<SentEvent>& told) {
  Judge judge{told};
  for (const auto& arrival : site.arrivals()) judge.take(arrival);
  return judge;
}

// Sends a single event, so that no other delivery is in flight to the endpoint that answers 410.
bool is_disabled_by_one(const Fleet& fleet, const std::string& key, const std::string& gone) {
  for (const auto until = Steady::now() + 15s; Steady::now() < until;) {
    if (status_of_endpoint(fleet, key, gone) == "disabled") return true;
    std::this_thread::sleep_for(100ms);
  }
  return false;
}

// Kills both processes in turn, while there are events to send.
int kill_senders(Fleet& fleet, const Shape& shape, const EventSender& teller) {
  for (int i = 0; i < shape.kills; ++i) {
    progress(std::format("webhooks: kill {}/{}, {} events", i + 1, shape.kills, teller.count()));
    std::this_thread::sleep_for(shape.between_kills);
    const auto which = static_cast<std::size_t>(i) % fleet.size();
    fleet.kill(which);
    fleet.start(which);
  }
  return shape.kills;
}

std::string figures_of(const Shape& shape, const ArrivalFigures& found, int kills, std::size_t told,
                       double seconds) {
  return std::format(
      "2 processes, {} × kill -9, {} endpoints with 8 behaviours, {} events of {} contacts: {} "
      "arrivals in {:.0f} s, {} of them again ({} although answered with 2xx), {} missing, {} out "
      "of "
      "order or with a gap, {} renumbered, {} badly signed, {} unknown; {} request to the endpoint "
      "that answers 410, {} to the redirect target",
      kills, kAcceptingPaths.size() + kFailingPaths.size(), told, shape.contacts, found.arrivals,
      seconds, found.repeated, found.repeated_after_2xx, found.missing, found.disorder,
      found.renumbered, found.badly_signed, found.unknown, found.gone, found.redirected);
}

std::string figures_of(const DeadEndpointFigures& beside, bool judged) {
  return std::format(
      "; {} endpoints beside a dead one, CPU {:.0f} %: p99 from request to arrival {:.0f} → {:.0f} "
      "ms, {} late{}",
      beside.endpoints, beside.cpu_percent, beside.arrival.quiet_p99_ms, beside.arrival.loud_p99_ms,
      beside.missing, judged ? "" : " (p99 not judged)");
}

}  // namespace

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

SentEvent send_event(const Fleet& fleet, const std::string& key, std::size_t contact,
                     const std::string& mark) {
  static std::atomic<std::int64_t> places = 0;
  SentEvent told{.contact = contact, .began_ms = now_ms()};
  std::string trouble;
  std::size_t which = contact;
  for (const auto until = Steady::now() + 60s; Steady::now() < until; ++which) {
    const Answer answer = ask_once(
        fleet, which % fleet.size(), key,
        {.method = "POST",
         .path = "/custom-events/alias/ring",
         .body = std::format(R"({{"eventId":"{}","contact":{{"externalId":"{}"}},"payload":{{}}}})",
                             mark, log_contact(contact))});
    if (succeeded(answer)) {
      told.id = member_of(answer.body, "id").value_or("");
      told.place = ++places;
      return told;
    }
    trouble = std::format("{} {}", answer.status, answer.body);
    std::this_thread::sleep_for(20ms);
  }
  throw std::runtime_error{"could not send an event: " + trouble};
}

Verdict webhooks(const Setting& setting) {
  const Shape shape = shape_of(setting);
  Installation installation{setting.checkout, setting.binary};
  const std::string key = installation.create_unlimited_key("Webhooks");
  const std::string other_key = installation.create_unlimited_key("Neighbours");
  WebhookSite site{setting.checkout, shape.slowest};
  Fleet fleet{installation, 2, site.environment()};
  for (const auto& each : {key, other_key}) {
    define_event_types(fleet, each, {"ring"});
    create_contacts(fleet, each, shape.contacts);
  }
  std::map<std::string, std::string> endpoints;
  for (const auto& paths : {kAcceptingPaths, kFailingPaths})
    for (const auto& path : paths) endpoints[path] = site.create_endpoint(fleet, key, path);

  const auto started = Steady::now();
  std::vector<SentEvent> told{send_event(fleet, key, 0, std::format("{}-first", setting.seed))};
  const bool disabled = is_disabled_by_one(fleet, key, endpoints["/gone"]);
  EventSender teller{fleet, key, shape, setting.seed};
  const int kills = kill_senders(fleet, shape, teller);
  const auto& more = teller.finish();
  told.insert(told.end(), more.begin(), more.end());
  for (const auto until = Steady::now() + shape.patience; Steady::now() < until;) {
    const auto missing = judge(site, told).missing();
    progress(std::format("webhooks: {} arrivals to come", missing));
    if (missing == 0) break;
    std::this_thread::sleep_for(500ms);
  }
  Judge judged_arrivals = judge(site, told);
  ArrivalFigures& found = judged_arrivals.figures;
  found.missing = static_cast<std::int64_t>(judged_arrivals.missing());
  const double seconds = std::chrono::duration<double>(Steady::now() - started).count();

  for (const auto& [path, id] : endpoints)
    ask_once(fleet, 0, key, {.method = "DELETE", .path = "/manage/webhooks/" + id});
  const DeadEndpointFigures beside =
      measure_dead_endpoint(setting, fleet, site, other_key, shape.contacts);
  const bool judged = judges_times(setting);
  // A run in which no kill hit a delivery in flight proves nothing.
  const bool failures_hit = setting.quick || found.repeated_after_2xx > 0;
  const bool holds = found.exact() && disabled && failures_hit && beside.missing == 0 &&
                     (!judged || beside.arrival.good()) && fleet.alive();
  std::string figures =
      figures_of(shape, found, kills, told.size(), seconds) + figures_of(beside, judged);
  if (!disabled) figures += "; 410 did not disable the endpoint";
  for (const auto& example : found.examples) figures += "; " + example;
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
