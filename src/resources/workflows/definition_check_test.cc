#include "resources/workflows/definition_check.h"

#include <format>

#include <gtest/gtest.h>

#include "base/problem.h"

namespace shopbell::workflows {
namespace {

const Uuid kCart = *Uuid::parse("019a8412-7c00-7abc-8def-000000000001");
const Uuid kSender = *Uuid::parse("019a8412-7c00-7abc-8def-000000000002");
const Uuid kReminder = *Uuid::parse("019a8412-7c00-7abc-8def-000000000003");
const Uuid kTenPercent = *Uuid::parse("019a8412-7c00-7abc-8def-000000000004");

json::Document parsed(const std::string& text) {
  auto document = json::Document::parse(text);
  EXPECT_TRUE(document) << text;
  return std::move(*document);
}

const KnownWorld& world() {
  static const KnownWorld known = [] {
    KnownWorld made;
    made.fields = {{"level", type_of_field("choice", {"silver", "gold"})},
                   {"visits", type_of_field("integer", {})},
                   {"since", type_of_field("date", {})},
                   {"colours", type_of_field("choices", {"red", "blue"})}};
    const auto fields =
        parsed(R"([{"id":"cartId","type":"text"},{"id":"total","type":"decimal"},)"
               R"({"id":"items","type":"list","items":{"type":"object","fields":[)"
               R"({"id":"sku","type":"text"},{"id":"quantity","type":"integer"}]}}])");
    made.event_types = {{"cart-updated", {kCart, type_of_fields(fields.root(), false)}}};
    made.senders = {{kSender.to_string(), {kSender, {}}}};
    made.templates = {{"cart-reminder", kReminder}, {"cart-offer", kReminder}};
    made.coupon_sets = {{"ten-percent", kTenPercent}};
    return made;
  }();
  return known;
}

// Returns each fault as "pointer code".
std::vector<std::string> faults_of(const std::string& definition, References* named = nullptr) {
  const auto document = parsed(definition);
  json::Reading reading;
  const References references = check_definition(reading, document.root(), world());
  if (named != nullptr) *named = references;
  std::vector<std::string> faults;
  try {
    reading.finish();
  } catch (const Problem& problem) {
    for (const auto& fault : problem.faults()) faults.push_back(fault.at + " " + fault.code);
  }
  return faults;
}

using Faults = std::vector<std::string>;

constexpr std::string_view kExit = R"([{"id":"end","type":"exit"}])";

Faults of_trigger(const std::string& trigger) {
  return faults_of(std::format(R"({{"trigger":{},"nodes":{}}})", trigger, kExit));
}
Faults of_nodes(const std::string& nodes) {
  return faults_of(
      std::format(R"({{"trigger":{{"event":"custom.cart-updated"}},"nodes":{}}})", nodes));
}
// Returns the faults of a definition with one node, without edges.
Faults of_node(const std::string& members) {
  return of_nodes(std::format(R"([{{"id":"one",{}}}])", members));
}
Faults of_condition(const std::string& condition) {
  return of_trigger(std::format(R"({{"event":"custom.cart-updated","where":{}}})", condition));
}
Faults of_part(const std::string& part) {
  return faults_of(
      std::format(R"({{"trigger":{{"event":"contact.created"}},{},"nodes":{}}})", part, kExit));
}

TEST(DefinitionCheck, accepts_the_abandoned_cart_workflow) {
  References named;
  EXPECT_EQ(faults_of(R"json({ "name": "Abandoned cart", "alias": "abandoned-cart",
    "trigger": { "event": "custom.cart-updated",
                 "where": { "value": "event.data.total", "op": "ge", "to": "20.00" },
                 "key": "event.data.cartId", "maxAge": "P1D" },
    "reentry": { "mode": "restart", "until": "firstSend", "releaseAfter": "P30D" },
    "exitOn": [ { "event": "purchase.created" },
                { "event": "custom.cart-updated", "where": { "all": [
                    { "value": "event.data.cartId", "op": "eq", "to": { "ref": "run.key" } },
                    { "value": "event.data.total", "op": "eq", "to": "0" } ] } } ],
    "goal": { "event": "purchase.created", "within": "P7D" },
    "nodes": [
      { "id": "hour", "type": "wait", "for": "PT1H", "next": "remind" },
      { "id": "remind", "type": "email", "template": "cart-reminder", "class": "marketing", "next": "day" },
      { "id": "day", "type": "waitForEvent", "events": [ { "event": "message.clicked",
          "where": { "value": "event.data.runId", "op": "eq", "to": { "ref": "run.id" } }, "next": "done" } ],
        "timeout": "P1D", "onTimeout": "gift" },
      { "id": "gift", "type": "coupon", "couponSet": "ten-percent", "as": "coupon", "validFor": "P3D",
        "releaseIfNotSent": true, "next": "offer", "onEmpty": "done" },
      { "id": "offer", "type": "email", "template": "cart-offer", "class": "marketing", "next": "done" },
      { "id": "done", "type": "exit" } ] })json",
                      &named),
            Faults{});
  EXPECT_EQ(named.event_types, std::set{kCart});
  EXPECT_EQ(named.templates, std::set{kReminder});
  EXPECT_EQ(named.coupon_sets, std::set{kTenPercent});
  EXPECT_TRUE(named.fields.empty());
}

TEST(DefinitionCheck, reports_every_fault_at_once) {
  EXPECT_EQ(faults_of("{}"), (Faults{"/trigger required", "/nodes required"}));
  EXPECT_EQ(faults_of(R"({"trigger":5,"nodes":{}})"),
            (Faults{"/trigger wrong-type", "/nodes wrong-type"}));
  EXPECT_EQ(faults_of(R"({"trigger":{"event":"contact.renamed","foo":1},"nodes":[
              {"id":"a","type":"wait","for":"soon","next":"nowhere"},
              {"id":"a","type":"jump"},
              {"type":"exit","next":"a"}, 7]})"),
            (Faults{"/trigger/event unknown-reference", "/trigger/foo unknown-member",
                    "/nodes/0/for invalid-format", "/nodes/0/next unknown-reference",
                    "/nodes/1/type not-an-option", "/nodes/2/id required",
                    "/nodes/2/next unknown-member", "/nodes/3 wrong-type"}));
}

TEST(DefinitionCheck, a_trigger_is_an_event_or_a_schedule) {
  EXPECT_EQ(of_trigger(R"({"event":"contact.created"})"), Faults{});
  EXPECT_EQ(of_trigger("{}"), Faults{"/trigger required"});
  EXPECT_EQ(of_trigger(R"({"event":"contact.created","schedule":{"at":"09:00","every":"day"}})"),
            Faults{"/trigger conflicts-with"});
  EXPECT_EQ(of_trigger(R"({"schedule":{"at":"09:00","zone":"store","every":"month","on":"31",
                           "where":{"value":"contact.birthDate","op":"anniversaryIn","to":"P7D"},
                           "mode":"becomesTrue","includeExisting":true},"key":"schedule.year"})"),
            Faults{});
  EXPECT_EQ(of_trigger(R"({"schedule":{"at":"24:00","zone":"mars","every":"hour","on":"32"},
                           "maxAge":"P1D","key":"schedule.month"})"),
            (Faults{"/trigger/schedule/at invalid-format", "/trigger/schedule/zone not-an-option",
                    "/trigger/schedule/every not-an-option", "/trigger/schedule/on invalid-format",
                    "/trigger/key unknown-reference", "/trigger/maxAge conflicts-with"}));
  EXPECT_EQ(of_trigger(R"({"event":"custom.cart-updated","each":"event.data.items",
                           "key":"event.data.cartId"})"),
            Faults{});
  EXPECT_EQ(of_trigger(R"({"event":"custom.cart-updated","each":"event.data.total",
                           "key":"run.id","maxAge":"-P1D"})"),
            (Faults{"/trigger/each conflicts-with", "/trigger/key unknown-reference",
                    "/trigger/maxAge invalid-format"}));
  EXPECT_EQ(of_trigger(R"({"event":"custom.nothing"})"),
            Faults{"/trigger/event unknown-reference"});
}

TEST(DefinitionCheck, checks_the_other_parts) {
  EXPECT_EQ(of_part(R"("reentry":{"mode":"once","cooldown":"P30D"})"), Faults{});
  EXPECT_EQ(of_part(R"("reentry":{"mode":"perKey","until":"exit"})"),
            (Faults{"/reentry/mode conflicts-with", "/reentry/until conflicts-with"}));
  EXPECT_EQ(of_part(R"("reentry":{"mode":"twice"})"), Faults{"/reentry/mode not-an-option"});
  EXPECT_EQ(of_part(R"("goal":{"event":"purchase.created"})"), Faults{"/goal/within required"});
  EXPECT_EQ(of_part(R"("exitOn":{"event":"purchase.created"})"), Faults{"/exitOn wrong-type"});
  EXPECT_EQ(of_part(R"("quietHours":{"from":"22:00","to":"7:00","weekdays":["mon","someday"],
                       "zone":"Europe/Vienna"})"),
            (Faults{"/quietHours/to invalid-format", "/quietHours/weekdays/1 not-an-option"}));
  EXPECT_EQ(
      of_part(R"("sendWindow":{"from":"09:00","zone":"Mars/Olympus","skipIfLaterThan":"P0"})"),
      (Faults{"/sendWindow/zone invalid-format", "/sendWindow/skipIfLaterThan invalid-format",
              "/sendWindow/to required"}));
}

TEST(DefinitionCheck, every_node_has_its_own_members) {
  EXPECT_EQ(of_node(R"("type":"wait","for":"P1D")"), Faults{});
  EXPECT_EQ(of_node(R"("type":"wait","for":{"days":"contact.fields.visits"})"), Faults{});
  EXPECT_EQ(of_node(R"("type":"wait","for":{"days":"contact.firstName"})"),
            Faults{"/nodes/0/for/days conflicts-with"});
  EXPECT_EQ(of_node(R"("type":"wait","until":{"time":"09:00","weekdays":["mon"]})"), Faults{});
  EXPECT_EQ(of_node(R"("type":"wait","until":{"date":"contact.fields.since","plus":"-P3D"})"),
            Faults{});
  EXPECT_EQ(of_node(R"("type":"wait","until":{})"), Faults{"/nodes/0/until required"});
  EXPECT_EQ(of_node(R"("type":"wait")"), Faults{"/nodes/0 required"});
  EXPECT_EQ(of_node(R"("type":"wait","for":"P1D","until":{"time":"09:00"})"),
            Faults{"/nodes/0 conflicts-with"});
  EXPECT_EQ(of_node(R"("type":"waitForEvent","events":[],"timeout":"P1D")"),
            Faults{"/nodes/0/events required"});
  EXPECT_EQ(
      of_node(R"("type":"waitForEvent","events":[{"event":"product.back-in-stock",
              "subject":{"product":"trigger.data.cartId"},"release":{"perUnit":0}}])"),
      (Faults{"/nodes/0/events/0/release/perUnit out-of-range", "/nodes/0/timeout required"}));
  EXPECT_EQ(of_node(R"("type":"branch","cases":[{"next":"one"}])"),
            (Faults{"/nodes/0/cases/0/when required", "/nodes/0 endless-loop"}));
  EXPECT_EQ(of_node(R"("type":"split","parts":[{"weight":0},{"weight":1.5,"holdout":"yes"}])"),
            (Faults{"/nodes/0/parts/0/weight out-of-range", "/nodes/0/parts/1/weight wrong-type",
                    "/nodes/0/parts/1/holdout wrong-type"}));
  EXPECT_EQ(of_node(R"("type":"email","template":"nothing","class":"spam","onCap":"drop")"),
            (Faults{"/nodes/0/template unknown-reference", "/nodes/0/class not-an-option",
                    "/nodes/0/onCap not-an-option"}));
  EXPECT_EQ(of_node(std::format(
                R"("type":"webhook","eventType":"{}","data":{{"a":[{{"ref":"run.id"}}],"b":1}})",
                kSender.to_string())),
            Faults{});
  EXPECT_EQ(
      of_node(R"("type":"webhook","eventType":"x","data":{"a":{"ref":"nothing"}})"),
      (Faults{"/nodes/0/eventType unknown-reference", "/nodes/0/data/a/ref unknown-reference"}));
  EXPECT_EQ(of_node(R"("type":"coupon","couponSet":"nothing","as":"1st")"),
            (Faults{"/nodes/0/couponSet unknown-reference", "/nodes/0/as invalid-format"}));
  EXPECT_EQ(of_node(R"("type":"lookup","product":"trigger.data.cartId","as":"p")"), Faults{});
  EXPECT_EQ(of_node(R"("type":"lookup","as":"p")"), Faults{"/nodes/0 required"});
  EXPECT_EQ(of_node(R"("type":"event","event":"contact.created")"),
            Faults{"/nodes/0/event unknown-reference"});
  EXPECT_EQ(of_node(R"("type":"event","event":"custom.cart-updated","payload":{"total":1})"),
            Faults{});
}

TEST(DefinitionCheck, checks_changes_of_a_contact) {
  EXPECT_EQ(of_node(R"("type":"updateContact","set":{"firstName":null,"tags":["a"],
              "points":{"add":5},"fields":{"level":"gold","visits":{"ref":"trigger.data.total"},
              "colours":["red"]}})"),
            Faults{});
  EXPECT_EQ(
      of_node(R"("type":"updateContact","set":{"createdAt":"2026-01-01","nick":"x",
              "company":{"add":1},"fields":{"level":"iron","nothing":1,"visits":"many"}})"),
      (Faults{"/nodes/0/set/createdAt unknown-member", "/nodes/0/set/nick unknown-member",
              "/nodes/0/set/company conflicts-with", "/nodes/0/set/fields/level not-an-option",
              "/nodes/0/set/fields/nothing unknown-reference",
              "/nodes/0/set/fields/visits wrong-type"}));
}

TEST(DefinitionCheck, follows_the_edges) {
  EXPECT_EQ(of_nodes(R"([{"id":"a","type":"exit"},{"id":"b","type":"exit"}])"),
            Faults{"/nodes/1 unreachable"});
  EXPECT_EQ(of_nodes(R"([{"id":"a","type":"wait","for":"PT1M","next":"a"}])"), Faults{});
  EXPECT_EQ(of_nodes(R"([{"id":"a","type":"wait","for":"PT59S","next":"a"}])"),
            Faults{"/nodes/0 endless-loop"});
  EXPECT_EQ(of_nodes(R"([{"id":"a","type":"split","parts":[{"weight":1,"next":"b"},{"weight":1}]},
                         {"id":"b","type":"wait","for":{"days":"contact.points"},"next":"a"}])"),
            Faults{"/nodes/0 endless-loop"});
  EXPECT_EQ(of_nodes(R"([{"id":"a","type":"wait","until":{"time":"09:00"},"next":"b"},
                         {"id":"b","type":"updateContact","set":{},"next":"a"}])"),
            Faults{});
  EXPECT_EQ(of_nodes(R"([{"id":"a","type":"exit"},{"id":"a","type":"exit"}])"),
            Faults{"/nodes/1/id duplicate"});
  EXPECT_EQ(of_nodes(R"([{"id":"a b","type":"exit"}])"), Faults{"/nodes/0/id invalid-format"});
  EXPECT_EQ(of_nodes("[]"), Faults{"/nodes required"});
  std::string many;
  for (int i = 0; i < 201; ++i)
    many += std::format(R"({}{{"id":"n{}","type":"exit"}})", i == 0 ? "" : ",", i);
  EXPECT_EQ(of_nodes("[" + many + "]"), Faults{"/nodes too-long"});
}

TEST(Conditions, have_exactly_one_form) {
  const std::string total = R"({"value":"event.data.total","op":"gt","to":5})";
  EXPECT_EQ(of_condition(total), Faults{});
  EXPECT_EQ(of_condition(R"({"all":[)" + total + R"(,{"any":[)" + total + R"(]},{"not":)" + total +
                         "}]}"),
            Faults{});
  EXPECT_EQ(of_condition("true"), Faults{"/trigger/where wrong-type"});
  EXPECT_EQ(of_condition("{}"), Faults{"/trigger/where required"});
  EXPECT_EQ(of_condition(R"({"all":[],"any":[]})"), Faults{"/trigger/where conflicts-with"});
  EXPECT_EQ(of_condition(R"({"all":[]})"), Faults{"/trigger/where/all required"});
  EXPECT_EQ(of_condition(R"({"not":{"any":[{"value":"event.kind"}]},"foo":1})"),
            (Faults{"/trigger/where/foo unknown-member", "/trigger/where/not/any/0/op required"}));
  EXPECT_EQ(of_condition(R"({"some":"event.data.items",
              "where":{"value":"item.quantity","op":"ge","to":2}})"),
            Faults{});
  EXPECT_EQ(of_condition(R"({"every":"event.data.total",
              "where":{"value":"item.quantity","op":"ge","to":2}})"),
            Faults{"/trigger/where/every conflicts-with"});
  EXPECT_EQ(of_condition(R"({"none":"event.data.items"})"),
            Faults{"/trigger/where/where required"});
  EXPECT_EQ(
      of_condition(R"({"none":"event.data.items","where":{"value":"item.size","op":"exists"}})"),
      Faults{"/trigger/where/where/value unknown-reference"});
  EXPECT_EQ(of_condition(R"({"value":"item.sku","op":"exists"})"),
            Faults{"/trigger/where/value unknown-reference"});
}

TEST(Conditions, check_the_types_of_operands) {
  const auto of = [](const std::string& value, const std::string& op, const std::string& to) {
    return of_condition(std::format(R"({{"value":"{}","op":"{}","to":{}}})", value, op, to));
  };
  const Faults none;
  EXPECT_EQ(of("contact.fields.level", "eq", R"("gold")"), none);
  EXPECT_EQ(of("contact.fields.level", "eq", R"("iron")"),
            Faults{"/trigger/where/to not-an-option"});
  EXPECT_EQ(of("contact.fields.level", "lt", R"("gold")"),
            Faults{"/trigger/where/op conflicts-with"});
  EXPECT_EQ(of("contact.fields.level", "in", R"(["gold","iron"])"),
            Faults{"/trigger/where/to/1 not-an-option"});
  EXPECT_EQ(of("contact.fields.level", "in", R"("gold")"), Faults{"/trigger/where/to wrong-type"});
  EXPECT_EQ(of("contact.fields.colours", "contains", R"("red")"), none);
  EXPECT_EQ(of("contact.fields.colours", "containsAny", R"(["red","green"])"),
            Faults{"/trigger/where/to/1 not-an-option"});
  EXPECT_EQ(of("contact.tags", "contains", R"("vip")"), none);
  EXPECT_EQ(of("contact.tags", "eq", R"("vip")"), Faults{"/trigger/where/op conflicts-with"});
  EXPECT_EQ(of("contact.email", "endsWith", R"("@a.example")"), none);
  EXPECT_EQ(of("contact.points", "startsWith", R"("1")"),
            Faults{"/trigger/where/op conflicts-with"});
  EXPECT_EQ(of("contact.points", "ge", R"("12.50")"), none);
  EXPECT_EQ(of("contact.points", "ge", R"("many")"), Faults{"/trigger/where/to wrong-type"});
  EXPECT_EQ(of("contact.points", "ge", "null"), Faults{"/trigger/where/to wrong-type"});
  EXPECT_EQ(of("contact.fields.since", "before", R"("2026-01-01")"), none);
  EXPECT_EQ(of("contact.fields.since", "after", R"({"now":"-P90D"})"), none);
  EXPECT_EQ(of("contact.fields.since", "after", R"({"now":"90 days"})"),
            Faults{"/trigger/where/to/now invalid-format"});
  EXPECT_EQ(of("contact.fields.since", "withinLast", R"("P90D")"), none);
  EXPECT_EQ(of("contact.firstName", "withinLast", R"("P90D")"),
            Faults{"/trigger/where/op conflicts-with"});
  EXPECT_EQ(of("contact.createdAt", "lt", R"({"date":"contact.fields.since","plus":"P7D"})"), none);
  EXPECT_EQ(
      of("contact.createdAt", "lt",
         R"({"date":"contact.firstName","plus":{"days":"contact.points","times":"contact.email"}})"),
      (Faults{"/trigger/where/to/date conflicts-with",
              "/trigger/where/to/plus/times conflicts-with"}));
  EXPECT_EQ(of("contact.points", "eq", R"({"ref":"event.data.total"})"), none);
  EXPECT_EQ(of("contact.points", "eq", R"({"ref":"event.data.cartId"})"),
            Faults{"/trigger/where/to/ref conflicts-with"});
  EXPECT_EQ(of("contact.points", "eq", R"({"sum":1})"), Faults{"/trigger/where/to required"});
  EXPECT_EQ(of("contact.points", "about", "5"), Faults{"/trigger/where/op not-an-option"});
  EXPECT_EQ(of("contact.points", "exists", "5"), Faults{"/trigger/where/to wrong-type"});
  EXPECT_EQ(of_condition(R"({"value":"contact.points","op":"eq"})"),
            Faults{"/trigger/where/to required"});
  EXPECT_EQ(of_condition(R"({"value":"contact.email","op":"eq","to":"a","exact":1})"),
            Faults{"/trigger/where/exact wrong-type"});
}

TEST(Conditions, refer_only_to_known_values) {
  const auto of = [](const std::string& value) {
    return of_condition(std::format(R"({{"value":"{}","op":"exists"}})", value)).size();
  };
  for (const char* there :
       {"contact.email", "contact.fields.level", "contact.purchases.lastAt", "contact.id",
        "event.data.cartId", "event.kind", "event.occurredAt", "store.currency", "contact"})
    EXPECT_EQ(of(there), 0U) << there;
  for (const char* missing :
       {"", "contact.nothing", "contact.fields.nothing", "contact.email.host", "event.data.nothing",
        "event.nothing", "trigger.data.cartId", "run.id", "vars.x", "item", "schedule.date",
        "store.usage", "contact.", "contact..email", "nothing", "Contact.email"})
    EXPECT_EQ(of(missing), 1U) << missing;
  const auto in_run = [](const std::string& value) {
    return of_nodes(std::format(
        R"([{{"id":"got","type":"coupon","couponSet":"ten-percent","as":"gift","next":"b"}},
            {{"id":"b","type":"branch","cases":[{{"when":{{"value":"{}","op":"exists"}}}}]}}])",
        value));
  };
  for (const char* there : {"vars.gift.code", "vars.gift.expiresAt", "trigger.data.total",
                            "run.key", "run.startedAt", "run.item"})
    EXPECT_EQ(in_run(there), Faults{}) << there;
  for (const char* missing :
       {"vars.gift.size", "vars.got.code", "event.kind", "run.nothing", "trigger.data.nothing"})
    EXPECT_EQ(in_run(missing), Faults{"/nodes/1/cases/0/when/value unknown-reference"}) << missing;
}

TEST(Conditions, look_back_only_as_long_as_events_are_stored) {
  const auto of = [](const std::string& more) {
    return of_condition(std::format(R"({{"did":"purchase.created"{}}})", more));
  };
  EXPECT_EQ(of(R"(,"within":"P400D","times":{"min":1,"max":3})"), Faults{});
  EXPECT_EQ(of(R"(,"since":{"now":"-P30D"},"sum":{"value":"event.data.total","min":"10.50"})"),
            Faults{});
  EXPECT_EQ(of(R"(,"within":"P401D")"), Faults{"/trigger/where/within out-of-range"});
  EXPECT_EQ(of(R"(,"within":"P13M")"), Faults{"/trigger/where/within out-of-range"});
  EXPECT_EQ(of(R"(,"since":{"now":"-P2Y"})"), Faults{"/trigger/where/since out-of-range"});
  EXPECT_EQ(of(R"(,"within":"P1D","since":{"now":"-P1D"})"),
            Faults{"/trigger/where conflicts-with"});
  EXPECT_EQ(of(R"(,"times":{},"sum":{"min":1})"),
            (Faults{"/trigger/where/times required", "/trigger/where/sum/value required"}));
  EXPECT_EQ(of_condition(R"({"did":"contact.renamed"})"),
            Faults{"/trigger/where/did unknown-reference"});
  EXPECT_EQ(
      of_condition(
          R"({"did":"custom.cart-updated","where":{"value":"event.data.size","op":"exists"}})"),
      Faults{"/trigger/where/where/value unknown-reference"});
  EXPECT_EQ(
      of_condition(R"({"did":"custom.cart-updated","sum":{"value":"event.data.cartId","max":1}})"),
      Faults{"/trigger/where/sum/value conflicts-with"});
}

}  // namespace
}  // namespace shopbell::workflows
