#include "automation/wake_reader.h"

#include <map>
#include <utility>

#include "automation/inputs.h"
#include "automation/queries.h"
#include "base/limits.h"
#include "events/event.h"
#include "json/document.h"
#include "json/writer.h"
#include "resources/products/product_json.h"
#include "resources/products/product_store.h"

namespace shopbell::automation {

namespace {

using event_log::Entry;

// Continues with the next page of the runs that wait.
constexpr std::string_view kWakeMore = "wake-more";

// An event of a product, and how far its waiting runs are woken.
struct Waking {
  std::int64_t account = 0;
  std::int16_t lane = 0;
  std::int64_t hops = 0;
  Instant received_at;
  std::string envelope;
  std::string subject;  // "shirt" or "shirt/blue"
  std::optional<Instant> after_since;
  std::optional<Uuid> after_run;
  std::int64_t released = 0;  // runs that were woken under a limit per unit
};

std::string text_of(const json::Value& value, std::string_view path) {
  const auto found = engine::value_at(value, path);
  return found && found->type() == json::Type::text ? std::string{found->text()} : "";
}

std::vector<Waking> wakings_of(const Entry& entry) {
  const auto payload = json::Document::parse(entry.payload.value_or("{}"));
  if (!payload) throw event_log::Objection{"the payload is not JSON"};
  const json::Value root = payload->root();
  Waking waking{.account = entry.account,
                .lane = entry.lane,
                .hops = entry.hops,
                .received_at = entry.received_at,
                .envelope = std::string{engine_event_of(entry).envelope.json()},
                .subject = {},
                .after_since = {},
                .after_run = {}};
  if (entry.kind == kWakeMore) {
    waking.envelope = root.member("event").value().to_json();
    waking.subject = text_of(root, "subject");
    waking.received_at = parse_rfc3339(text_of(root, "event.receivedAt")).value();
    waking.after_since = parse_rfc3339(text_of(root, "since"));
    waking.after_run = Uuid::parse(text_of(root, "runId"));
    waking.released = std::stoll(std::string{root.member("released").value().number_text()});
    return {waking};
  }
  const std::string product = text_of(root, "productId");
  if (product.empty()) return {};
  waking.subject = product;
  std::vector<Waking> wakings{waking};
  if (const std::string variant = text_of(root, "variantId"); !variant.empty()) {
    waking.subject = product + "/" + variant;
    wakings.push_back(std::move(waking));
  }
  return wakings;
}

// The units in stock of the product or variant; nullopt: unknown.
boost::asio::awaitable<std::optional<std::int64_t>> stock_of(pg::Transaction& transaction,
                                                             const Waking& waking) {
  const auto slash = waking.subject.find('/');
  const std::vector<products::AccountObject> keys{
      {.account = waking.account, .id = waking.subject.substr(0, slash)}};
  pg::Group reads;
  products::read_products(reads, keys);
  const pg::Results found = co_await transaction.run(std::move(reads));
  const auto known = products::found_products(found[0]);
  if (known.empty()) co_return std::nullopt;
  const engine::Data product{products::product_json().to_json(known.front().second)};
  auto owner = product.root();
  if (slash != std::string::npos) {
    owner = engine::value_at(owner, "variants");
    if (owner) owner = owner->member(waking.subject.substr(slash + 1));
  }
  const auto stock = engine::value_at(owner, "stock");
  if (!stock || stock->type() != json::Type::number) co_return std::nullopt;
  co_return std::stoll(std::string{stock->number_text()});
}

events::AccountEvent event_for(const Waking& waking, std::string_view kind, std::int16_t lane,
                               std::optional<Uuid> contact, std::string payload) {
  events::Event event{.uid = Uuid::v7(waking.received_at),
                      .lane = lane,
                      .contact_id = contact,
                      .kind = std::string{kind},
                      .occurred_at = waking.received_at,
                      .hops = static_cast<std::int16_t>(waking.hops),
                      .source = "workflow",
                      .payload = std::move(payload)};
  return {.account = waking.account, .event = std::move(event)};
}

std::string more_of(const Waking& waking, const pg::Row& last, std::int64_t released) {
  json::Writer writer;
  writer.begin_object().key("event").json(waking.envelope);
  writer.key("subject").text(waking.subject);
  writer.key("since").text(to_rfc3339_exactly(last.instant("since")));
  writer.key("runId").text(last.uuid("run_id").to_string());
  return writer.key("released").integer(released).end().finish();
}

// Wakes one page of runs, and appends the command for the next page.
boost::asio::awaitable<void> wake(pg::Transaction& transaction, Waking waking,
                                  std::vector<events::AccountEvent>& appended) {
  const pg::Result waits = co_await transaction.query(
      sql::list_waits, waking.account, waking.subject, waking.received_at, waking.after_since,
      waking.after_run, static_cast<std::int64_t>(limits::kWakePage));
  if (waits.empty()) co_return;
  std::optional<std::int64_t> stock;
  bool knows_stock = false;
  std::map<Uuid, std::pair<std::int16_t, std::vector<Uuid>>> woken;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (const auto per_unit = waits[i].integer("per_unit"); per_unit > 0) {
      if (!std::exchange(knows_stock, true)) stock = co_await stock_of(transaction, waking);
      if (stock && waking.released >= *stock * per_unit) continue;
      ++waking.released;
    }
    auto& [lane, runs] = woken[waits[i].uuid("contact_id")];
    lane = static_cast<std::int16_t>(waits[i].integer("lane"));
    runs.push_back(waits[i].uuid("run_id"));
  }
  for (const auto& [contact, lane_and_runs] : woken) {
    json::Writer writer;
    writer.begin_object().key("event").json(waking.envelope).key("runIds").begin_list();
    for (const auto& run : lane_and_runs.second) writer.text(run.to_string());
    appended.push_back(
        event_for(waking, kWake, lane_and_runs.first, contact, writer.end().end().finish()));
  }
  if (waits.size() == limits::kWakePage)
    appended.push_back(event_for(waking, kWakeMore, waking.lane, std::nullopt,
                                 more_of(waking, waits[waits.size() - 1], waking.released)));
}

boost::asio::awaitable<event_log::Reacted> react(pg::Transaction& transaction, pg::Group opening,
                                                 const event_log::Work& work) {
  // A wait that began before the event is stored once its lanes have passed the event.
  opening.add(sql::has_passed, work.through.value_or(work.tick));
  const pg::Results passed = co_await transaction.run(std::move(opening));
  if (!passed.back()[0].boolean("passed")) {
    event_log::Busy busy;
    for (const Entry* entry : work.entries) busy.groups.push_back(event_log::group_of(*entry));
    throw busy;
  }
  std::vector<events::AccountEvent> appended;
  for (const Entry* entry : work.entries)
    for (auto& waking : wakings_of(*entry)) co_await wake(transaction, std::move(waking), appended);
  event_log::Reacted reacted;
  events::append(reacted.writes, appended);
  co_return reacted;
}

}  // namespace

event_log::Reader wake_reader() {
  return {.name = "wakes", .payloads = true, .some_accounts = true, .react = react};
}

}  // namespace shopbell::automation
