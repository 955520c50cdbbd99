// Contact fields are created and deleted on one process while clients use them on another. A change
// acknowledged by one process is visible on the other at once, and no response shows a state that
// never existed.
#include <format>
#include <map>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "runtime/wait.h"
#include "testing/http_client.h"
#include "testing/installation.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using testing::Answer;
using testing::HttpClient;
using testing::Installation;

constexpr std::size_t kUsers = 8;

struct Seen {
  int rounds = 0;
  int uses = 0;
  std::map<std::string, int> wrong;

  void check(std::string_view what, const Answer& answer, std::initializer_list<int> right) {
    ++uses;
    if (!std::ranges::contains(right, answer.status))
      ++wrong[std::format("{}: {} {}", what, answer.status, answer.body)];
  }
};

std::string body_of(const std::string& id, int round) {
  return std::format(R"({{"id":"{}","name":"round {}","type":"integer","min":{}}})", id, round,
                     round);
}

// Runs the lifecycle of one field: each step on one process, checked on the other.
asio::awaitable<void> live(HttpClient& here, HttpClient& there, std::string id, int rounds,
                           Seen& seen) {
  const std::string path = "/contact-fields/" + id;
  for (int round = 0; round < rounds; ++round) {
    const std::string mark = std::format("\"name\":\"round {}\"", round);
    seen.check("create",
               co_await here.send(
                   {.method = "POST", .path = "/contact-fields/", .body = body_of(id, round)}),
               {201});
    const Answer found = co_await there.get(path);
    seen.check("get elsewhere", found, {200});
    if (!found.body.contains(mark))
      ++seen.wrong["an earlier field with the same id: " + found.body];
    const Answer listed = co_await there.get("/contact-fields/?limit=500&type=integer");
    if (!listed.body.contains(std::format("\"id\":\"{}\",{}", id, mark)))
      ++seen.wrong["not in the other process's list"];
    seen.check("change elsewhere",
               co_await there.send({.method = "PATCH",
                                    .path = "/manage" + path,
                                    .body = std::format(R"({{"min":{}}})", round - 1)}),
               {200});
    const Answer changed = co_await here.get(path);
    if (!changed.body.contains(std::format("\"min\":{},", round - 1)))
      ++seen.wrong["a change on the other process is not visible: " + changed.body];
    seen.check("delete", co_await here.send({.method = "DELETE", .path = path}), {204});
    seen.check("get the deleted elsewhere", co_await there.get(path), {404});
    seen.check("delete again elsewhere", co_await there.send({.method = "DELETE", .path = path}),
               {404});
    ++seen.rounds;
  }
}

// Simulates another client, which uses the field in any state.
asio::awaitable<void> meddle(HttpClient& client, std::string id, const bool& stop, Seen& seen) {
  const std::string path = "/contact-fields/" + id;
  while (!stop) {
    seen.check("use", co_await client.get(path), {200, 404});
    seen.check("patch",
               co_await client.send(
                   {.method = "PATCH", .path = "/manage" + path, .body = R"({"options":[]})"}),
               {200, 404});
  }
}

}  // namespace

Verdict field_rounds(const Setting& setting) {
  const int rounds = setting.quick ? 10 : 1000 / static_cast<int>(kUsers);
  Installation installation{setting.checkout, setting.binary};
  const std::string key = installation.create_unlimited_key("Fields");
  const std::array services{installation.start_service(), installation.start_service()};
  asio::io_context loop;
  std::vector<std::unique_ptr<HttpClient>> clients;
  const auto client = [&](std::size_t process) -> HttpClient& {
    return *clients.emplace_back(
        std::make_unique<HttpClient>(loop, services[process].host, services[process].port, key));
  };
  Seen seen;
  bool stop = false;
  std::size_t living = kUsers;
  for (std::size_t i = 0; i < kUsers; ++i) {
    const std::string id = std::format("field{}", i);
    asio::co_spawn(loop, live(client(i % 2), client(1 - i % 2), id, rounds, seen),
                   [&](std::exception_ptr) { stop = --living == 0; });
    asio::co_spawn(loop, meddle(client(i % 2), id, stop, seen), asio::detached);
  }
  loop.run();
  std::string figures = std::format(
      "{} rounds of create, use, change and delete over 2 processes under {} other "
      "users, {} requests, {} kinds of wrong answer",
      seen.rounds, kUsers, seen.uses, seen.wrong.size());
  for (const auto& [what, times] : seen.wrong) figures += std::format("; {} × {}", times, what);
  return {.holds = seen.wrong.empty() && seen.rounds == rounds * static_cast<int>(kUsers),
          .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
