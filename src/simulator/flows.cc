#include "simulator/flows.h"

#include <format>
#include <vector>

namespace shopbell::simulator {

namespace {

using Texts = std::vector<std::string>;
using Kind = engine::ValueType::Kind;

std::string duration(Random& random) {
  static const Texts all{"PT1M", "PT10M", "PT1H", "PT5H", "P1D", "P2D"};
  return random.pick(all);
}

std::string awaited_kind(Random& random) {
  static const Texts all{"custom.b", "custom.c", "message.clicked", "purchase.created"};
  return random.pick(all);
}

std::string condition(Random& random) {
  static const Texts all{R"({"value":"trigger.data.total","op":"ge","to":"5"})",
                         R"({"value":"contact.fields.level","op":"ge","to":3})",
                         R"({"value":"run.key","op":"eq","to":"c1"})",
                         R"({"value":"trigger.data.cartId","op":"exists"})"};
  return random.pick(all);
}

// Schedules have no event that a condition could look at.
std::string condition_on_schedule(Random& random) {
  return std::format(R"({{"value":"contact.fields.level","op":"ge","to":{}}})",
                     random.between(1, 5));
}

std::string wait(Random& random) {
  if (random.one_in(4)) return R"("type":"wait","until":{"time":"09:00"})";
  return std::format(R"("type":"wait","for":"{}")", duration(random));
}

engine::ValueType envelope_of(engine::ValueType data) {
  return engine::object_of({{"id", {.kind = Kind::text}},
                            {"kind", {.kind = Kind::text}},
                            {"occurredAt", {.kind = Kind::time}},
                            {"receivedAt", {.kind = Kind::time}},
                            {"contactId", {.kind = Kind::text}},
                            {"data", std::move(data)}});
}

}  // namespace

Flow::Flow(Random& random) : has_schedule_{random.one_in(6)}, has_key_{random.below(10) < 6} {
  if (has_schedule_) {
    has_key_ = false;
    trigger_ = std::format(
        R"({{"schedule":{{"at":"09:00","every":"day","where":{}{}}},"key":"schedule.date"}})",
        condition_on_schedule(random), random.one_in(2) ? R"(,"mode":"becomesTrue")" : "");
    mode_ = random.pick(Texts{"perKey", "always", "once", "afterExit"});
    reentry_ = std::format(R"({{"mode":"{}"}})", mode_);
    return;
  }
  const bool has_list = !has_key_ && random.one_in(6);
  trigger_ = std::format(
      R"({{"event":"{}"{}{}{}{}}})", random.one_in(2) ? "custom.a" : "custom.b",
      has_key_ ? R"(,"key":"event.data.cartId")" : "",
      has_list ? R"(,"each":"event.data.items")" : "",
      random.one_in(3) ? R"(,"where":{"value":"event.data.total","op":"ge","to":"3"})" : "",
      random.one_in(3) ? R"(,"maxAge":"PT1H")" : "");
  const Texts modes = has_key_   ? Texts{"perKey", "restart", "restart", "always", "once"}
                      : has_list ? Texts{"always"}
                                 : Texts{"once", "afterExit", "always", "afterExit"};
  mode_ = random.pick(modes);
  reentry_ = std::format(R"({{"mode":"{}"{}{}}})", mode_,
                         mode_ != "restart" ? ""
                         : random.one_in(2) ? R"(,"until":"firstSend","releaseAfter":"P1D")"
                                            : R"(,"until":"exit","releaseAfter":"PT1H")",
                         random.one_in(4) ? R"(,"cooldown":"PT2H")" : "");
}

std::string Flow::node(Random& random, int number, int nodes) const {
  const auto later = [&] {
    return number + 1 >= nodes ? std::string{"end"}
                               : std::format("n{}", random.between(number + 1, nodes - 1));
  };
  const std::string id = std::format(R"("id":"n{}",)", number);
  // The next node in line, so that every node is reachable.
  const std::string next = number + 1 < nodes ? std::format("n{}", number + 1) : "end";
  switch (number == 0 ? random.below(8) : random.below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
      if (number > 1 && random.one_in(6))  // a circle
        return id + R"("type":"wait","for":"PT5H","next":"n0")";
      return id + wait(random) + std::format(R"(,"next":"{}")", next);
    case 4:
      if (!has_schedule_)
        return id + std::format(R"("type":"waitForEvent","events":[{{"event":"{}","subject":)"
                                R"({{"product":"trigger.data.cartId"}},"next":"{}"}}],)"
                                R"("timeout":"{}","onTimeout":"{}")",
                                kProductEvent, later(), duration(random), next);
      [[fallthrough]];
    case 5:
    case 6:
    case 7:
      return id + std::format(R"("type":"waitForEvent","events":[{{"event":"{}","next":"{}"}},)"
                              R"({{"event":"{}","where":{{"value":"event.data.total","op":"ge",)"
                              R"("to":"4"}},"next":"{}"}}],"timeout":"{}","onTimeout":"{}"{})",
                              awaited_kind(random), later(), awaited_kind(random), later(),
                              duration(random), next,
                              random.one_in(2) ? R"(,"since":"runStart")" : "");
    case 8:
    case 9:
      return id + std::format(R"("type":"branch","cases":[{{"when":{},"next":"{}"}}],"else":"{}")",
                              has_schedule_ ? condition_on_schedule(random) : condition(random),
                              later(), next);
    case 10:
      return id + std::format(R"("type":"split","parts":[{{"weight":1,"next":"{}"}},)"
                              R"({{"weight":2,"next":"{}"}}])",
                              later(), next);
    case 11:
      return id + std::format(R"("type":"updateContact","set":{{"fields":{{"level":{}}}}},)"
                              R"("next":"{}")",
                              random.below(6), next);
    case 12:
      return id + std::format(R"("type":"event","event":"custom.c","payload":)"
                              R"({{"cartId":{{"ref":"run.key"}}}},"next":"{}")",
                              next);
    case 13:
    case 14:
      return id + std::format(R"("type":"coupon","couponSet":"ten","as":"code","validFor":"P3D",)"
                              R"("releaseIfNotSent":{},"next":"{}","onEmpty":"{}")",
                              random.one_in(3) ? "false" : "true", next, later());
    case 15:
      return id +
             std::format(R"("type":"webhook","eventType":"lead","data":{{}},"next":"{}")", next);
    default:
      return id + std::format(R"("type":"email","template":"t{}","class":"marketing",)"
                              R"("next":"{}","onNotSent":"{}")",
                              number, next, later());
  }
}

std::string Flow::definition(Random& random) const {
  const int nodes = static_cast<int>(random.between(2, 7));
  std::string text = std::format(R"({{"trigger":{},"reentry":{})", trigger_, reentry_);
  if (random.one_in(2))
    text += has_key_ && random.one_in(2)
                ? R"(,"exitOn":[{"event":"custom.c","where":{"value":"event.data.cartId",)"
                  R"("op":"eq","to":{"ref":"run.key"}}}])"
                : R"(,"exitOn":[{"event":"purchase.created"}])";
  if (random.one_in(3)) text += R"(,"goal":{"event":"purchase.created","within":"P2D"})";
  text += R"(,"nodes":[)";
  for (int number = 0; number < nodes; ++number) text += "{" + node(random, number, nodes) + "},";
  return text + R"({"id":"end","type":"exit"}]})";
}

std::string endless_definition() {
  return R"({"trigger":{"event":"custom.d"},"reentry":{"mode":"always"},"nodes":[)"
         R"({"id":"n0","type":"event","event":"custom.d","payload":{},"next":"end"},)"
         R"({"id":"end","type":"exit"}]})";
}

engine::KnownTypes types_of_flows() {
  const engine::ValueType data =
      engine::object_of({{"cartId", {.kind = Kind::text}},
                         {"total", {.kind = Kind::number}},
                         {"items", engine::list_of({.kind = Kind::text})}},
                        true);
  engine::KnownTypes types{
      .contact = engine::object_of({}, true), .store = engine::object_of({}, true), .events = {}};
  types.contact.members["fields"] = engine::object_of({{"level", {.kind = Kind::number}}});
  for (const auto* kind : {"custom.a", "custom.b", "custom.c", "custom.d", "message.clicked",
                           "purchase.created", kProductEvent})
    types.events.emplace(kind, envelope_of(data));
  return types;
}

}  // namespace shopbell::simulator
