#include "liquid/workspace.h"

#include <algorithm>
#include <format>
#include <memory>

#include "base/text.h"
#include "liquid/characters.h"

namespace shopbell::liquid {

namespace {

// An object or list of the data is searched from its start: each step covers some members.
constexpr std::size_t kBytesPerMember = 4;

void append_text(std::string& text, const Value& value, Workspace& work) {
  if (const auto* string = value.as<std::string_view>()) {
    work.append(text, *string);
  } else if (const auto* number = value.as<Number>()) {
    work.append(text, number->to_string());
  } else if (const auto* truth = value.as<bool>()) {
    work.append(text, *truth ? "true" : "false");
  } else if (is_list(value)) {
    const List list = work.items_of(value);
    for (std::size_t i = 0; i < list.size; ++i) append_text(text, list.items[i], work);
  }
}

Value member_of_loop(const Loop& loop, std::string_view name) {
  const auto number = [](std::size_t value) {
    return whole_number(static_cast<std::int64_t>(value));
  };
  if (name == "index") return number(loop.index + 1);
  if (name == "index0") return number(loop.index);
  if (name == "rindex") return number(loop.length - loop.index);
  if (name == "rindex0") return number(loop.length - loop.index - 1);
  if (name == "first") return loop.index == 0;
  if (name == "last") return loop.index + 1 == loop.length;
  if (name == "length") return number(loop.length);
  return Nil{};
}

}  // namespace

void Workspace::stop_for_steps() const {
  throw Stop{
      std::format("The template takes more than {} steps. Loops and filters on long texts "
                  "take the most.",
                  context.budgets.steps)};
}

void Workspace::require_room(std::size_t bytes) const {
  if (bytes <= context.budgets.value_bytes && arena_.bytes() + bytes <= context.budgets.value_bytes)
    return;
  throw Stop{std::format("Variables and lists take more than {} KiB of memory.",
                         context.budgets.value_bytes / 1024)};
}

std::string_view Workspace::keep(std::string_view text) {
  require_room(text.size());
  step(text.size());
  return arena_.copy(text);
}

std::span<Value> Workspace::reserve(std::size_t items) {
  require_room(std::min(items, context.budgets.value_bytes) * sizeof(Value));
  step(items * kBytesPerMember);
  auto* memory = static_cast<Value*>(arena_.allocate(items * sizeof(Value)));
  std::uninitialized_default_construct_n(memory, items);
  return {memory, items};
}

List Workspace::keep(std::span<const Value> items) {
  const std::span<Value> kept = reserve(items.size());
  std::ranges::copy(items, kept.begin());
  return {kept.data(), kept.size()};
}

std::string_view Workspace::text_of(const Value& value) {
  if (const auto* text = value.as<std::string_view>()) return *text;
  if (value.is<Nil>() || value.is<Object>()) return {};
  std::string text;
  append_text(text, value, *this);
  return keep(text);
}

List Workspace::items_of(const Value& value) {
  if (const auto* list = value.as<List>()) return *list;
  if (value.is<Nil>()) return {};
  const auto* json = value.as<JsonList>();
  if (json == nullptr) return keep(std::span{&value, 1});
  const std::span<Value> items = reserve(json->json.size());
  std::size_t next = 0;
  json->json.for_each([&](std::string_view, json::Value element) {
    items[next++] = from_json(element, json->lines);
  });
  return {items.data(), items.size()};
}

Value Workspace::product(std::string_view id) {
  if (const auto found = data.products.find(id); found != data.products.end())
    return from_json(found->second);
  if (id.empty() || std::ranges::contains(products_asked, id)) return Nil{};
  if (products_asked.size() < context.budgets.products) products_asked.emplace_back(id);
  return Nil{};
}

Value Workspace::member_of_list(const Value& list, std::string_view name) {
  if (const auto* json = list.as<JsonList>(); json != nullptr && name == "size")
    return whole_number(static_cast<std::int64_t>(json->json.size()));
  if (name != "size" && name != "first" && name != "last") return Nil{};
  const List items = items_of(list);
  if (name == "size") return whole_number(static_cast<std::int64_t>(items.size));
  if (items.size == 0) return Nil{};
  return items.items[name == "first" ? 0 : items.size - 1];
}

Value Workspace::member(const Value& base, std::string_view name) {
  step();
  if (const auto* object = base.as<Object>()) {
    step(object->json.size() * kBytesPerMember);
    if (const auto found = object->json.member(name)) return from_json(*found, false, name);
    if (object->line && name == "product") return product(text_of(member(base, "productId")));
    if (name != "size") return Nil{};
    return whole_number(static_cast<std::int64_t>(object->json.size()));
  }
  if (is_list(base)) return member_of_list(base, name);
  if (base.is<Products>()) return product(name);
  if (const auto* loop = base.as<const Loop*>()) return member_of_loop(**loop, name);
  if (const auto* text = base.as<std::string_view>(); text != nullptr && name == "size")
    return whole_number(static_cast<std::int64_t>(count_characters(*text)));
  return Nil{};
}

Value Workspace::element(const Value& base, const Value& key) {
  const auto* number = key.as<Number>();
  const bool list = is_list(base);
  const auto* text = base.as<std::string_view>();
  if (number == nullptr || (!list && text == nullptr)) {
    if (number == nullptr && !key.is<std::string_view>()) return Nil{};
    return member(base, text_of(key));
  }
  step();
  if (!rounded_down(*number) || rounded_down(*number)->value != number->value) return Nil{};
  std::int64_t index = to_integer(*number);
  if (text != nullptr) {
    step(text->size());
    if (index < 0) return Nil{};
    const std::string_view character = characters(*text, static_cast<std::size_t>(index), 1);
    return character.empty() ? Value{Nil{}} : Value{character};
  }
  const List items = items_of(base);
  if (index < 0) index += static_cast<std::int64_t>(items.size);
  if (index < 0 || std::cmp_greater_equal(index, items.size)) return Nil{};
  return items.items[index];
}

Value Workspace::at_path(Value base, std::string_view path) {
  while (true) {
    const std::size_t dot = path.find('.');
    base = member(base, path.substr(0, dot));
    if (dot == std::string_view::npos) return base;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace shopbell::liquid
