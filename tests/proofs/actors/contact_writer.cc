#include "tests/proofs/actors/contact_writer.h"

#include <algorithm>
#include <format>

#include <boost/asio/co_spawn.hpp>

#include "runtime/wait.h"

namespace shopbell::proofs {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;

namespace {

using Fate = LedgerContact::Fate;

constexpr auto kGiveUp = 30s;
constexpr std::size_t kOwnMost = 30;

std::string path_of(const LedgerContact& contact) {
  return "/contacts/external-id/" + contact.external_id;
}

std::string name_body(const std::string& name) {
  return std::format(R"({{"firstName":"{}"}})", name);
}

std::string points_label(const LedgerContact& contact) {
  return std::format("points={}", contact.points);
}

}  // namespace

void WriterTally::wrong(const testing::Ask& ask, const testing::Answer& answer,
                        std::string_view why) {
  ++others;
  if (examples.size() < 5)
    examples.push_back(std::format("{} {}: {} {} {}", ask.method, ask.path, why, answer.status,
                                   answer.body.substr(0, 200)));
}

ContactWriter::ContactWriter(asio::io_context& loop, ProcessPair& pair, const std::string& key,
                             std::size_t number, std::uint64_t seed, WriterTally& tally)
    : loop_{loop},
      client_{loop, pair, key},
      number_{number},
      random_{seed * 1000 + number},
      process_{number % 2},
      tally_{tally} {}

asio::awaitable<void> ContactWriter::run(const std::atomic<bool>& stop) {
  while (!stop) co_await write_something();
}

asio::awaitable<void> ContactWriter::write_something() {
  if (take_chance(5)) process_ = 1 - process_;
  if (own_.size() < 4) co_return co_await create();
  const auto dice = random_() % 100;
  LedgerContact& contact = pick();
  if (dice < 10 && own_.size() < kOwnMost) co_return co_await create();
  if (dice < 50) co_return co_await add_point(contact);
  if (dice < 70) co_return co_await rename(contact);
  if (dice < 90) co_return co_await rename_once(contact);
  if (dice < 94) co_return co_await remove(contact);
  if (dice < 96) co_return co_await remove_once(contact);
  LedgerContact& other = pick();
  if (&other == &contact) co_return;
  dice < 98 ? co_await merge_by_id(other, contact) : co_await merge_by_email(other, contact);
}

// Creating is idempotent without a key: a retry finds the contact.
asio::awaitable<void> ContactWriter::create() {
  const std::string mark = next_mark();
  LedgerContact& contact = ledger_.emplace_back(
      LedgerContact{.external_id = mark, .email = mark + "@example.com", .names = {mark}});
  const auto answer = co_await insist(
      {.method = "PATCH",
       .path = path_of(contact) + "?createContact=true",
       .body = std::format(R"({{"email":"{}","firstName":"{}"}})", contact.email, mark)});
  if (!answer) co_return;
  contact.id = member_of(answer->body, "id").value_or("");
  contact.events.push_back({"contact.created"});
  own_.push_back(&contact);
}

asio::awaitable<void> ContactWriter::add_point(LedgerContact& contact) {
  const Ask ask{.method = "PATCH", .path = path_of(contact), .body = R"({"points":{"add":1}})"};
  const auto answer = co_await insist_keyed(ask);
  if (!answer) co_return;
  ++contact.points;
  contact.events.push_back({"contact.updated " + points_label(contact)});
  if (member_of(answer->body, "points") != std::to_string(contact.points))
    tally_.wrong(ask, *answer, "the points differ from the ledger:");
}

asio::awaitable<void> ContactWriter::rename(LedgerContact& contact) {
  const std::string name = next_mark();
  const auto answer =
      co_await insist_keyed({.method = "PATCH", .path = path_of(contact), .body = name_body(name)});
  if (!answer) co_return;
  contact.names = {name};
  contact.events.push_back({"contact.updated name=" + name});
}

asio::awaitable<void> ContactWriter::rename_once(LedgerContact& contact) {
  const std::string name = next_mark();
  const auto answer =
      co_await send_once({.method = "PATCH", .path = path_of(contact), .body = name_body(name)});
  contact.events.push_back({"contact.updated name=" + name, answer.has_value()});
  if (answer) contact.names.clear();
  if (!answer) ++tally_.unknown;
  contact.names.push_back(name);
}

asio::awaitable<void> ContactWriter::remove(LedgerContact& contact) {
  const auto answer = co_await insist_keyed({.method = "DELETE", .path = path_of(contact)});
  if (!answer) co_return;
  contact.fate = Fate::deleted;
  contact.events.push_back({"contact.deleted"});
  forget(contact);
}

asio::awaitable<void> ContactWriter::remove_once(LedgerContact& contact) {
  const auto answer = co_await send_once({.method = "DELETE", .path = path_of(contact)});
  contact.fate = answer ? Fate::deleted : Fate::perhaps_deleted;
  if (!answer) ++tally_.unknown;
  contact.events.push_back({"contact.deleted", answer.has_value()});
  forget(contact);
}

asio::awaitable<void> ContactWriter::merge_by_id(LedgerContact& from, LedgerContact& into) {
  const auto answer = co_await insist_keyed(
      {.method = "POST",
       .path = "/manage/contacts/merge",
       .body = std::format(R"({{"from":"{}","into":"{}"}})", from.id, into.id)});
  if (!answer) co_return;
  into.points += from.points;
  into.events.push_back({"contact.merged from=" + from.id});
  if (from.points != 0) into.events.push_back({"contact.updated " + points_label(into)});
  from.events.push_back({"handover"});
  from.fate = Fate::merged;
  from.merged_into = &into;
  forget(from);
}

// This merge is idempotent without a key: afterwards the address belongs to this contact.
asio::awaitable<void> ContactWriter::merge_by_email(LedgerContact& from, LedgerContact& into) {
  const auto answer = co_await insist({.method = "PATCH",
                                       .path = path_of(into) + "?mergeContacts=true",
                                       .body = std::format(R"({{"email":"{}"}})", from.email)});
  if (!answer) co_return;
  into.email = from.email;
  into.points += from.points;
  into.events.push_back({"contact.merged from=" + from.id});
  std::string label = "contact.updated email=" + into.email;
  if (from.points != 0) label += " " + points_label(into);
  into.events.push_back({std::move(label)});
  from.events.push_back({"handover"});
  from.fate = Fate::merged;
  from.merged_into = &into;
  forget(from);
}

asio::awaitable<std::optional<testing::Answer>> ContactWriter::insist(Ask ask) {
  const auto since = Steady::now();
  while (Steady::now() - since < kGiveUp) {
    const bool twice = !ask.headers.empty() && take_chance(10);
    auto answer = twice ? co_await send_twice(ask) : co_await send_once(ask);
    if (answer) co_return answer;
  }
  ++tally_.stuck;
  co_return std::nullopt;
}

asio::awaitable<std::optional<testing::Answer>> ContactWriter::insist_keyed(Ask ask) {
  ask.headers.emplace_back("Idempotency-Key", next_mark());
  doubled_ = false;
  auto answer = co_await insist(ask);
  if (!answer) co_return answer;
  if (!doubled_ && answer->header("Idempotent-Replayed") == "true") ++tally_.happened;
  if (take_chance(20)) co_await send_blindly(ask, *answer);
  co_return answer;
}

asio::awaitable<std::optional<testing::Answer>> ContactWriter::send_twice(Ask ask) {
  ++tally_.blind;
  doubled_ = true;
  runtime::Bell bell{loop_.get_executor()};
  Answer second;
  asio::co_spawn(loop_, client_.send(1 - process_, ask), [&](std::exception_ptr, Answer answer) {
    second = std::move(answer);
    bell.ring();
  });
  const auto first = success_of(ask, co_await client_.send(process_, ask));
  co_await bell.wait();
  const auto other = success_of(ask, std::move(second));
  if (first && other && first->body != other->body)
    tally_.wrong(ask, *other, "different response to the same idempotency key:");
  co_return first ? first : other;
}

// If the process refuses connections, the next attempt goes to the other one.
asio::awaitable<std::optional<testing::Answer>> ContactWriter::send_once(Ask ask) {
  Answer answer = co_await client_.send(process_, ask);
  if (answer.outcome != Answer::Outcome::answered) {
    process_ = 1 - process_;
    if (answer.outcome == Answer::Outcome::refused) co_await runtime::sleep_for(5ms);
  } else if (answer.status == 503) {
    co_await runtime::sleep_for(10ms);
  } else if (answer.status == 409) {
    co_await runtime::sleep_for(50ms);
  }
  co_return success_of(ask, std::move(answer));
}

// Returns the response if it acknowledges the write; a failed or unsent request is not
// acknowledged.
std::optional<testing::Answer> ContactWriter::success_of(const Ask& ask, Answer answer) {
  if (answer.outcome != Answer::Outcome::answered) return std::nullopt;
  if (answer.status == 200 || answer.status == 201 || answer.status == 204) {
    ++tally_.acknowledged;
    tally_.last_success = Steady::now();
    return answer;
  }
  if (answer.status == 503) {
    ++tally_.unavailable;
  } else if (answer.body.contains("idempotency-in-progress")) {
    ++tally_.in_progress;
  } else {
    tally_.wrong(ask, answer, "");
  }
  return std::nullopt;
}

// Repeats an answered request at the other process, like a client that missed the response.
asio::awaitable<void> ContactWriter::send_blindly(Ask ask, Answer first) {
  ++tally_.blind;
  const auto again = success_of(ask, co_await client_.send(1 - process_, ask));
  if (again && (again->status != first.status || again->body != first.body))
    tally_.wrong(ask, *again, "different response to the same idempotency key:");
}

std::string ContactWriter::next_mark() { return std::format("w{}-{}", number_, ++marks_); }

LedgerContact& ContactWriter::pick() { return *own_[random_() % own_.size()]; }

void ContactWriter::forget(const LedgerContact& contact) { std::erase(own_, &contact); }

}  // namespace shopbell::proofs
