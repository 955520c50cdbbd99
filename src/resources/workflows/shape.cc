#include "resources/workflows/shape.h"

#include <algorithm>

#include "base/limits.h"

namespace shopbell::workflows {

namespace {

Shape of(Form form) { return {.form = form}; }
Shape choice(std::vector<std::string> options) {
  return {.form = Form::choice, .options = std::move(options)};
}
Shape whole(std::int64_t minimum, std::int64_t maximum) {
  return {.form = Form::integer, .minimum = minimum, .maximum = maximum};
}
Shape object(std::vector<Member> members, std::vector<std::string> one_of = {}) {
  return {.form = Form::object, .members = std::move(members), .one_of = std::move(one_of)};
}
Shape list(Shape item, std::int64_t least, std::int64_t most) {
  return {.form = Form::list, .minimum = least, .maximum = most, .item = {std::move(item)}};
}

constexpr auto kEdges = static_cast<std::int64_t>(limits::kWorkflowEdges);
constexpr bool kRequired = true;

Shape weekdays() { return list(choice({"mon", "tue", "wed", "thu", "fri", "sat", "sun"}), 1, 7); }

Member next(std::string doc = "The node that follows; absent: the run ends.") {
  return {"next", of(Form::node), false, std::move(doc)};
}
Member edge(std::string name, std::string doc) {
  return {std::move(name), of(Form::node), false, std::move(doc)};
}

Shape schedule() {
  return object(
      {{"at", of(Form::clock), kRequired, "The local time of day."},
       {"zone", choice({"contact", "store"}), false, "Whose local time; the contact's by default."},
       {"every", choice({"once", "day", "week", "month"}), kRequired},
       {"on", of(Form::day), false, "The date, the weekday or the day of the month."},
       {"where", of(Form::condition), false, "For whom."},
       {"mode", choice({"whileTrue", "becomesTrue"}), false,
        "Each time that the condition holds, or when it begins to."},
       {"includeExisting", of(Form::boolean), false,
        "Whether those count for whom it holds already."}});
}

Shape trigger() {
  return object(
      {{"event", of(Form::event), false, "What starts a run."},
       {"schedule", schedule(), false, "When runs start, without an event."},
       {"where", of(Form::condition), false, "Which of those events."},
       {"key", of(Form::reference), false,
        "A value that names the run; an event without it starts nothing."},
       {"each", of(Form::list_reference), false,
        "A list in the event: one run for each of its items, which is run.item."},
       {"maxAge", of(Form::duration), false, "Older events start nothing; a day by default."}},
      {"event", "schedule"});
}

Shape reentry() {
  return object(
      {{"mode", choice({"once", "perKey", "afterExit", "always", "restart"}), kRequired,
        "How often a contact may be in it."},
       {"until", choice({"firstSend", "exit"}), false, "Of restart: until when it restarts."},
       {"releaseAfter", of(Form::duration), false,
        "Of restart: how long after the end the key is free again."},
       {"cooldown", of(Form::duration), false, "From the start of a run to that of the next."}});
}

Shape window() {
  return object({{"from", of(Form::clock), kRequired},
                 {"to", of(Form::clock), kRequired},
                 {"weekdays", weekdays()},
                 {"zone", of(Form::zone), false, "Whose local time; the contact's by default."},
                 {"skipIfLaterThan", of(Form::duration), false,
                  "A message that would wait longer is dropped; a day by default."}});
}

Shape until() {
  return object({{"time", of(Form::clock), false, "The next such local time."},
                 {"weekdays", weekdays(), false, "Of the time: on which days."},
                 {"date", of(Form::reference), false, "A date or time of the contact or the run."},
                 {"plus", of(Form::offset), false, "Of the date: so much later, or earlier."}},
                {"time", "date"});
}

Shape awaited() {
  return event_match(
      {{"subject",
        object({{"product", of(Form::reference), kRequired}, {"variant", of(Form::reference)}}),
        false, "A product whose event is awaited, instead of the contact's own."},
       {"release", object({{"perUnit", whole(1, 1'000'000), kRequired}}), false,
        "How many who wait go on for each unit in stock."},
       next()});
}

std::vector<NodeType> make_messages() {
  return {{"email", "Sends a message. The run stays here until that is final.",
           object({{"template", of(Form::message), kRequired},
                   {"class", choice({"marketing", "transactional"}), kRequired},
                   {"onCap", choice({"wait", "skip"}), false, "When the contact has had enough."},
                   next(),
                   edge("onNotSent", "Where it was not sent; absent: as next.")})},
          {"webhook", "Sends an event of a type that sends.",
           object({{"eventType", of(Form::sender), kRequired},
                   {"data", of(Form::payload)},
                   {"requiresConsent", of(Form::boolean)},
                   next(),
                   edge("onFailed", "Where it could not be delivered; absent: as next.")})},
          {"coupon", "Gives the contact a code, once for each visit of the node.",
           object({{"couponSet", of(Form::coupon_set), kRequired},
                   {"as", of(Form::variable), kRequired, "vars.<as>.code and .expiresAt."},
                   {"validFor", of(Form::duration)},
                   {"reuse", of(Form::boolean), false, "Whether a code the contact has will do."},
                   {"releaseIfNotSent", of(Form::boolean), false,
                    "Whether the code goes back when no message with it was sent."},
                   next(),
                   edge("onEmpty", "Where there is none left; absent: the run ends.")})},
          {"event", "Tells a custom event of the contact.",
           object({{"event", of(Form::custom_event), kRequired},
                   {"payload", of(Form::payload)},
                   next()})}};
}

std::vector<NodeType> make_nodes() {
  std::vector<NodeType> types{
      {"wait", "The run stays on this node.",
       object({{"for", of(Form::days), false, "How long."},
               {"until", until(), false, "Until when."},
               next()},
              {"for", "until"})},
      {"waitForEvent", "Whichever of the events and the timeout comes first, wins.",
       object({{"events", list(awaited(), 1, kEdges), kRequired},
               {"timeout", of(Form::duration), kRequired},
               {"since", choice({"node", "runStart"}), false, "From when events count."},
               edge("onTimeout", "Where none came; absent: as next."),
               next()})},
      {"branch", "The first case that is true.",
       object(
           {{"cases", list(object({{"when", of(Form::condition), kRequired}, next()}), 1, kEdges),
             kRequired},
            edge("else", "Where none is true; absent: the run ends.")})},
      {"split", "By chance, and the same for a contact each time.",
       object({{"parts",
                list(object({{"weight", whole(1, 1'000'000), kRequired},
                             next(),
                             {"holdout", of(Form::boolean), false,
                              "Whether those are who the others are compared with."}}),
                     2, kEdges),
                kRequired}})},
      {"lookup", "Reads something as it is now.",
       object({{"product", of(Form::reference)},
               {"variant", of(Form::reference)},
               {"purchase", of(Form::reference)},
               {"as", of(Form::variable), kRequired, "It is vars.<as>."},
               next(),
               edge("onMissing", "Where there is no such thing; absent: the run ends.")},
              {"product", "variant", "purchase"})},
      {"updateContact", "Changes the contact.",
       object({{"set", of(Form::patch), kRequired, "A merge patch; references are allowed."},
               next()})},
      {"exit", "Ends the run.", object({})}};
  std::ranges::move(make_messages(), std::back_inserter(types));
  return types;
}

}  // namespace

Shape event_match(std::vector<Member> more) {
  std::vector<Member> members{{"event", of(Form::event), kRequired},
                              {"where", of(Form::condition)}};
  std::ranges::move(more, std::back_inserter(members));
  return object(std::move(members));
}

const std::vector<Member>& definition_parts() {
  static const std::vector<Member> parts{
      {"trigger", trigger(), kRequired, "What starts a run."},
      {"reentry", reentry(), false,
       "How often a contact may be in it; perKey with a key, else afterExit."},
      {"exitOn", list(event_match(), 0, kEdges), false, "Events that end a run wherever it is."},
      {"goal", event_match({{"within", of(Form::duration), kRequired, "Of the start of a run."}}),
       false, "What counts as a conversion."},
      {"quietHours", window(), false, "When nothing is sent."},
      {"sendWindow", window(), false, "When messages are sent."}};
  return parts;
}

const std::vector<NodeType>& node_types() {
  static const std::vector<NodeType> types = make_nodes();
  return types;
}

const NodeType* find_node_type(std::string_view name) {
  const auto found = std::ranges::find(node_types(), name, &NodeType::name);
  return found == node_types().end() ? nullptr : &*found;
}

}  // namespace shopbell::workflows
