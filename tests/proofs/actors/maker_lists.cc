#include <chrono>
#include <format>
#include <thread>

#include "json/document.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/actors/maker.h"

// Second part of Maker: fills lists that stay empty until an operation adds to them.
namespace shopbell::proofs {

using namespace std::chrono_literals;
using operations::Method;

Maker::Reject rejecting(Stage& stage) {
  return [&stage](const Account& account, const std::string& type, const std::string& mark) {
    return stage.reject_event(account.id, type, mark);
  };
}

// Sends a test event, because a new webhook has no deliveries; the delivery can be sent again.
std::string Maker::trial_of(const Account& account, const std::string& below) {
  const std::string webhook = below.substr(0, below.rfind('/'));
  const Reply reply = send_({.method = "POST",
                             .path = webhook + "/test",
                             .headers = {{"Authorization", "Bearer " + account.key}}});
  if (reply.status >= 300)
    note(std::format("could not send a test event to {}: {}", webhook, reply.brief()));
  return text_member(reply.body, "id").value_or("");
}

// Inserts a rejected event into the table, because only the queue rejects events.
Object Maker::rejected_of(const Account& account, const Route& route, const std::string& mark) {
  const auto made = [&](const std::string& path, const std::string& body) {
    const Reply reply = send_({.method = "POST",
                               .path = path,
                               .body = body,
                               .headers = {{"Authorization", "Bearer " + account.key},
                                           {"Content-Type", "application/json"}}});
    if (reply.status >= 300)
      note(std::format("could not create an object at {}: {}", path, reply.brief()));
    return text_member(reply.body, "id").value_or("");
  };
  const std::string integration =
      made("/custom-integrations/", std::format(R"({{"name":"{}"}})", mark));
  const std::string type =
      made(std::format("/custom-integrations/{}/custom-event-types/", integration),
           std::format(R"({{"name":"{0}","direction":"receive","alias":"{0}"}})", mark));
  const std::string id = reject_(account, type, mark);
  return {.path = path_with(route.path, {id}), .values = {id}};
}

// Creates workflows and a contact that enters all of them, because only the lanes start runs.
std::optional<Object> Maker::run_of(const Account& account, const Route& route,
                                    const std::string& mark) {
  const auto made = [&](std::string_view method, const std::string& path, std::string body) {
    const Reply reply = send_({.method = std::string{method},
                               .path = path,
                               .body = std::move(body),
                               .headers = {{"Authorization", "Bearer " + account.key},
                                           {"Content-Type", "application/json"}}});
    if (reply.status >= 300) note(std::format("could not write {}: {}", path, reply.brief()));
    return reply.body;
  };
  const auto flow = [&](const std::string& alias) {
    return std::format(R"({{"alias":"{0}","name":"{0}","trigger":{{"event":"contact.created",
      "where":{{"value":"contact.externalId","op":"eq","to":"{1}"}}}},
      "nodes":[{{"id":"{1}","type":"wait","for":"P30D"}}]}})",
                       alias, mark);
  };
  constexpr int kFlows = 3;
  std::string workflow;
  for (int i = 0; i < kFlows; ++i) {
    const std::string alias = std::format("{}-{}", mark, i);
    workflow = text_member(made("POST", "/manage/workflows/", flow(alias)), "id").value_or("");
    made("POST", std::format("/manage/workflows/{}/publish", alias), "{}");
    if (route.path.ends_with("/draft/moves"))
      made("PUT", std::format("/manage/workflows/{}/draft", alias), flow(alias));
  }
  const std::string contact =
      made("PATCH", std::format("/contacts/external-id/{}?createContact=true", mark),
           std::format(R"({{"firstName":"{}"}})", mark));
  const std::string id = text_member(contact, "id").value_or("");
  const std::string list = "/manage/runs/?contactId=" + id;
  for (const auto until = runtime::Steady::now() + 20s; runtime::Steady::now() < until;) {
    const std::string page = made("GET", list, "");
    const auto document = json::Document::parse(page);
    std::vector<std::string> runs;
    if (const auto data = document ? document->root().member("data") : std::nullopt)
      data->for_each([&](std::string_view, const json::Value& item) {
        runs.push_back(text_member(item.to_json(), "id").value_or(""));
      });
    if (std::ssize(runs) < kFlows) {
      std::this_thread::sleep_for(100ms);
      continue;
    }
    if (!has_parameters(route)) return Object{.path = list, .answer = page};
    const std::string& value = route.path.starts_with("/manage/runs/") ? runs.front() : workflow;
    return Object{.path = path_with(route.path, {value}) + naming_query(route, id),
                  .values = {value}};
  }
  note("no run starts in the workflow " + mark);
  return std::nullopt;
}

void Maker::change_contact(const Account& account, const Object& contact, const std::string& mark) {
  const auto email = text_member(contact.answer, "email");
  const std::string path =
      email ? "/contacts/email/" + *email
            : "/contacts/external-id/" + text_member(contact.answer, "externalId").value_or("");
  const Reply reply = send_({.method = "PATCH",
                             .path = path,
                             .body = std::format(R"({{"firstName":"{}"}})", mark),
                             .headers = {{"Authorization", "Bearer " + account.key},
                                         {"Content-Type", "application/json"}}});
  if (reply.status >= 300) note(std::format("could not change {}: {}", path, reply.brief()));
}

// Publishes versions of a template, because each request adds at most one.
void Maker::add_versions(const Account& account, const std::string& list) {
  const std::string message = list.substr(0, list.rfind("/versions/"));
  const auto send = [&](std::string_view method, const std::string& path, std::string body) {
    const Reply reply = send_({.method = std::string{method},
                               .path = path,
                               .body = std::move(body),
                               .headers = {{"Authorization", "Bearer " + account.key},
                                           {"Content-Type", "application/json"}}});
    if (reply.status >= 300) note(std::format("could not write {}: {}", path, reply.brief()));
  };
  for (int i = 0; i < 3; ++i) {
    send("PUT", message + "/content",
         R"({"class":"transactional","locales":{"en":{"subject":"Bell","text":"ring"}}})");
    send("POST", message + "/publish", {});
  }
}

void Maker::fill_list(const Account& account, const Route& route, const Object& object,
                      const std::string& mark) {
  if (!is_list(route)) return;
  if (route.path.ends_with("/deliveries")) {
    for (int i = 0; i < 3; ++i) trial_of(account, object.path);
  }
  if (route.path.ends_with("/timeline")) {
    for (int i = 0; i < 3; ++i) change_contact(account, object, next_mark(mark));
  }
  if (route.path.ends_with("/versions/")) add_versions(account, object.path);
  if (route.path == "/manage/rejected-events/") {
    for (int i = 0; i < 3; ++i) rejected_of(account, route, next_mark(mark));
  }
  const Route* creator = catalogue_.sibling(route, Method::post);
  if (creator == nullptr) return;
  for (int i = 0; i < 3; ++i) {
    Ask ask = request_of(*creator, object.path, account.key);
    const std::string own = next_mark(mark);
    ask.body = marked_body(account, *creator, object.path, own);
    if (creator->path.ends_with("/codes"))  // strings inside a list get no mark automatically
      ask.body = std::format(R"({{"codes":["{}"]}})", own);
    const Reply reply = send_(ask);
    if (reply.status >= 300)
      note(std::format("{} rejects its own example: {}", creator->path, reply.brief()));
  }
}

}  // namespace shopbell::proofs
