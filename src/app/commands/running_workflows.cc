#include "app/commands/running_workflows.h"

#include <algorithm>
#include <format>
#include <print>
#include <stdexcept>

#include "base/uuid.h"
#include "json/writer.h"

namespace shopbell::app {

namespace {

constexpr std::int64_t kRunsOfPage = 500;  // the largest page of the API

// A text or number member; "-" if it is null or absent.
std::string text_of(const json::Value& value, std::string_view name) {
  const auto member = value.member(name);
  if (member && member->type() == json::Type::text) return std::string{member->text()};
  if (member && member->type() == json::Type::number) return std::string{member->number_text()};
  return "-";
}

std::string kind_of_name(const std::string& contact) {
  if (contact.contains('@')) return "email";
  return Uuid::parse(contact) ? "id" : "externalId";
}

std::string id_of_contact(AccountConnection& account, const std::string& contact) {
  if (Uuid::parse(contact)) return contact;
  return account.call("getContactByEmail", {.path = {{"email", contact}}}).text("id");
}

void print_list(const json::Value& parent, std::string_view name, const std::string& title,
                const std::function<void(const json::Value&)>& print) {
  const auto list = parent.member(name);
  if (!list || list->type() != json::Type::list) return;
  bool is_first = true;
  list->for_each([&](std::string_view, const json::Value& item) {
    if (is_first) std::println("\n{}", title);
    is_first = false;
    print(item);
  });
}

void print_step(const json::Value& step) {
  const std::string edge = text_of(step, "edge");
  std::println("  {:<24}  {}", text_of(step, "at"),
               edge == "-"
                   ? std::format("at {} ({})", text_of(step, "node"), text_of(step, "cause"))
                   : std::format("leaves {} by {}", text_of(step, "node"), edge));
}

// The event of a dry run, or nothing: a workflow with a schedule takes none.
std::optional<std::string> event_of(AccountConnection& account, const DryRunWanted& wanted) {
  const OutputMembers workflow = account.call(wanted.draft ? "getWorkflowDraft" : "getWorkflow",
                                              {.path = {{"id", wanted.workflow}}});
  const auto trigger = workflow.root().member("trigger");
  if (!trigger || text_of(*trigger, "event") == "-") return std::nullopt;
  return json::Writer{}.begin_object().key("data").json(wanted.data).end().finish();
}

std::string body_of(AccountConnection& account, const DryRunWanted& wanted) {
  for (const auto& json : {wanted.data, wanted.contact.starts_with('{') ? wanted.contact : "{}"})
    if (const auto document = json::Document::parse(json);
        !document || document->root().type() != json::Type::object)
      throw std::runtime_error{std::format("{} is not a JSON object", json)};
  json::Writer body;
  body.begin_object().key("contact");
  if (wanted.contact.starts_with('{')) {
    body.json(wanted.contact);
  } else {
    body.begin_object().key(kind_of_name(wanted.contact)).text(wanted.contact).end();
  }
  if (const auto event = event_of(account, wanted)) body.key("event").json(*event);
  if (!wanted.at.empty()) body.key("at").text(wanted.at);
  return body.end().finish();
}

}  // namespace

// A page may have fewer runs than its limit, or none: the pages that follow are read until there
// are enough.
void print_runs(AccountConnection& account, const RunsWanted& wanted) {
  operations::Parameters query;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) query.emplace_back(name, value);
  };
  add("workflow", wanted.workflow);
  add("node", wanted.node);
  add("state", wanted.state);
  if (!wanted.contact.empty()) add("contactId", id_of_contact(account, wanted.contact));
  std::println("{:<36}  {:<36}  {:<6}  {:<20}  {:<24}  {:<24}  {}", "RUN", "CONTACT", "STATE",
               "NODE", "STARTED", "DUE", "WHY");
  std::int64_t left = wanted.limit;
  std::string cursor = "-";
  do {
    auto asked = query;
    asked.emplace_back("limit", std::to_string(std::min(left, kRunsOfPage)));
    if (cursor != "-") asked.emplace_back("cursor", cursor);
    const OutputMembers page = account.call("listRuns", {.query = asked});
    page.root().member("data")->for_each([&](std::string_view, const json::Value& run) {
      --left;
      std::println("{:<36}  {:<36}  {:<6}  {:<20}  {:<24}  {:<24}  {}", text_of(run, "id"),
                   text_of(run, "contactId"), text_of(run, "state"), text_of(run, "node"),
                   text_of(run, "startedAt"), text_of(run, "dueAt"), text_of(run, "why"));
    });
    cursor = text_of(page.root(), "nextCursor");
  } while (left > 0 && cursor != "-");
  if (cursor != "-")
    std::println("there are more runs: raise --limit, or filter by --node, --state or --contact");
}

void print_run(AccountConnection& account, const std::string& id) {
  const OutputMembers run = account.call("getRun", {.path = {{"id", id}}});
  for (const auto* name : {"workflowId", "version", "contactId", "state", "node", "key",
                           "startedAt", "dueAt", "endedAt", "why"})
    std::println("{:<12}{}", name, run.text(name));
  print_list(run.root(), "trail", "steps", print_step);
  print_list(run.root(), "messages", "messages", [](const json::Value& message) {
    std::println("  {:<24}  {} {} {}", text_of(message, "plannedAt"), text_of(message, "template"),
                 text_of(message, "state"), text_of(message, "reason"));
  });
}

void print_dry_run(AccountConnection& account, const DryRunWanted& wanted) {
  const std::string body = body_of(account, wanted);
  const OutputMembers result =
      account.call("dryRunWorkflow", {.path = {{"id", wanted.workflow}},
                                      .query = {{"draft", wanted.draft ? "true" : "false"}},
                                      .body = body});
  bool has_started = false;
  result.root().member("runs")->for_each([&](std::string_view, const json::Value& run) {
    has_started = true;
    std::println("run: {}, {}", text_of(run, "state"), text_of(run, "why"));
    const auto trail = run.member("trail");
    if (trail) trail->for_each([](std::string_view, const json::Value& step) { print_step(step); });
  });
  if (!has_started)
    std::println("no run starts: the trigger asks for another event, another contact or a key");
  print_list(result.root(), "outcomes", "outcomes", [](const json::Value& outcome) {
    std::println("  {:<24}  {} {}", text_of(outcome, "at"), text_of(outcome, "what"),
                 text_of(outcome, "detail"));
  });
  if (!result.root().member("complete")->boolean())
    std::println("the dry run stopped early because too much happens");
}

void print_why(AccountConnection& account, const std::string& workflow,
               const std::string& contact) {
  const std::string kind = kind_of_name(contact);
  const OutputMembers why = account.call(
      "whyWorkflow",
      {.path = {{"id", workflow}}, .query = {{kind == "id" ? "contactId" : kind, contact}}});
  why.root().member("gates")->for_each([](std::string_view, const json::Value& gate) {
    const auto passed = gate.member("passed");
    const bool judged = passed && passed->type() == json::Type::boolean;
    std::println("{:<4} {:<10} {}",
                 !judged             ? ""
                 : passed->boolean() ? "yes"
                                     : "no",
                 text_of(gate, "gate"), text_of(gate, "text"));
  });
}

}  // namespace shopbell::app
