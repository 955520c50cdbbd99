#include "resources/purchases/purchase_change.h"

#include <algorithm>
#include <format>
#include <set>

#include "json/canonical.h"
#include "json/difference.h"
#include "resources/purchases/purchase_json.h"

namespace shopbell::purchases {

namespace {

using json::Reading;

// Warns when the parts of a sum do not add up. The store's sums are stored as sent.
void warn_of_sums(Reading& reading, const Purchase& sent) {
  const auto warn = [&](std::string_view member, Decimal sum) {
    const Reading::Place place{reading, member};
    reading.warn("conflicts-with", std::format("The parts add up to {}.", sum.to_string()));
  };
  const auto plus = [](Decimal a, const std::optional<Decimal>& b) {
    return a.plus(b.value_or(Decimal{})).value_or(a);
  };
  const bool all_lines =
      std::ranges::all_of(sent.lines, [](const Line& l) { return l.total.has_value(); });
  if (all_lines && sent.subtotal) {
    Decimal lines;
    for (const auto& line : sent.lines) lines = plus(lines, line.total);
    if (lines != *sent.subtotal) warn("subtotal", lines);
  }
  if (!sent.subtotal) return;
  Decimal sum = plus(*sent.subtotal, sent.shipping);
  if (!sent.tax_included) sum = plus(sum, sent.tax);
  sum = sum.minus(sent.discount.value_or(Decimal{})).value_or(sum);
  if (sum != *sent.total) warn("total", sum);
}

// Returns the milestones that the purchase has reached, such as "paid" or "refund r-1".
std::vector<std::string> milestones(const Purchase& purchase) {
  std::vector<std::string> reached;
  reached.reserve(purchase.refunds.size() + 1);
  for (const auto& refund : purchase.refunds) reached.push_back("refund " + refund.refund_id);
  const bool covered_by_refunds = purchase.status == "refunded" && !purchase.refunds.empty();
  if (purchase.status != "placed" && purchase.status != "partiallyRefunded" && !covered_by_refunds)
    reached.push_back(purchase.status);
  return reached;
}

// Appends events to the buyer's change, or to the purchase when it has no contact.
class EventAppender {
 public:
  EventAppender(Change& change, const contacts::Knowledge& known)
      : change_{change}, known_{known} {}

  void append(std::string kind, std::string payload) {
    events::Event event{.subject = change_.after.purchase_id,
                        .kind = std::move(kind),
                        .occurred_at = change_.after.purchased_at.value_or(known_.now),
                        .payload = std::move(payload)};
    if (event.kind != "purchase.created") event.occurred_at = known_.now;
    if (change_.after.contact_id) {
      contacts::add_event(change_.people.back(), known_, std::move(event));
      return;
    }
    event.uid = Uuid::v7(known_.now);
    event.lane = change_.after.lane;
    event.trigger = known_.trigger;
    change_.events.push_back(std::move(event));
  }

  void append_milestones() {
    Purchase& after = change_.after;
    const std::string whole = purchase_json().to_json(after);
    for (auto& milestone : milestones(after)) {
      if (std::ranges::contains(after.reported_milestones, milestone)) continue;
      append("purchase." + (milestone.starts_with("refund ") ? "refunded" : milestone), whole);
      after.reported_milestones.push_back(std::move(milestone));
    }
  }

 private:
  Change& change_;
  const contacts::Knowledge& known_;
};

[[noreturn]] void refuse_total() {
  Reading reading;
  const Reading::Place place{reading, "total"};
  reading.refuse("out-of-range", "The contact's purchase total would be too large.");
  reading.finish();
  throw std::logic_error{"finish() did not throw for a reading with a fault"};
}

// Removes the stored purchase from its contact's totals.
void take_share(contacts::Contact& person, const Stored& stored, const std::string& currency) {
  if (const auto share = share_of(stored.purchase, currency))
    person.purchases.take(*share, stored.others_first, stored.others_last);
}

// Updates the times of the other purchases in `stored`: they then include the purchases of all
// contacts that are merged into the buyer.
Stored with_merged_purchases(Stored stored, const contacts::Change& buyer, const Uuid& owner) {
  contacts::PurchaseTotals others{.first_at = stored.others_first, .last_at = stored.others_last};
  if (buyer.before.id != owner) others.merge(buyer.before.purchases);
  for (const auto& merged : buyer.merged) {
    if (merged.id != owner) others.merge(merged.purchases);
  }
  stored.others_first = others.first_at;
  stored.others_last = others.last_at;
  return stored;
}

std::string whole(const Purchase& purchase) { return purchase_json().to_json(purchase); }

// Returns the buyer: the contact in the request, else the contact of the stored purchase.
std::optional<contacts::Change> buyer_of(Reading& reading, const Purchase& sent,
                                         const Knowledge& known) {
  if (sent.contact)
    return contacts::decide_named(reading, *sent.contact, known.found, known.wish, known.contacts);
  if (!sent.names_contact && known.owner) return contacts::unchanged(*known.owner);
  return std::nullopt;
}

void append_events(Change& change, const contacts::Knowledge& known) {
  EventAppender appender{change, known};
  if (!change.before.exists()) {
    appender.append("purchase.created", whole(change.after));
  } else {
    const json::Difference difference{
        purchase_json().members(change.before),
        purchase_json().members(change.after),
        {.silent = {"id", "purchaseId", "sourceUpdatedAt", "createdAt", "updatedAt"},
         .nested = {"attributes"}}};
    appender.append("purchase.updated", difference.payload());
  }
  appender.append_milestones();
}

}  // namespace

Sha256 content_hash(const json::Value& body, const Purchase& sent,
                    const contacts::AddressHasher& hasher) {
  json::Writer writer;
  writer.begin_object();
  for (const auto& [name, text] : purchase_json().members(sent)) {
    if (name != "sourceUpdatedAt" && body.member(name)) writer.key(name).json(text);
  }
  if (const auto contact = body.member("contact"))
    writer.key("contact").json(json::canonical(*contact));
  writer.end();
  return hasher.content(writer.finish());
}

void settle(Reading& reading, Purchase& sent) {
  if (!sent.total && !reading.refused_at("/total")) {
    const Reading::Place place{reading, "total"};
    reading.refuse("required", "Cannot be null.");
  }
  if (sent.lines.empty() && !reading.refused_at("/lines")) {
    const Reading::Place place{reading, "lines"};
    reading.refuse("too-short", "A purchase needs at least one line.");
  }
  std::set<std::string> refund_ids;
  for (std::size_t i = 0; i < sent.refunds.size(); ++i) {
    if (refund_ids.insert(sent.refunds[i].refund_id).second) continue;
    const Reading::Place list{reading, "refunds"};
    const Reading::Place place{reading, std::to_string(i)};
    const Reading::Place member{reading, "refundId"};
    reading.refuse("duplicate", "Another refund has this id.");
  }
  if (sent.total && refunded_total(sent) > *sent.total) {
    const Reading::Place place{reading, "refunds"};
    reading.refuse("conflicts-with", "The refunds exceed the total.");
  }
  reading.finish();
  if (sent.purchased_at) sent.purchased_at = to_milliseconds(*sent.purchased_at);
  if (sent.source_updated_at) sent.source_updated_at = to_milliseconds(*sent.source_updated_at);
  settle_digits(sent);
  warn_of_sums(reading, sent);
}

Change decide_write(Reading& reading, Purchase sent, const Knowledge& known) {
  const Instant now = known.contacts.now;
  const std::string& currency = known.contacts.store_currency;
  Change change{.after = std::move(sent)};
  Purchase& after = change.after;
  if (known.stored) {
    const Purchase& before = known.stored->purchase;
    change.before = before;
    after.id = before.id;
    after.reported_milestones = before.reported_milestones;
    after.created_at = before.created_at;
    after.attributed_to = before.attributed_to;
    if (!after.purchased_at) after.purchased_at = before.purchased_at;
    if (!after.source_updated_at) after.source_updated_at = before.source_updated_at;
  } else {
    after.id = Uuid::v7(now);
    after.created_at = now;
    if (!after.purchased_at) after.purchased_at = to_milliseconds(now);
  }
  after.version = change.before.version + 1;
  after.updated_at = now;
  known.contacts.marks.refuse_older("the purchase", after.purchased_at);
  auto buyer = buyer_of(reading, after, known);
  const bool owner_changes =
      known.owner && (!buyer || buyer->before.id != known.owner->id) &&
      !(buyer && std::ranges::contains(buyer->merged, known.owner->id, &contacts::Contact::id));
  if (owner_changes) {
    auto left = contacts::unchanged(*known.owner);
    take_share(left.after, *known.stored, currency);
    contacts::add_event(left, known.contacts,
                        {.subject = after.purchase_id,
                         .kind = "purchase.deleted",
                         .occurred_at = now,
                         .payload = whole(known.stored->purchase)});
    change.people.push_back(std::move(left));
  }
  after.contact_id.reset();
  after.lane = events::lane_of(known.contacts.account, after.id);
  if (buyer) {
    after.contact_id = buyer->after.id;
    after.lane = buyer->after.lane;
    if (known.owner && !owner_changes)
      take_share(buyer->after, with_merged_purchases(*known.stored, *buyer, known.owner->id),
                 currency);
    const auto share = share_of(after, currency);
    if (share && !buyer->after.purchases.add(*share, currency)) refuse_total();
    change.people.push_back(std::move(*buyer));
  }
  append_events(change, known.contacts);
  return change;
}

Change decide_deletion(const Stored& stored, const std::optional<contacts::Contact>& owner,
                       const contacts::Knowledge& known) {
  Change change{.before = stored.purchase, .after = stored.purchase};
  if (owner) {
    auto left = contacts::unchanged(*owner);
    take_share(left.after, stored, known.store_currency);
    change.people.push_back(std::move(left));
  }
  EventAppender{change, known}.append("purchase.deleted", whole(stored.purchase));
  return change;
}

}  // namespace shopbell::purchases
