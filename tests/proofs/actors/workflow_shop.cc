#include "tests/proofs/actors/workflow_shop.h"

#include <algorithm>
#include <format>
#include <stdexcept>
#include <thread>

#include "base/time.h"
#include "base/uuid.h"
#include "json/writer.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/neighbours.h"

namespace shopbell::proofs {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Ask;

namespace {

constexpr std::size_t kCodesPerRequest = 1000;

}  // namespace

std::string WorkflowShop::ask(Ask ask) const {
  if (ask.method != "GET")
    ask.headers.emplace_back("Idempotency-Key", Uuid::v7(system_clock().now()).to_string());
  std::string trouble;
  std::size_t which = 0;
  for (const auto until = Steady::now() + 60s; Steady::now() < until; ++which) {
    Answer answer = ask_once(fleet_, which % fleet_.size(), key_, ask);
    if (succeeded(answer)) return std::move(answer.body);
    trouble = std::format("{} {}: {} {}", ask.method, ask.path, answer.status, answer.body);
    const bool again = answer.outcome != Answer::Outcome::answered || answer.status == 503 ||
                       answer.body.contains("\"idempotency-in-progress\"");
    if (!again) break;
    std::this_thread::sleep_for(50ms);
  }
  throw std::runtime_error{trouble};
}

void WorkflowShop::create_templates(const std::vector<std::string>& aliases) const {
  for (const auto& alias : aliases)
    ask({.method = "POST",
         .path = "/manage/templates/",
         .body = std::format(R"({{"alias":"{0}","name":"{0}"}})", alias)});
}

void WorkflowShop::create_coupons(const std::string& alias, std::size_t codes) const {
  ask({.method = "POST",
       .path = "/manage/coupon-sets/",
       .body = std::format(R"({{"alias":"{0}","name":"{0}","kind":"unique"}})", alias)});
  for (std::size_t first = 0; first < codes; first += kCodesPerRequest) {
    std::string list;
    for (std::size_t i = first; i < std::min(codes, first + kCodesPerRequest); ++i)
      list += std::format("{}\"{}-{}\"", list.empty() ? "" : ",", alias, i);
    ask({.method = "POST",
         .path = std::format("/manage/coupon-sets/{}/codes", alias),
         .body = std::format(R"({{"codes":[{}]}})", list)});
  }
}

std::string WorkflowShop::publish(const std::string& definition) const {
  const std::string made =
      ask({.method = "POST", .path = "/manage/workflows/", .body = definition});
  std::string id = member_of(made, "id").value_or("");
  ask({.method = "POST", .path = std::format("/manage/workflows/{}/publish", id)});
  return id;
}

void WorkflowShop::save_draft(const std::string& workflow, const std::string& definition) const {
  ask({.method = "PUT",
       .path = std::format("/manage/workflows/{}/draft", workflow),
       .body = definition});
}

void WorkflowShop::publish(const std::string& workflow,
                           const std::map<std::string, std::string>& nodes) const {
  json::Writer writer;
  writer.begin_object().key("nodes").begin_object();
  for (const auto& [from, to] : nodes) writer.key(from).text(to);
  ask({.method = "POST",
       .path = std::format("/manage/workflows/{}/publish", workflow),
       .body = writer.end().end().finish()});
}

std::int64_t await_no_runs(pg::Script& database, std::chrono::seconds patience) {
  std::int64_t left = -1;
  for (auto until = Steady::now() + patience; Steady::now() < until;) {
    const std::int64_t now = database.query("SELECT count(*) AS n FROM run")[0].integer("n");
    if (now == 0) return 0;
    if (now != left) until = Steady::now() + patience;
    left = now;
    std::this_thread::sleep_for(100ms);
  }
  return left;
}

}  // namespace shopbell::proofs
