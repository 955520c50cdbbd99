#include "simulator/actors.h"

#include <algorithm>
#include <format>

#include "json/writer.h"

namespace shopbell::simulator {

Actors::Actors(World& world, Random& random, int contacts, int workflows)
    : world_{world}, random_{random} {
  for (int i = 0; i < contacts; ++i) {
    contacts_.push_back({kAccount, world.new_id()});
    world.tables.contacts[contacts_.back()] = {
        .json =
            std::format(R"({{"id":"{}","timeZone":"{}","fields":{{"level":{}}}}})",
                        contacts_.back().contact.to_string(),
                        random.one_in(2) ? "Europe/Vienna" : "America/New_York", random.below(6)),
        .merged_into = {}};
  }
  for (int i = 0; i < 12; ++i)
    world.tables.codes["ten"].push_back({.code = std::format("TEN-{}", i), .claim = {}});
  for (int i = 0; i < workflows; ++i) {
    ids_.push_back(world.new_id());
    flows_.emplace_back(random);
    publish(static_cast<std::size_t>(i));
  }
}

void Actors::act(bool alone) {
  if (alone)
    for (auto& chore : std::exchange(chores_, {})) chore();
  if (!open_.empty() && random_.one_in(3)) {
    const std::size_t number = random_.below(open_.size());
    Open open = std::move(open_[number]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(number));
    return commit(open);
  }
  switch (random_.below(66)) {
    case 0:
      return merge_contacts();
    case 1:
      return random_.one_in(3) ? erase_contact() : send_event();
    case 2:
      return publish(random_.below(ids_.size()));
    case 3:
      return pause_or_resume();
    case 4:
      return command_run();
    case 5:
    case 6:
    case 7:
      return change_contact();
    case 8:
    case 9:
      return click();
    case 10:
    case 11:
    case 12:
      return end_delivery();
    case 13:
    case 14:
      return start_on_schedule();
    case 15:
      return restock_product();
    case 16:
    case 17:
    case 18:
      return wake_waiting();
    default:
      return random_.one_in(2) ? claim_message() : send_event();
  }
}

ContactKey* Actors::free_contact() {
  ContactKey& owner = contacts_[random_.below(contacts_.size())];
  const Contact& contact = world_.tables.contacts[owner];
  return contact.exists && !contact.is_locked ? &owner : nullptr;
}

Entry Actors::entry(const ContactKey& owner, const std::string& kind, std::string payload) const {
  return world_.event_of(owner, kind, std::move(payload));
}

void Actors::append(const ContactKey& owner, const std::string& kind, const std::string& payload) {
  world_.commit_event(world_.add_event(entry(owner, kind, payload)));
}

// Commits now or, more rarely, later: then others commit events with greater ids before.
void Actors::begin(Open open) {
  for (const auto& owner : open.locked) world_.tables.contacts[owner].is_locked = true;
  if (random_.one_in(4)) {
    open_.push_back(std::move(open));
  } else {
    commit(open);
  }
}

void Actors::commit(Open& open) {
  for (const auto& owner : open.locked) world_.tables.contacts[owner].is_locked = false;
  if (open.effect) open.effect();
  for (const auto id : open.events) world_.commit_event(id);
}

std::string Actors::event_data() {
  json::Writer writer;
  writer.begin_object().key("cartId").text(std::format("c{}", random_.between(1, 3)));
  if (!random_.one_in(5)) writer.key("total").integer(random_.between(0, 9));
  writer.key("items").begin_list();
  for (std::size_t i = random_.below(3); i > 0; --i) writer.text(std::format("item{}", i));
  return writer.end().end().finish();
}

void Actors::send_event() {
  const auto* owner = free_contact();
  if (owner == nullptr) return;
  static const std::vector<std::string> kinds{"custom.a", "custom.a", "custom.b",
                                              "custom.b", "custom.c", "purchase.created"};
  Entry one = entry(*owner, random_.one_in(200) ? "custom.d" : random_.pick(kinds), event_data());
  if (random_.one_in(10)) one.occurred_at -= std::chrono::minutes{random_.between(1, 3000)};
  if (random_.one_in(12)) one.trigger = random_.one_in(2) ? "exits" : "none";
  begin({.events = {world_.add_event(std::move(one))},
         .locked = {*owner},
         .messages = {},
         .effect = {}});
}

void Actors::change_contact() {
  const auto* owner = free_contact();
  if (owner == nullptr) return;
  const std::string json = std::format(
      R"({{"id":"{}","timeZone":"{}","fields":{{"level":{}}}}})", owner->contact.to_string(),
      random_.one_in(2) ? "Asia/Tokyo" : "America/New_York", random_.below(6));
  begin({.events = {world_.add_event(
             entry(*owner, "contact.updated", R"({"changed":["timeZone","fields"]})"))},
         .locked = {*owner},
         .messages = {},
         .effect = [this, owner = *owner, json] { world_.tables.contacts[owner].json = json; }});
}

void Actors::merge_contacts() {
  const auto* from = free_contact();
  const auto* into = free_contact();
  if (from == nullptr || into == nullptr || from == into || contacts_.size() < 3) return;
  const auto effect = [this, from = *from, into = *into] {
    auto& contacts = world_.tables.contacts;
    contacts[from].exists = false;
    contacts[from].merged_into = into.contact;
    for (auto& [owner, contact] : contacts)
      if (contact.merged_into == from.contact) contact.merged_into = into.contact;
  };
  const std::string payload = std::format(R"({{"into":"{}"}})", into->contact.to_string());
  begin({.events = {world_.add_event(entry(*from, "handover", payload)),
                    world_.add_event(entry(*into, "contact.merged", "{}"))},
         .locked = {*from, *into},
         .messages = {},
         .effect = effect});
}

void Actors::erase_contact() {
  const auto* owner = free_contact();
  if (owner == nullptr) return;
  const auto effect = [this, owner = *owner] {
    world_.tables.contacts[owner].exists = false;
    std::vector<Uuid> forgotten = world_.merged_into(owner.contact);
    forgotten.push_back(owner.contact);
    for (const auto& contact : forgotten)
      for (const auto id : world_.events_of(contact))
        if (auto& entry = world_.event(id).entry; entry.kind != "contact.deleted")
          entry.payload.reset();
  };
  begin({.events = {world_.add_event(entry(*owner, "contact.deleted", "{}"))},
         .locked = {*owner},
         .messages = {},
         .effect = effect});
}

}  // namespace shopbell::simulator
