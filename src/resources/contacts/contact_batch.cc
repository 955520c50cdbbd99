#include "resources/contacts/contact_batch.h"

#include <algorithm>
#include <set>

namespace shopbell::contacts {

namespace {

void join(Change& whole, Change next) {
  whole.after = std::move(next.after);
  std::ranges::move(next.events, std::back_inserter(whole.events));
  std::ranges::move(next.consent.recorded, std::back_inserter(whole.consent.recorded));
}

}  // namespace

ContactBatch::ContactBatch(std::vector<Contact> found, const Knowledge& known,
                           std::unique_ptr<ContactBatch> before)
    : known_{known}, marks_{known.marks} {
  for (const auto& suppression : marks_.suppressions())
    suppressions_[{suppression.channel, suppression.address}].now = suppression;
  if (before) carry_over(*before, found);
  for (auto& contact : found) add(std::move(contact));
}

// Replaces contacts in `found`, which may be stale, by their state after the batch `before`.
void ContactBatch::carry_over(ContactBatch& before, std::vector<Contact>& found) {
  std::set<Uuid> known;
  for (auto& person : before.people_) {
    if (!person.change) continue;
    Contact& now = person.change->after;
    known.insert(now.id);
    // The version increases once per contact and batch, however many rows change the contact.
    now.version = person.change->before.version + 1;
    add(std::move(now));
  }
  std::erase_if(found, [&](const Contact& contact) { return known.contains(contact.id); });
  for (auto& [key, mark] : before.suppressions_)
    if (mark.changed) suppressions_[key].now = std::move(mark.now);
}

ContactBatch::Person& ContactBatch::add(Contact contact) {
  Person& person = people_.emplace_back(Person{.read = std::move(contact)});
  index(person);
  return person;
}

ContactBatch::Person& ContactBatch::person_of(const Contact& contact) {
  return contact.email_key ? *by_email_.at(*contact.email_key)
                           : *by_external_id_.at(*contact.external_id);
}

void ContactBatch::index(Person& person) {
  const Contact& now = person.now();
  if (now.email_key) by_email_[*now.email_key] = &person;
  if (now.external_id) by_external_id_[*now.external_id] = &person;
}

void ContactBatch::unindex(const Contact& contact) {
  if (contact.email_key) by_email_.erase(*contact.email_key);
  if (contact.external_id) by_external_id_.erase(*contact.external_id);
}

std::vector<const Contact*> ContactBatch::named(
    const std::optional<std::string>& email_key,
    const std::optional<std::string>& external_id) const {
  std::vector<const Contact*> found;
  // An external id takes precedence over an e-mail address.
  if (external_id) {
    if (const auto by_id = by_external_id_.find(*external_id); by_id != by_external_id_.end())
      found.push_back(&by_id->second->now());
  }
  if (email_key) {
    const auto by_email = by_email_.find(*email_key);
    if (by_email != by_email_.end() && !std::ranges::contains(found, &by_email->second->now()))
      found.push_back(&by_email->second->now());
  }
  return found;
}

Marks ContactBatch::marks_of(const std::vector<Sha256>& hashes) const {
  std::vector<Suppression> suppressions;
  std::vector<Erasure> erasures;
  if (!suppressions_.empty()) {
    for (const auto& channel : kChannels) {
      for (const auto& hash : hashes) {
        const auto found = suppressions_.find({std::string{channel.name}, hash});
        if (found != suppressions_.end() && found->second.now)
          suppressions.push_back(*found->second.now);
      }
    }
  }
  for (const auto& erasure : marks_.erasures())
    if (std::ranges::contains(hashes, erasure.identifier)) erasures.push_back(erasure);
  return Marks{std::move(suppressions), std::move(erasures)};
}

// Updates the suppressions in memory, as the SQL writes would between two rows.
void ContactBatch::apply_suppressions(const ConsentOutcome& consent) {
  for (const auto& displaced : consent.displaced) {
    Mark& mark = suppressions_[{displaced.channel, displaced.address}];
    Suppression now = displaced;
    if (mark.now) {
      now.at = std::max(now.at, mark.now->at);
      if (mark.now->reason == "complained") now.reason = mark.now->reason;
    }
    mark = {std::move(now), true};
  }
  for (const auto& lifted : consent.lifted) {
    Mark& mark = suppressions_[{lifted.channel, lifted.address}];
    if (mark.now && mark.now->reason == "unsubscribed") mark = {std::nullopt, true};
  }
}

bool ContactBatch::change(const Contact* who, const Patch& patch, json::Reading& reading,
                          const std::vector<Sha256>& hashes,
                          const std::optional<std::string>& phone) {
  Contact fresh;
  if (who == nullptr) {
    fresh.id = Uuid::v7(known_.now);
    fresh.lane = events::lane_of(known_.account, fresh.id);
  }
  known_.marks = marks_of(hashes);
  known_.phone = phone;
  Change change = decide_change(reading, who == nullptr ? fresh : *who, {}, patch, known_);
  if (!change.is_write) return false;
  apply_suppressions(change.consent);
  Person& person = who == nullptr ? people_.emplace_back() : person_of(*who);
  if (who != nullptr) unindex(*who);
  if (person.change) {
    join(*person.change, std::move(change));
  } else {
    person.change = std::move(change);
  }
  index(person);
  return true;
}

void ContactBatch::write(pg::Group& effect) {
  std::vector<Change*> changes;
  for (auto& person : people_)
    if (person.change) changes.push_back(&*person.change);
  SuppressionChanges suppressions;
  for (const auto& [key, mark] : suppressions_) {
    if (!mark.changed) continue;
    if (mark.now) {
      suppressions.set.push_back(*mark.now);
    } else {
      suppressions.lifted.push_back({.channel = key.first, .address = key.second});
    }
  }
  Knowledge known = known_;
  known.marks = marks_;
  if (!changes.empty()) write_changes(effect, changes, suppressions, known);
}

}  // namespace shopbell::contacts
