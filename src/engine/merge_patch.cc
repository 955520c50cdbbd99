#include "engine/merge_patch.h"

#include "base/decimal.h"
#include "json/writer.h"

namespace shopbell::engine {

namespace {

std::optional<Decimal> number_of(const std::optional<json::Value>& value) {
  if (value && value->type() == json::Type::number) return Decimal::parse(value->number_text());
  if (value && value->type() == json::Type::text) return Decimal::parse(value->text());
  return std::nullopt;
}

void write_merged(json::Writer& writer, const std::optional<json::Value>& base,
                  const json::Value& patch) {
  if (patch.type() != json::Type::object) {
    writer.written(patch.to_json());
    return;
  }
  const bool is_object = base && base->type() == json::Type::object;
  const auto add = patch.member("add");
  if (add && !is_object && patch.size() == 1) {
    const Decimal before = number_of(base).value_or(Decimal{});
    const Decimal added = number_of(add).value_or(Decimal{});  // a missing value adds nothing
    writer.written(before.plus(added).value_or(before).to_string());
    return;
  }
  writer.begin_object();
  if (is_object)
    base->for_each([&](std::string_view name, const json::Value& member) {
      if (patch.member(name)) return;
      writer.key(name).written(member.to_json());
    });
  patch.for_each([&](std::string_view name, const json::Value& member) {
    if (member.type() == json::Type::null) return;
    writer.key(name);
    write_merged(writer, is_object ? base->member(name) : std::nullopt, member);
  });
  writer.end();
}

}  // namespace

std::string merged(const json::Value& base, const json::Value& patch) {
  json::Writer writer;
  write_merged(writer, base, patch);
  return writer.finish();
}

}  // namespace shopbell::engine
