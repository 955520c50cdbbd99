// The sender of messages and webhooks, and the operators.
#include <algorithm>
#include <format>

#include "automation/inputs.h"
#include "engine/definition.h"
#include "json/document.h"
#include "json/writer.h"
#include "simulator/actors.h"

namespace shopbell::simulator {

// The claim locks the contact and the message, and decides in the same transaction.
void Actors::claim_message() {
  std::vector<Uuid> planned;
  for (const auto& [id, message] : world_.tables.messages)
    if (message.state == "planned" && !message.is_locked) planned.push_back(id);
  if (planned.empty()) return;
  const Uuid id = random_.pick(planned);
  Message& message = world_.tables.messages.find(id)->second;
  const auto contact = world_.tables.contacts.find(message.owner);
  if (contact != world_.tables.contacts.end() && contact->second.is_locked) return;
  message.is_locked = true;
  Open open{.events = {}, .locked = {}, .messages = {id}, .effect = [this, id] { settle(id); }};
  if (contact != world_.tables.contacts.end() && contact->second.exists)
    open.locked = {message.owner};
  begin(std::move(open));
}

// A run that no longer stands at its message does not want it.
void Actors::settle(const Uuid& id) {
  Message& message = world_.tables.messages.find(id)->second;
  message.is_locked = false;
  if (message.state != "planned") return;  // its contact was erased meanwhile
  const auto rows = world_.tables.runs.find(message.owner);
  bool is_wanted = false;
  if (rows != world_.tables.runs.end())
    if (const auto row = rows->second.find(message.run); row != rows->second.end())
      is_wanted = row->second.run.message == id;
  static const std::vector<std::string> outcomes{"sent",   "sent",       "sent",   "sent",
                                                 "failed", "suppressed", "unknown"};
  message.state = is_wanted ? random_.pick(outcomes) : "skipped";
  ++message.ends;
  if (message.owner.contact == Uuid{}) return;
  json::Writer writer;
  writer.begin_object().key("messageId").text(id.to_string());
  Entry told = entry(message.owner, "message." + message.state, writer.end().finish());
  told.hops = message.hops;
  world_.commit_event(world_.add_event(std::move(told)));
}

void Actors::end_delivery() {
  auto& deliveries = world_.tables.deliveries;
  if (deliveries.empty()) return;
  const auto chosen =
      std::next(deliveries.begin(), static_cast<std::ptrdiff_t>(random_.below(deliveries.size())));
  json::Writer writer;
  writer.begin_object().key("deliveryId").text(chosen->first.to_string());
  writer.key("delivered").boolean(!random_.one_in(4));
  append(chosen->second, std::string{engine::kDeliveryEnded}, writer.end().finish());
  deliveries.erase(chosen);
}

void Actors::click() {
  const auto* owner = free_contact();
  if (owner != nullptr) append(*owner, "message.clicked", event_data());
}

// Publishes a version. The runs at some nodes move to it.
void Actors::publish(std::size_t number) {
  WorkflowRow& row = world_.tables.workflows[ids_[number]];
  const std::int64_t version = row.active_version + 1;
  Published published{.source = number + 1 == ids_.size() && ids_.size() > 3
                                    ? endless_definition()
                                    : flows_[number].definition(random_),
                      .compiled = nullptr};
  const auto document = json::Document::parse(published.source);
  published.compiled = std::make_shared<const engine::Definition>(
      engine::compile(document->root(), version, types_of_flows()));
  const auto compiled = published.compiled;
  row.versions[version] = std::move(published);
  row.active_version = version;
  row.activated_at = world_.now();
  world_.change_definitions();
  if (version == 1 || !random_.one_in(2)) return;
  std::string nodes;
  for (const auto& node : compiled->nodes)
    if (random_.one_in(2))
      nodes += std::format(R"({}"{}":"{}")", nodes.empty() ? "" : ",", node.id, node.id);
  command(ids_[number], "move", std::format(R"("version":{},"nodes":{{{}}},)", version, nodes),
          [version](const engine::Run& run) { return run.is_open() && run.version < version; });
}

void Actors::pause_or_resume() {
  const Uuid& workflow = random_.pick(ids_);
  WorkflowRow& row = world_.tables.workflows[workflow];
  row.is_paused = !row.is_paused;
  world_.change_definitions();
  if (!row.is_paused)
    command(workflow, "release", "",
            [](const engine::Run& run) { return run.state == engine::RunState::held; });
}

void Actors::command_run() {
  const Uuid& workflow = random_.pick(ids_);
  if (random_.one_in(2)) {
    command(workflow, "release", "",
            [](const engine::Run& run) { return run.state == engine::RunState::parked; });
  } else {
    command(workflow, "end", R"("why":"operator",)",
            [last = random_.below(8)](const engine::Run& run) {
              return run.id.bytes()[15] % 8 == last;
            });
  }
}

// Commands runs once the transactions that are open now have ended: they may still change runs.
void Actors::command(const Uuid& workflow, const std::string& command, const std::string& more,
                     const std::function<bool(const engine::Run&)>& chosen) {
  chores_.push_back([this, workflow, command, more, chosen] {
    std::map<std::int16_t, std::string> runs;
    for (const auto& [owner, rows] : world_.tables.runs)
      for (const auto& [id, row] : rows)
        if (row.run.workflow == workflow && chosen(row.run)) {
          std::string& list = runs[static_cast<std::int16_t>(row.lane >> 4)];
          list += std::format(R"({}{{"contactId":"{}","runId":"{}"}})", list.empty() ? "" : ",",
                              owner.contact.to_string(), id.to_string());
        }
    for (const auto& [group, list] : runs)
      append_for_group(group, automation::kRunCommand,
                       std::format(R"({{"command":"{}",{}"runs":[{}]}})", command, more, list));
  });
}

bool Actors::finish() {
  bool found = !open_.empty() || !chores_.empty();
  for (auto& open : std::exchange(open_, {})) commit(open);
  for (auto& chore : std::exchange(chores_, {})) chore();
  for (auto& [id, row] : world_.tables.workflows)
    if (row.is_paused) {
      found = true;
      row.is_paused = false;
      world_.change_definitions();
      command(id, "release", "",
              [](const engine::Run& run) { return run.state == engine::RunState::held; });
    }
  wake_waiting();
  std::vector<Uuid> planned;
  for (const auto& [id, message] : world_.tables.messages)
    if (message.state == "planned") planned.push_back(id);
  for (const auto& id : planned) settle(id);
  found =
      found || !planned.empty() || !world_.tables.deliveries.empty() || !product_events_.empty();
  while (!world_.tables.deliveries.empty()) end_delivery();
  return found;
}

}  // namespace shopbell::simulator
