#include "json/difference.h"

#include <algorithm>

#include "json/document.h"
#include "json/writer.h"

namespace shopbell::json {

namespace {

void write_object(Writer& writer, const Difference::Members& members) {
  writer.begin_object();
  for (const auto& [name, value] : members) writer.key(name).written(value);
  writer.end();
}

std::string to_object(const Difference::Members& members) {
  Writer writer;
  write_object(writer, members);
  return writer.finish();
}

}  // namespace

Difference::Difference(const Members& before, const Members& after, const Rules& rules) {
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto& [name, value] = after[i];
    const std::string& old_value = before[i].second;
    if (value == old_value || std::ranges::contains(rules.silent, name)) continue;
    if (std::ranges::contains(rules.nested, name)) {
      add_nested(name, old_value, value);
      continue;
    }
    changed_.push_back(name);
    before_.emplace_back(name, old_value);
    after_.emplace_back(name, value);
  }
}

void Difference::add_nested(const std::string& name, const std::string& before,
                            const std::string& after) {
  const auto old_document = Document::parse(before);
  const auto new_document = Document::parse(after);
  const auto collect = [&](const Value& from, const Value& other) {
    Members different;
    from.for_each([&](std::string_view id, const Value& entry) {
      const auto theirs = other.member(id);
      if (theirs && theirs->to_json() == entry.to_json()) return;
      std::string path = name + "." + std::string{id};
      if (!std::ranges::contains(changed_, path)) changed_.push_back(std::move(path));
      different.emplace_back(id, entry.to_json());
    });
    return to_object(different);
  };
  std::string new_entries = collect(new_document->root(), old_document->root());
  before_.emplace_back(name, collect(old_document->root(), new_document->root()));
  after_.emplace_back(name, std::move(new_entries));
}

bool Difference::names(std::string_view member) const {
  return std::ranges::contains(changed_, member);
}

std::string Difference::payload(const Members& more) const {
  Writer writer;
  writer.begin_object();
  for (const auto& [name, value] : more) writer.key(name).json(value);
  writer.key("changed").begin_list();
  for (const auto& name : changed_) writer.text(name);
  writer.end();
  write_object(writer.key("before"), before_);
  write_object(writer.key("after"), after_);
  writer.end();
  return writer.finish();
}

}  // namespace shopbell::json
