// Takes many events in one request, one per line. Each line has its own result: an invalid line
// does not affect the others.
#include <algorithm>
#include <format>
#include <optional>

#include "base/limits.h"
#include "operations/idempotency.h"
#include "operations/retry.h"
#include "resources/custom_events/custom_event_store.h"
#include "resources/custom_events/event_writing.h"
#include "resources/integrations/event_type_store.h"

namespace shopbell::custom_events {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

// A line in progress: it is first validated, then written or refused.
struct Line {
  std::size_t number = 0;  // line number, starting at 1
  std::string_view text;
  std::optional<CustomEvent> event;
  json::Reading reading;
  std::optional<Receipt> receipt;
  std::optional<Problem> problem;

  bool settled() const { return receipt || problem; }
};

std::vector<Line> lines_of(std::string_view body, const json::Reading& reading) {
  std::vector<Line> lines;
  std::size_t number = 0;
  while (!body.empty()) {
    const auto end = std::min(body.find('\n'), body.size());
    std::string_view text = body.substr(0, end);
    if (text.ends_with('\r')) text.remove_suffix(1);
    body.remove_prefix(std::min(end + 1, body.size()));
    ++number;
    if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (lines.size() == limits::kEventLines)
      throw Problem{Code::body_too_large,
                    std::format("The body has more than {} lines: send fewer lines per "
                                "request.",
                                limits::kEventLines)};
    lines.push_back({.number = number, .text = text, .reading = reading});
  }
  return lines;
}

void validate_line(Line& line, const EventValidator& validator,
                   const std::optional<std::string>& key) {
  line.event.reset();
  try {
    if (line.text.size() > limits::kEventBytes)
      throw Problem{Code::body_too_large,
                    std::format("The line is longer than {} bytes.", limits::kEventBytes)};
    const auto document = json::Document::parse_body(line.text);
    json::Reading reading = line.reading;
    SentEvent sent;
    sent_event_json().read_new(document.root(), reading).apply_to(sent);
    reading.finish();
    // A line without an eventId is identified by the request's Idempotency-Key and its line number.
    std::optional<std::string> fallback;
    if (key) fallback = std::format("{} {}", *key, line.number);
    line.event = validator.validate(reading, document.root(), sent, fallback);
  } catch (const Problem& problem) {
    line.problem = problem;
  }
}

// Writes a line that could not be written with the batch.
boost::asio::awaitable<void> take_alone(operations::Input input, Memory memory, Line& line,
                                        contacts::NamingWish wish, std::int64_t types_version) {
  try {
    Receipt receipt;
    co_await write_alone(input, memory, *line.event, wish, types_version, line.reading, receipt,
                         operations::Keep::nothing);
    line.receipt = receipt;
  } catch (const Problem& problem) {
    if (problem.status() == 503) throw;
    line.problem = problem;
  }
}

}  // namespace

void write_problem(json::Writer& writer, const Problem& problem) {
  const ProblemKind& kind = kind_of(problem.code());
  writer.begin_object();
  writer.key("code").text(kind.name);
  writer.key("status").integer(kind.status);
  writer.key("title").text(kind.title);
  writer.key("detail").text(problem.detail());
  if (!problem.faults().empty()) {
    writer.key("errors");
    json::write(writer, problem.faults());
  }
  writer.end();
}

namespace {

operations::Output answer_of_lines(const std::vector<Line>& lines, bool queue) {
  const auto count = [&](std::string_view status) {
    return std::ranges::count_if(lines, [&](const Line& line) {
      return line.receipt ? line.receipt->status == status : status == "rejected";
    });
  };
  json::Writer writer;
  writer.begin_object();
  for (const std::string_view status : {"accepted", "duplicate", "rejected"})
    writer.key(status).integer(count(status));
  if (queue) writer.key("queued").integer(count("queued"));
  writer.key("results").begin_list();
  for (const auto& line : lines) {
    writer.begin_object().key("line").integer(static_cast<std::int64_t>(line.number));
    writer.key("status").text(line.receipt ? line.receipt->status : "rejected");
    if (line.receipt) {
      writer.key("id").text(line.receipt->id.to_string());
    } else {
      writer.key("problem");
      write_problem(writer, *line.problem);
    }
    writer.end();
  }
  writer.end().end();
  operations::Output output = operations::Output::json(writer.finish());
  if (queue) output.preferences_applied.emplace_back("respond-async");
  return output;
}

// Puts the lines into the queue. Lines that Kafka did not store remain for the database. A line
// that Kafka may have stored remains only if its eventId prevents a duplicate.
boost::asio::awaitable<void> enqueue(operations::Input input, EventQueue& queue,
                                     const EventValidator& validator, std::vector<Line>& lines) {
  std::vector<Line*> sent;
  std::vector<kafka::NewMessage> messages;
  for (auto& line : lines) {
    if (line.settled()) continue;
    sent.push_back(&line);
    const auto document = json::Document::parse_body(line.text);
    messages.push_back(message_of(input, *line.event, validator, document.root().to_json(),
                                  queue.topic().partitions()));
  }
  const auto delivered = co_await queue.put(std::move(messages));
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (delivered[i] == kafka::Delivery::durable) {
      sent[i]->receipt = Receipt{.id = sent[i]->event->uid,
                                 .status = "queued",
                                 .contact_id = {},
                                 .received_at = validator.now};
    } else if (delivered[i] == kafka::Delivery::unknown && !sent[i]->event->key_hash) {
      sent[i]->problem = delivery_unknown();
    }
  }
}

// Writes the unsettled lines through the intake. Throws TypesChanged.
boost::asio::awaitable<void> take_together(operations::Input input, Memory memory,
                                           std::vector<Line>& lines, contacts::NamingWish wish,
                                           std::int64_t types_version) {
  std::vector<Line*> left;
  left.reserve(lines.size());
  for (auto& line : lines)
    if (!line.settled()) left.push_back(&line);
  for (std::size_t from = 0; from < left.size(); from += limits::kEventsPerStatement) {
    const auto part =
        std::span{left}.subspan(from, std::min(limits::kEventsPerStatement, left.size() - from));
    std::vector<Taken> taken(part.size(), Taken{.outcome = Outcome::person});
    if (!wish.updates) {  // contact updates are written one by one
      std::vector<CustomEvent> events;
      events.reserve(part.size());
      for (const Line* line : part) events.push_back(*line->event);
      taken = co_await memory.intake->take(input.database(), input.scope(), types_version,
                                           std::move(events));
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (taken[i].outcome == Outcome::types) throw TypesChanged{};
      if (taken[i].outcome == Outcome::taken) {
        part[i]->receipt = Receipt{.id = part[i]->event->uid,
                                   .contact_id = taken[i].contact_id,
                                   .received_at = taken[i].received_at};
      } else {
        co_await take_alone(input, memory, *part[i], wish, types_version);
      }
    }
  }
}

using Types = std::shared_ptr<const integrations::EventTypeSet>;

// Reads the store's country, and returns its event types.
boost::asio::awaitable<Types> read_store_settings(operations::Input input, Memory memory,
                                                  EventValidator& validator) {
  pg::Group reads;
  contacts::read_knowledge(reads, input.account());
  integrations::read_definitions_version(reads, input.account());
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  validator.country = contacts::found_knowledge(found[0]).country;
  co_return co_await memory.types->get(input.database(), input.scope(),
                                       integrations::found_definitions_version(found[1]));
}

// Validates the lines by the cached event types and queues them. The database's definitions decide
// again about lines that the cached ones refuse, if it is available. Does nothing if the cache does
// not have the type.
boost::asio::awaitable<void> queue_lines(operations::Input input, FindType find, Memory memory,
                                         EventQueue& queue, std::vector<Line>& lines) {
  auto types = memory.types->remembered(input.account());
  if (find(input, *types) == nullptr) co_return;
  EventValidator validator{
      .input = &input, .now = input.clock().now(), .type = &type_of(input, find, *types)};
  for (auto& line : lines) validate_line(line, validator, std::nullopt);
  if (std::ranges::any_of(lines, [](const Line& line) { return line.problem.has_value(); })) {
    try {
      types = co_await read_store_settings(input, memory, validator);
      validator.type = &type_of(input, find, *types);
      for (auto& line : lines)
        if (std::exchange(line.problem, std::nullopt)) validate_line(line, validator, std::nullopt);
    } catch (const pg::Error& error) {
      if (!error.is_outage()) throw;
    }
  }
  co_await enqueue(input, queue, validator, lines);
}

// Validates the open lines by these event types, and writes them.
boost::asio::awaitable<void> attempt_lines(operations::Input input, FindType find, Memory memory,
                                           EventValidator& validator, std::vector<Line>& lines,
                                           contacts::NamingWish wish, Types types) {
  if (!types) types = co_await current_types(input, memory);
  validator.type = &type_of(input, find, *types);
  std::optional<std::string> key;
  if (const auto& sent = input.idempotency_key()) key = sent->key;
  for (auto& line : lines)
    if (!line.settled()) validate_line(line, validator, key);
  co_await take_together(input, memory, lines, wish, types->version());
}

}  // namespace

Answer take_lines(operations::Input input, FindType find, Memory memory) {
  const contacts::NamingWish wish = contacts::naming_wish_of(input);
  std::vector<Line> lines = lines_of(input.body_text(), input.reading());
  EventQueue* queue = queue_for(input, memory);
  if (queue != nullptr) co_await queue_lines(input, find, memory, *queue, lines);
  if (queue != nullptr && std::ranges::all_of(lines, &Line::settled))
    co_return answer_of_lines(lines, true);
  EventValidator validator{.input = &input, .now = input.clock().now()};
  const Types first = co_await read_store_settings(input, memory, validator);
  co_await operations::while_stale<TypesChanged>(
      [&](const std::optional<TypesChanged>& stale) {
        return attempt_lines(input, find, memory, validator, lines, wish, stale ? nullptr : first);
      },
      kTypesKeepChanging);
  co_return answer_of_lines(lines, queue != nullptr);
}

json::Schema lines_schema() {
  json::Schema result{.type = "object", .description = "The result of one line."};
  result.members = {
      {"line", {.type = "integer", .description = "Line number, from 1."}},
      {"status", {.type = "string", .options = {"accepted", "duplicate", "rejected", "queued"}}}};
  json::Schema problem{.type = "object", .description = "Why the line was rejected.", .open = true};
  result.optional_members = {{"id", {.type = "string", .format = "uuid"}}, {"problem", problem}};
  json::Schema results{.type = "array"};
  results.items = {result};
  json::Schema answer{.type = "object", .description = "The results of many events, line by line."};
  answer.members = {{"accepted", {.type = "integer"}},
                    {"duplicate", {.type = "integer"}},
                    {"rejected", {.type = "integer"}},
                    {"results", results}};
  answer.optional_members = {
      {"queued",
       {.type = "integer", .description = "Present if `Prefer: respond-async` was applied."}}};
  return answer;
}

}  // namespace shopbell::custom_events
