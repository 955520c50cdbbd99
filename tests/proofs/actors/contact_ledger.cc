#include "tests/proofs/actors/contact_ledger.h"

#include <algorithm>
#include <format>
#include <map>
#include <set>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "json/document.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using testing::Answer;
using Fate = LedgerContact::Fate;

struct FoundEvent {
  std::string label;
  bool erased = false;  // the contact was erased, so only the event's kind remains
  std::int64_t sequence = 0;
};

struct FoundContact {
  std::int64_t points = 0;
  std::string name;
  std::string email;
  std::int64_t event_seq = 0;
};

void note(Comparison& comparison, std::int64_t& counter, std::string what) {
  ++counter;
  if (comparison.examples.size() < 5) comparison.examples.push_back(std::move(what));
}

std::string kind_of(const std::string& label) { return label.substr(0, label.find(' ')); }

bool matches(const FoundEvent& event, const LedgerEntry& entry) {
  return event.erased ? event.label == kind_of(entry.label) : event.label == entry.label;
}

// Returns true if the events match the writes, with some subset of the uncertain ones. Erased
// contacts keep only the kinds of their events, so a single event does not show which write caused
// it.
bool is_explained(const std::vector<LedgerEntry>& entries, const std::vector<FoundEvent>& events) {
  // reached[i] is true if the entries so far can explain the first i events.
  std::vector<bool> reached(events.size() + 1);
  reached[0] = true;
  for (const auto& entry : entries) {
    for (std::size_t i = events.size() + 1; i-- > 0;) {
      const bool happened = i > 0 && reached[i - 1] && matches(events[i - 1], entry);
      reached[i] = happened || (reached[i] && !entry.certain);
    }
  }
  return reached.back();
}

// Compares the ledger's entries with the events, in order. An uncertain write counts as committed
// if its event is there.
class Walk {
 public:
  Walk(const LedgerContact& contact, const std::vector<FoundEvent>& events, Comparison& comparison)
      : contact_{contact}, events_{events}, comparison_{comparison} {
    certain_left_ = std::ranges::count_if(contact.events, &LedgerEntry::certain);
  }

  void run() {
    check_numbers();
    if (is_explained(contact_.events, events_)) return;
    for (const auto& entry : contact_.events) pass(entry);
    for (; at_ < events_.size(); ++at_) surplus(events_[at_]);
  }

 private:
  void check_numbers() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].sequence == static_cast<std::int64_t>(i) + 1) continue;
      note(comparison_, comparison_.disorder,
           std::format("{}: event {} has the number {}", contact_.external_id, i + 1,
                       events_[i].sequence));
      return;
    }
  }

  void pass(const LedgerEntry& entry) {
    if (entry.certain) --certain_left_;
    const auto left = static_cast<std::ptrdiff_t>(events_.size() - std::min(at_, events_.size()));
    if (left > 0 && (entry.certain || left > certain_left_) && matches(events_[at_], entry)) {
      seen_.insert(events_[at_++].label);
    } else if (entry.certain) {
      search(entry);
    }
  }

  // The entry's event is not at the expected position: it is either later in the list or missing.
  void search(const LedgerEntry& entry) {
    const auto from = events_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto found =
        std::find_if(from, events_.end(), [&](const auto& event) { return matches(event, entry); });
    if (found == events_.end())
      return note(comparison_, comparison_.missing,
                  std::format("{}: no {}", contact_.external_id, entry.label));
    for (; events_.begin() + static_cast<std::ptrdiff_t>(at_) != found; ++at_)
      surplus(events_[at_]);
    seen_.insert(events_[at_++].label);
  }

  // Points are only ever added, so an extra event means a point was added twice.
  void surplus(const FoundEvent& event) {
    if (!event.erased && (seen_.contains(event.label) || event.label.contains(" points=")))
      return note(comparison_, comparison_.twice,
                  std::format("{}: again {}", contact_.external_id, event.label));
    const bool known = std::ranges::contains(contact_.events, event.label, &LedgerEntry::label);
    note(comparison_, known ? comparison_.disorder : comparison_.unasked,
         std::format("{}: {} {}", contact_.external_id, known ? "misplaced" : "unexpected",
                     event.label));
  }

  const LedgerContact& contact_;
  const std::vector<FoundEvent>& events_;
  Comparison& comparison_;
  std::size_t at_ = 0;
  std::ptrdiff_t certain_left_ = 0;
  std::set<std::string> seen_;
};

std::string only(std::optional<std::int64_t> account) {
  return account ? std::format(" AND account_id = {}", *account) : "";
}

std::map<std::string, std::vector<FoundEvent>> find_events(pg::Script& database,
                                                           std::optional<std::int64_t> account) {
  const pg::Result rows = database.query(
      "SELECT contact_id, contact_seq, payload IS NULL AS erased, "
      "CASE WHEN kind = 'contact.created' THEN kind ELSE "
      "concat_ws(' ', kind, 'name=' || (payload->'after'->>'firstName'), "
      "'email=' || (payload->'after'->>'email'), 'points=' || (payload->'after'->>'points'), "
      "'from=' || (payload->>'from')) END AS label "
      "FROM event WHERE contact_id IS NOT NULL AND source <> 'workflow'" +
      only(account) + " ORDER BY id");
  std::map<std::string, std::vector<FoundEvent>> events;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = rows[i];
    events[row.text("contact_id")].push_back(
        {row.text("label"), row.boolean("erased"), row.maybe_integer("contact_seq").value_or(0)});
  }
  return events;
}

std::map<std::string, FoundContact> find_contacts(pg::Script& database,
                                                  std::optional<std::int64_t> account) {
  const pg::Result rows = database.query(
      "SELECT contact_id, points, coalesce(first_name, '') AS name, coalesce(email, '') AS email, "
      "event_seq FROM contact WHERE true" +
      only(account));
  std::map<std::string, FoundContact> contacts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = rows[i];
    contacts[row.text("contact_id")] = {row.integer("points"), row.text("name"), row.text("email"),
                                        row.integer("event_seq")};
  }
  return contacts;
}

bool is_as_written(const LedgerContact& contact, std::int64_t points, const std::string& name,
                   const std::string& email) {
  return points == contact.points && email == contact.email &&
         std::ranges::contains(contact.names, name);
}

void compare_row(const LedgerContact& contact, const FoundContact* row,
                 const std::vector<FoundEvent>& events, Comparison& comparison) {
  Walk{contact, events, comparison}.run();
  comparison.events += static_cast<std::int64_t>(events.size());
  const bool told_deleted = !events.empty() && events.back().label == "contact.deleted";
  const bool expected =
      contact.fate == Fate::there || (contact.fate == Fate::perhaps_deleted && !told_deleted);
  if ((row != nullptr) != expected)
    return note(
        comparison, expected ? comparison.missing : comparison.different,
        std::format("{} is {} in the table", contact.external_id, expected ? "missing" : "still"));
  if (row == nullptr) return;
  if (!is_as_written(contact, row->points, row->name, row->email) ||
      row->event_seq != static_cast<std::int64_t>(events.size()))
    note(comparison, comparison.different,
         std::format("{} has {} points of {}, name {}, {} events of {}", contact.external_id,
                     row->points, contact.points, row->name, row->event_seq, events.size()));
}

void compare_answer(const LedgerContact& contact, const Answer& answer, Comparison& comparison) {
  const LedgerContact& survivor = contact.survivor();
  const bool may_be_there = survivor.fate != Fate::deleted;
  const bool may_be_gone = survivor.fate != Fate::there;
  if (answer.status == 404 && may_be_gone) return;
  if (answer.status != 200 || !may_be_there || member_of(answer.body, "id") != survivor.id ||
      !is_as_written(survivor, std::stoll(member_of(answer.body, "points").value_or("-1")),
                     member_of(answer.body, "firstName").value_or(""),
                     member_of(answer.body, "email").value_or("")))
    note(comparison, comparison.different,
         std::format("GET of {} returns {} {}", contact.external_id, answer.status,
                     answer.body.substr(0, 200)));
}

// Compares the API's responses for the contacts. Several readers run this concurrently and share
// `next`.
asio::awaitable<void> read_all(PairClient& client, std::size_t which,
                               const std::vector<const LedgerContact*>& contacts, std::size_t& next,
                               Comparison& comparison) {
  while (next < contacts.size()) {
    const LedgerContact& contact = *contacts[next++];
    const Answer by_id = co_await client.send(which, {.path = "/manage/contacts/" + contact.id});
    compare_answer(contact, by_id, comparison);
    if (contact.fate == Fate::merged) continue;
    const Answer by_external_id =
        co_await client.send(which, {.path = "/contacts/external-id/" + contact.external_id});
    compare_answer(contact, by_external_id, comparison);
  }
}

}  // namespace

const LedgerContact& LedgerContact::survivor() const {
  const LedgerContact* contact = this;
  while (contact->merged_into != nullptr) contact = contact->merged_into;
  return *contact;
}

void compare_rows(const std::vector<const ContactLedger*>& ledgers, pg::Script& database,
                  Comparison& comparison, std::optional<std::int64_t> account) {
  const auto events = find_events(database, account);
  auto rows = find_contacts(database, account);
  std::size_t told = 0;
  for (const auto* ledger : ledgers) {
    for (const auto& contact : *ledger) {
      ++comparison.contacts;
      const auto row = rows.find(contact.id);
      const auto its_events = events.find(contact.id);
      told += its_events == events.end() ? 0 : 1;
      compare_row(contact, row == rows.end() ? nullptr : &row->second,
                  its_events == events.end() ? std::vector<FoundEvent>{} : its_events->second,
                  comparison);
      if (row != rows.end()) rows.erase(row);
    }
  }
  // Counts contacts that no client created, or that were created twice.
  comparison.unasked += static_cast<std::int64_t>(rows.size() + events.size() - told);
}

void compare_answers(const std::vector<const ContactLedger*>& ledgers, ProcessPair& pair,
                     const std::string& key, Comparison& comparison) {
  std::vector<const LedgerContact*> contacts;
  for (const auto* ledger : ledgers) {
    for (const auto& contact : *ledger) contacts.push_back(&contact);
  }
  asio::io_context loop;
  std::deque<PairClient> clients;
  std::size_t next = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    clients.emplace_back(loop, pair, key);
    asio::co_spawn(loop, read_all(clients.back(), i % 2, contacts, next, comparison),
                   asio::detached);
  }
  loop.run();
}

std::optional<std::string> member_of(std::string_view json, std::string_view name) {
  const auto document = json::Document::parse(json);
  if (!document) return std::nullopt;
  const auto member = document->root().member(name);
  if (!member) return std::nullopt;
  if (member->type() == json::Type::text) return std::string{member->text()};
  return member->to_json();
}

}  // namespace shopbell::proofs
