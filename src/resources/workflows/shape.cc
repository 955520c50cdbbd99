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
Shape array_of(Shape item, std::int64_t least, std::int64_t most) {
  return {.form = Form::list, .minimum = least, .maximum = most, .item = {std::move(item)}};
}

constexpr auto kEdges = static_cast<std::int64_t>(limits::kWorkflowEdges);
constexpr bool kRequired = true;

Shape weekdays() {
  return array_of(choice({"mon", "tue", "wed", "thu", "fri", "sat", "sun"}), 1, 7);
}

Member next(std::string doc = "The next node; default: the run ends.") {
  return {"next", of(Form::node), false, std::move(doc)};
}
Member edge(std::string name, std::string doc) {
  return {std::move(name), of(Form::node), false, std::move(doc)};
}

Shape schedule() {
  return object(
      {{"at", of(Form::clock), kRequired, "The local time of day."},
       {"zone", choice({"contact", "store"}), false, "Zone of the local time; default: contact."},
       {"every", choice({"once", "day", "week", "month"}), kRequired},
       {"on", of(Form::day), false, "The date, the weekday or the day of the month."},
       {"where", of(Form::condition), false, "Selects the contacts."},
       {"mode", choice({"whileTrue", "becomesTrue"}), false,
        "`whileTrue`: each time that the condition holds; `becomesTrue`: when it starts to hold."},
       {"includeExisting", of(Form::boolean), false,
        "Whether to include contacts for which the condition holds already."}});
}

Shape trigger() {
  return object(
      {{"event", of(Form::event), false, "The kind of event that starts a run."},
       {"schedule", schedule(), false, "The times at which runs start, instead of an event."},
       {"where", of(Form::condition), false, "Selects the events that start a run."},
       {"key", of(Form::reference), false,
        "A value that identifies the run; an event without it starts no run."},
       {"each", of(Form::list_reference), false,
        "A list in the event: each of its items starts a run, and is its run.item."},
       {"maxAge", of(Form::duration), false, "Older events start no run; default: one day."}},
      {"event", "schedule"});
}

Shape reentry() {
  return object(
      {{"mode", choice({"once", "perKey", "afterExit", "always", "restart"}), kRequired,
        "How often a contact may enter the workflow."},
       {"until", choice({"firstSend", "exit"}), false, "For restart: until when a run restarts."},
       {"releaseAfter", of(Form::duration), false,
        "For restart: the time from the end of a run until its key can be used again."},
       {"cooldown", of(Form::duration), false, "The least time between the starts of two runs."}});
}

Shape window() {
  return object({{"from", of(Form::clock), kRequired},
                 {"to", of(Form::clock), kRequired},
                 {"weekdays", weekdays()},
                 {"zone", of(Form::zone), false, "Zone of the local time; default: contact."},
                 {"skipIfLaterThan", of(Form::duration), false,
                  "A message that would wait longer is dropped; default: one day."}});
}

Shape until() {
  return object(
      {{"time", of(Form::clock), false, "The next time at which it is this local time."},
       {"weekdays", weekdays(), false, "For `time`: only on these days."},
       {"date", of(Form::reference), false, "A date or time of the contact or the run."},
       {"plus", of(Form::offset), false, "For `date`: an offset, which may be negative."}},
      {"time", "date"});
}

Shape awaited() {
  return event_match(
      {{"subject",
        object({{"product", of(Form::reference), kRequired}, {"variant", of(Form::reference)}}),
        false, "A product whose events to wait for, instead of the contact's."},
       {"release", object({{"perUnit", whole(1, 1'000'000), kRequired}}), false,
        "How many waiting runs continue for each unit in stock."},
       next()});
}

std::vector<NodeType> make_messages() {
  return {{"email", "Sends a message. The run stays here until the outcome is final.",
           object({{"template", of(Form::message), kRequired},
                   {"class", choice({"marketing", "transactional"}), kRequired},
                   {"onCap", choice({"wait", "skip"}), false,
                    "Action if the contact has reached the frequency cap."},
                   next(),
                   edge("onNotSent", "Followed if the message was not sent; default: `next`.")})},
          {"webhook", "Sends an event of an event type with direction `send`.",
           object({{"eventType", of(Form::sender), kRequired},
                   {"data", of(Form::payload)},
                   {"requiresConsent", of(Form::boolean)},
                   next(),
                   edge("onFailed",
                        "Followed if the event could not be delivered; default: `next`.")})},
          {"coupon", "Assigns a code to the contact, once for each visit of the node.",
           object({{"couponSet", of(Form::coupon_set), kRequired},
                   {"as", of(Form::variable), kRequired,
                    "The name of the result: vars.<as>.code and vars.<as>.expiresAt."},
                   {"validFor", of(Form::duration)},
                   {"reuse", of(Form::boolean), false,
                    "Whether a code that the contact already has is used."},
                   {"releaseIfNotSent", of(Form::boolean), false,
                    "Whether the code becomes available again if no message with it was sent."},
                   next(),
                   edge("onEmpty", "Followed if no code is left; default: the run ends.")})},
          {"event", "Creates a custom event of the contact.",
           object({{"event", of(Form::custom_event), kRequired},
                   {"payload", of(Form::payload)},
                   next()})}};
}

std::vector<NodeType> make_nodes() {
  std::vector<NodeType> types{
      {"wait", "The run waits at this node.",
       object({{"for", of(Form::days), false, "How long to wait."},
               {"until", until(), false, "Until when to wait."},
               next()},
              {"for", "until"})},
      {"waitForEvent", "Waits for the first of the events, or the timeout.",
       object({{"events", array_of(awaited(), 1, kEdges), kRequired},
               {"timeout", of(Form::duration), kRequired},
               {"since", choice({"node", "runStart"}), false,
                "Whether events count from the arrival at the node or from the start of the run."},
               edge("onTimeout", "Followed after the timeout; default: `next`."),
               next()})},
      {"branch", "Follows the first case that is true.",
       object({{"cases",
                array_of(object({{"when", of(Form::condition), kRequired}, next()}), 1, kEdges),
                kRequired},
               edge("else", "Followed if no case is true; default: the run ends.")})},
      {"split", "Chooses a part at random; the same one for a contact each time.",
       object({{"parts",
                array_of(object({{"weight", whole(1, 1'000'000), kRequired},
                                 next(),
                                 {"holdout", of(Form::boolean), false,
                                  "Whether this part is the control group."}}),
                         2, kEdges),
                kRequired}})},
      {"lookup", "Reads the present state of a product, variant or purchase.",
       object({{"product", of(Form::reference)},
               {"variant", of(Form::reference)},
               {"purchase", of(Form::reference)},
               {"as", of(Form::variable), kRequired, "The name of the result: vars.<as>."},
               next(),
               edge("onMissing", "Followed if the object does not exist; default: the run ends.")},
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
      {"trigger", trigger(), kRequired, "The event or schedule that starts a run."},
      {"reentry", reentry(), false,
       "How often a contact may enter the workflow; default: perKey with a key, else afterExit."},
      {"exitOn", array_of(event_match(), 0, kEdges), false, "Events that end a run at any node."},
      {"goal",
       event_match({{"within", of(Form::duration), kRequired,
                     "The longest time since the start of the run."}}),
       false, "The event that counts as a conversion."},
      {"quietHours", window(), false, "The time in which no message is sent."},
      {"sendWindow", window(), false, "The only time in which messages are sent."}};
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
