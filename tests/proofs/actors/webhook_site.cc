#include "tests/proofs/actors/webhook_site.h"

#include <format>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/random.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/contact_ledger.h"
#include "tests/proofs/actors/neighbours.h"

namespace shopbell::proofs {

using namespace std::chrono_literals;
using testing::Answer;

WebhookSite::WebhookSite(const std::filesystem::path& checkout, std::chrono::milliseconds slowest)
    : directory_{std::filesystem::temp_directory_path() / ("shopbell-hooks." + random_base62(8))} {
  std::filesystem::create_directory(directory_);
  receiver_ = std::make_unique<testing::Process>(
      std::vector<std::string>{"node", checkout / "tests/proofs/actors/webhook_receiver.mjs",
                               directory_ / "arrivals", std::to_string(slowest.count())},
      directory_ / "receiver.log");
  for (int i = 0; i < 800 && control_port_.empty(); ++i) {
    if (!receiver_->alive())
      throw std::runtime_error{"no receiver: " + testing::read_file(directory_ / "receiver.log")};
    std::this_thread::sleep_for(25ms);
    const std::string said = testing::read_file(directory_ / "receiver.log");
    if (!said.starts_with("ports ") || !said.contains('\n')) continue;
    std::istringstream words{said.substr(6)};
    words >> port_ >> target_port_ >> control_port_;
  }
  if (control_port_.empty())
    throw std::runtime_error{"the webhook receiver did not report its ports"};
}

WebhookSite::~WebhookSite() {
  receiver_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

// The service may call the redirect target too, so only ignoring redirects keeps it away from
// there.
std::map<std::string, std::string> WebhookSite::environment() const {
  return {{"SHOPBELL_WEBHOOKS_ALLOW_PRIVATE",
           std::format("127.0.0.1:{},127.0.0.1:{}", port_, target_port_)}};
}

std::string WebhookSite::create_endpoint(const Fleet& fleet, const std::string& key,
                                         const std::string& path) {
  const Answer made =
      ask_once(fleet, 0, key,
               {.method = "POST",
                .path = "/manage/webhooks/",
                .body = std::format(R"({{"url":"http://127.0.0.1:{}{}","kinds":["custom.ring"]}})",
                                    port_, path)});
  if (made.status != 201)
    throw std::runtime_error{std::format("no webhook: {} {}", made.status, made.body)};
  ask_control(
      {.method = "PUT", .path = path, .body = member_of(made.body, "signingSecret").value_or("")});
  return member_of(made.body, "id").value_or("");
}

Answer WebhookSite::ask_control(testing::Ask ask) const {
  boost::asio::io_context loop;
  testing::HttpClient client{loop, "127.0.0.1", control_port_, ""};
  Answer answer = runtime::run_to_end(loop, client.send(std::move(ask)));
  if (!succeeded(answer)) throw std::runtime_error{"the webhook receiver rejected a command"};
  return answer;
}

void WebhookSite::set_sinks_answer(bool answer) {
  ask_control({.method = "PUT", .path = "/sinks", .body = answer ? "answer" : "disconnect"});
}

std::int64_t WebhookSite::accepted_by_sinks() const {
  return std::stoll(ask_control({.path = "/sinks"}).body);
}

std::vector<Arrival> WebhookSite::arrivals() const {
  std::vector<Arrival> all;
  std::istringstream lines{testing::read_file(directory_ / "arrivals")};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    Arrival arrival;
    int is_signed = 0;
    // A line that is only half written is read at the next call.
    if (words >> arrival.path >> arrival.id >> arrival.sequence >> arrival.at_ms >> is_signed >>
        arrival.status) {
      arrival.is_signed = is_signed == 1;
      all.push_back(std::move(arrival));
    }
  }
  return all;
}

std::string create_paused_endpoint(const Fleet& fleet, const std::string& key) {
  const Answer made =
      ask_once(fleet, 0, key,
               {.method = "POST",
                .path = "/manage/webhooks/",
                .body = R"({"url":"https://hooks.example.com/paused","kinds":[]})"});
  if (made.status != 201)
    throw std::runtime_error{std::format("no webhook: {} {}", made.status, made.body)};
  std::string id = member_of(made.body, "id").value_or("");
  set_endpoint_status(fleet, key, id, "paused");
  return id;
}

std::string status_of_endpoint(const Fleet& fleet, const std::string& key, const std::string& id) {
  const Answer answer = ask_once(fleet, 0, key, {.path = "/manage/webhooks/" + id});
  return member_of(answer.body, "status").value_or("");
}

void set_endpoint_status(const Fleet& fleet, const std::string& key, const std::string& id,
                         const std::string& status) {
  const Answer answer = ask_once(fleet, 0, key,
                                 {.method = "PATCH",
                                  .path = "/manage/webhooks/" + id,
                                  .body = std::format(R"({{"status":"{}"}})", status)});
  if (!succeeded(answer))
    throw std::runtime_error{std::format("webhook: {} {}", answer.status, answer.body)};
}

}  // namespace shopbell::proofs
