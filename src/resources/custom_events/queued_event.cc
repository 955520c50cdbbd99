#include "resources/custom_events/queued_event.h"

#include <charconv>
#include <format>

#include "base/digest.h"
#include "json/document.h"
#include "json/writer.h"

namespace shopbell::custom_events {

namespace {

constexpr std::int64_t kFormat = 1;  // version of the message format

std::optional<std::string_view> text_in(const json::Value& object, std::string_view name) {
  const auto member = object.member(name);
  if (!member || member->type() != json::Type::text) return std::nullopt;
  return member->text();
}

std::optional<std::int64_t> number_in(const json::Value& object, std::string_view name) {
  const auto member = object.member(name);
  if (!member || member->type() != json::Type::number) return std::nullopt;
  const std::string_view digits = member->number_text();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string QueuedEvent::to_json() const {
  json::Writer writer;
  writer.begin_object();
  writer.key("format").integer(kFormat);
  writer.key("account").integer(account);
  writer.key("id").text(id.to_string());
  writer.key("receivedAt").text(to_rfc3339(received_at));
  writer.key("type").text(type_id.to_string());
  writer.key("parameters").begin_object();
  for (const auto& [name, value] : parameters) writer.key(name).text(value);
  writer.end();
  writer.key("lenient").boolean(lenient);
  writer.key("body").written(body);
  writer.end();
  return writer.finish();
}

std::optional<QueuedEvent> QueuedEvent::parse(std::string_view json) {
  const auto document = json::Document::parse(json);
  if (!document || document->root().type() != json::Type::object) return std::nullopt;
  const json::Value root = document->root();
  const auto account = number_in(root, "account");
  const auto id = text_in(root, "id").and_then(Uuid::parse);
  const auto received_at = text_in(root, "receivedAt").and_then(parse_rfc3339);
  const auto type_id = text_in(root, "type").and_then(Uuid::parse);
  const auto parameters = root.member("parameters");
  const auto lenient = root.member("lenient");
  const auto body = root.member("body");
  if (number_in(root, "format") != kFormat || !account || !id || !received_at || !type_id ||
      !parameters || !lenient || lenient->type() != json::Type::boolean || !body)
    return std::nullopt;
  QueuedEvent event{.account = *account,
                    .id = *id,
                    .received_at = *received_at,
                    .type_id = *type_id,
                    .lenient = lenient->boolean(),
                    .body = body->to_json()};
  parameters->for_each([&](std::string_view name, const json::Value& value) {
    if (value.type() == json::Type::text) event.parameters.emplace_back(name, value.text());
  });
  return event;
}

std::int32_t partition_of(std::int64_t account, std::string_view identifier, int partitions) {
  const Sha256 hash = sha256(std::format("{} {}", account, identifier));
  return hash[0] % partitions;
}

}  // namespace shopbell::custom_events
