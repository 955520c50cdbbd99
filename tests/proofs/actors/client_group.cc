#include "tests/proofs/actors/client_group.h"

#include <format>
#include <thread>

#include <boost/asio/co_spawn.hpp>

#include "json/document.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/catalogue.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::Answer;
using testing::Ask;
using testing::HttpClient;

constexpr std::size_t kConnections = 48;
constexpr int kAttemptsMost = 200;

}  // namespace

ClientGroup::ClientGroup(const Setting& setting, const std::string& store_name)
    : installation_{setting.checkout, setting.binary},
      random_{setting.seed},
      database_{installation_.admin_url()} {
  const std::string key = installation_.create_unlimited_key(store_name);
  for (const std::string level : {"info", "debug"})
    services_.push_back(installation_.start_service({{"SHOPBELL_LOG_LEVEL", level}}));
  for (std::size_t i = 0; i < kConnections; ++i) {
    const auto& service = services_[i % services_.size()];
    clients_.push_back(std::make_unique<HttpClient>(loop_, service.host, service.port, key));
  }
}

void ClientGroup::run(const std::string& what, std::vector<Job> jobs) {
  std::size_t next = 0;
  std::exception_ptr failure;
  loop_.restart();
  for (auto& client : clients_) {
    asio::co_spawn(loop_, work(*client, jobs, next, what), [&](std::exception_ptr error) {
      if (error) failure = error;
    });
  }
  loop_.run();
  if (failure) std::rethrow_exception(failure);
}

asio::awaitable<void> ClientGroup::work(HttpClient& client, std::vector<Job>& jobs,
                                        std::size_t& next, const std::string& what) {
  while (next < jobs.size()) {
    if (next % 100 == 0) progress(std::format("{}: {}/{}", what, next, jobs.size()));
    co_await jobs[next++](client);
  }
}

std::int64_t ClientGroup::count(const std::string& query) {
  return database_.query("SELECT count(*) AS n FROM " + query)[0].integer("n");
}

std::filesystem::path ClientGroup::directory() {
  const std::filesystem::path data =
      database_.query("SELECT current_setting('data_directory') AS directory")[0].text("directory");
  return data.parent_path().parent_path();
}

void ClientGroup::publish_workflow() {
  const std::string definition = R"({"alias":"greeting","name":"Greeting",
    "trigger":{"event":"contact.created","key":"contact.email"},
    "reentry":{"mode":"perKey"},
    "nodes":[{"id":"pause","type":"wait","for":"P30D"}]})";
  run("workflow", {[this, definition](HttpClient& client) -> asio::awaitable<void> {
        const Answer made = co_await insist(
            client, {.method = "POST", .path = "/manage/workflows/", .body = definition});
        expect(made.status == 201, "workflow: " + status_and_code(made));
        const Answer published = co_await insist(
            client, {.method = "POST",
                     .path = std::format("/manage/workflows/{}/publish", member_of(made, "id"))});
        expect(published.status == 200, "publish: " + status_and_code(published));
      }});
}

void ClientGroup::await_lanes() {
  const std::string behind =
      "(SELECT FROM log_position p WHERE p.reader = 'automation' AND p.tick < (SELECT max(tick) "
      "FROM "
      "log_tick)) behind";
  const std::string left =
      "run r WHERE NOT EXISTS (SELECT FROM contact c WHERE c.account_id = r.account_id AND "
      "c.contact_id = r.contact_id)";
  for (const auto until = runtime::Steady::now() + 60s; runtime::Steady::now() < until;) {
    if (count(left) == 0 && count(behind) == 0) return;
    std::this_thread::sleep_for(200ms);
  }
  wrong("runs of contacts that are gone, or lanes that do not catch up");
}

Verdict ClientGroup::verdict(std::string figures) const {
  figures += std::format(", {} kinds of error", wrong_.size());
  std::size_t told = 0;
  for (const auto& [what, times] : wrong_) {
    if (++told <= 8) figures += std::format("; {} × {}", times, what);
  }
  if (!wrong_.empty()) figures += std::format("; logs in {}", installation_.keep_logs().string());
  return {.holds = wrong_.empty(), .figures = std::move(figures)};
}

asio::awaitable<Answer> insist(HttpClient& client, Ask ask) {
  Answer answer;
  for (int attempt = 0; attempt < kAttemptsMost; ++attempt) {
    answer = co_await client.send(ask);
    const bool later =
        answer.outcome != Answer::Outcome::answered || answer.status == 503 ||
        (answer.status == 409 && answer.body.contains("\"idempotency-in-progress\""));
    if (!later) break;
    co_await runtime::sleep_for(20ms);
  }
  co_return answer;
}

std::string email_path(std::string_view email) {
  return "/contacts/email/" + percent_encoded(email);
}

std::string external_id_path(std::string_view id) {
  return "/contacts/external-id/" + percent_encoded(id);
}

std::string status_and_code(const Answer& answer) {
  std::string text = std::format("{} {}", answer.status, member_of(answer, "code"));
  const auto errors = json::Document::parse(member_of(answer, "errors"));
  if (!errors) return text;
  errors->root().for_each([&](std::string_view, const json::Value& fault) {
    for (const std::string_view name : {"pointer", "parameter", "header", "code"}) {
      if (const auto value = fault.member(name)) text += std::format(" {}", value->text());
    }
  });
  return text;
}

std::string member_of(const Answer& answer, std::string_view name) {
  const auto document = json::Document::parse(answer.body);
  if (!document) return {};
  const auto value = document->root().member(name);
  if (!value) return {};
  return value->type() == json::Type::text ? std::string{value->text()} : value->to_json();
}

}  // namespace shopbell::proofs
