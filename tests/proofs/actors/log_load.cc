#include "tests/proofs/actors/log_load.h"

#include <algorithm>
#include <format>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/time.h"
#include "pg/script.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/neighbours.h"

namespace shopbell::proofs {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Ask;

namespace {

// Of every 16 requests of a writer, one changes a contact, one has a single event, and the others
// have many.
constexpr std::size_t kTurns = 16;
constexpr auto kStuckAfter = 120s;  // a writer without a response for this long counts as stuck

// Returns the ids of the receipts in a response, in the order of the lines.
std::vector<Uuid> ids_in(std::string_view body) {
  constexpr std::string_view kName = R"("id":")";
  std::vector<Uuid> ids;
  for (auto at = body.find(kName); at != std::string_view::npos; at = body.find(kName, at + 1)) {
    if (const auto id = Uuid::parse(body.substr(at + kName.size(), 36))) ids.push_back(*id);
  }
  return ids;
}

using BodyOf = std::string (*)(std::size_t number);

asio::awaitable<void> create_some(FleetClient& client, const Fleet& fleet, BodyOf body_of,
                                  std::size_t& next, std::size_t count, std::string& trouble) {
  while (next < count && trouble.empty()) {
    const std::size_t number = next++;
    const Answer answer = co_await client.send(
        number % fleet.size(),
        {.method = "PATCH",
         .path = std::format("/contacts/external-id/{}?createContact=true", log_contact(number)),
         .body = body_of(number)});
    if (!succeeded(answer)) trouble = std::format("{} {}", answer.status, answer.body);
  }
}

void create_all(const Fleet& fleet, const std::string& key, BodyOf body_of, std::size_t count) {
  asio::io_context loop;
  std::deque<FleetClient> clients;
  std::size_t next = 0;
  std::string trouble;
  for (int i = 0; i < 32; ++i) {
    auto& client = clients.emplace_back(loop, fleet, key);
    asio::co_spawn(loop, create_some(client, fleet, body_of, next, count, trouble), asio::detached);
  }
  loop.run();
  if (!trouble.empty()) throw std::runtime_error{"could not create a contact: " + trouble};
}

}  // namespace

void create_contacts(const Fleet& fleet, const std::string& key, std::size_t count) {
  create_all(fleet, key, [](std::size_t) -> std::string { return "{}"; }, count);
}

void create_subscribers(const Fleet& fleet, const std::string& key, std::size_t count) {
  const BodyOf subscriber = [](std::size_t number) {
    return std::format(
        R"({{"email":"{}@example.com","emailSubscription":"subscribed","consent":[{{"channel":"email","status":"subscribed"}}]}})",
        log_contact(number));
  };
  create_all(fleet, key, subscriber, count);
}

LogLoad::LogLoad(const Fleet& fleet, const std::string& key, const std::string& admin_url,
                 const LogPlan& plan, std::uint64_t seed)
    : plan_{plan}, seed_{seed}, writing_{plan.writers} {
  told_.reserve(static_cast<std::size_t>(plan.events) * 5 / 4);
  for (std::size_t i = 0; i < plan.writers; ++i) {
    auto& writer = writers_.emplace_back(
        Writer{FleetClient{loop_, fleet, key}, std::mt19937_64{seed + i * 7919}, i});
    asio::co_spawn(loop_, write_on(writer), [this](std::exception_ptr error) {
      --writing_;
      if (error) std::rethrow_exception(error);
    });
  }
  slow_thread_ = std::jthread{
      [this, admin_url](const std::stop_token& stopping) { write_slowly(admin_url, stopping); }};
  thread_ = std::jthread{[this] { loop_.run(); }};
}

// The destructor does not wait for responses, because the proof may have ended early.
LogLoad::~LogLoad() {
  loop_.stop();
  if (thread_.joinable()) thread_.join();
}

void LogLoad::stop() {
  ending_ = true;
  const auto until = Steady::now() + kStuckAfter + 20min;
  while (writing_ > 0 && Steady::now() < until) std::this_thread::sleep_for(5ms);
  loop_.stop();
  thread_.join();
  stuck += static_cast<std::int64_t>(writing_);
  slow_thread_.request_stop();
  slow_thread_.join();
}

std::vector<LedgerEvent> LogLoad::ledger() const {
  std::vector<LedgerEvent> all = told_;
  all.insert(all.end(), slow_.begin(), slow_.end());
  return all;
}

std::size_t LogLoad::pick(std::mt19937_64& random) const {
  const bool hot = random() % 2 == 0;
  return random() % (hot ? plan_.hot : plan_.contacts);
}

asio::awaitable<void> LogLoad::write_on(Writer& writer) {
  const Steady::duration between = std::chrono::nanoseconds{1s} *
                                   static_cast<std::int64_t>(plan_.writers * plan_.lines) /
                                   plan_.per_second;
  auto due = Steady::now() + between * static_cast<std::int64_t>(writer.number) /
                                 static_cast<std::int64_t>(plan_.writers);
  for (std::size_t turn = writer.number; !over(); ++turn) {
    const auto now = Steady::now();
    if (now < due) co_await runtime::sleep_for(due - now);
    due = std::max(due + between, now);
    while (held_) co_await runtime::sleep_for(5ms);
    if (turn % kTurns == 0) {
      co_await change(writer);
    } else {
      co_await tell(writer, turn % kTurns == 1 ? 1 : plan_.lines);
    }
  }
}

asio::awaitable<void> LogLoad::tell(Writer& writer, std::size_t lines) {
  const std::size_t request = ++requests_;
  std::vector<LedgerEvent> events;
  Ask ask{.method = "POST", .path = "/custom-events/alias/ring"};
  if (lines > 1) ask.headers.emplace_back("Content-Type", "application/x-ndjson");
  for (std::size_t line = 0; line < lines; ++line) {
    const std::size_t contact = pick(writer.random);
    ask.body += std::format(
        R"({{"eventId":"{}-{}-{}","contact":{{"externalId":"{}"}},"payload":{{"n":{}}}}}{})", seed_,
        request, line, log_contact(contact), line, lines > 1 ? "\n" : "");
    events.push_back({.contact = contact, .request = request, .line = line});
  }
  const std::int64_t began = ++clock_;
  const auto answer = co_await insist(writer, std::move(ask));
  if (!answer) co_return;
  const std::vector<Uuid> ids = ids_in(answer->body);
  if (ids.size() != lines) {
    ++others[std::format("receipts: {}", answer->body.substr(0, 200))];
    co_return;
  }
  const std::int64_t now = ++clock_;
  for (std::size_t line = 0; line < lines; ++line) {
    events[line].uid = ids[line];
    events[line].began = began;
    events[line].acknowledged = now;
    told_.push_back(events[line]);
  }
  acknowledged += static_cast<std::int64_t>(lines);
}

// Many transactions wait for the same contact, so the order of their ids says nothing about the
// order of their events.
asio::awaitable<void> LogLoad::change(Writer& writer) {
  Ask ask{.method = "PATCH",
          .path = std::format("/contacts/external-id/{}", log_contact(writer.random() % plan_.hot)),
          .body = R"({"points":{"add":1}})"};
  ask.headers.emplace_back("Idempotency-Key", std::format("{}-{}", seed_, ++requests_));
  if (co_await insist(writer, std::move(ask))) ++changes;
}

asio::awaitable<std::optional<Answer>> LogLoad::insist(Writer& writer, Ask ask) {
  for (const auto until = Steady::now() + kStuckAfter; Steady::now() < until; ++retried) {
    Answer answer = co_await writer.client.send(writer.random() % writer.client.lines(), ask);
    if (succeeded(answer)) co_return std::move(answer);
    const bool again = answer.outcome != Answer::Outcome::answered || answer.status == 503 ||
                       answer.body.contains("\"idempotency-in-progress\"");
    if (!again) {
      ++others[std::format("{} {}", answer.status, member_of(answer.body, "code").value_or(""))];
      co_return std::nullopt;
    }
    co_await runtime::sleep_for(20ms);
  }
  ++stuck;
  co_return std::nullopt;
}

void LogLoad::write_slowly(const std::string& admin_url, const std::stop_token& stopping) {
  std::mt19937_64 random{seed_ + 1};
  std::optional<pg::Script> database;
  while (!stopping.stop_requested()) {
    std::this_thread::sleep_for(50ms);
    if (held_) continue;
    try {
      if (!database) database.emplace(admin_url);
      LedgerEvent event{.uid = Uuid::v7(system_clock().now()), .contact = random() % plan_.hot};
      event.began = ++clock_;
      slow_.push_back(event);
      database->run(std::format(
          "BEGIN; INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, "
          "trigger, hops, source, payload) SELECT account_id, '{}', lane, contact_id, "
          "'custom.ring', 1, now(), 'all', 0, 'api', '{{}}' FROM contact WHERE external_id = '{}'",
          event.uid.to_string(), log_contact(event.contact)));
      std::this_thread::sleep_for(std::chrono::milliseconds{random() % 1200});
      database->run("COMMIT");
      slow_.back().acknowledged = ++clock_;
    } catch (const pg::Error&) {  // PostgreSQL is restarting
      database.reset();
    }
  }
}

}  // namespace shopbell::proofs
