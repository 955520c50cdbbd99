// Workspace: what the evaluation of one rendering shares: data, budgets, memory, missing products.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liquid/arena.h"
#include "liquid/render.h"
#include "liquid/value.h"

namespace shopbell::liquid {

// Thrown to end a rendering; the renderer adds the place.
struct Stop {
  std::string message;
};

class Workspace {
 public:
  Workspace(const Data& read_data, const Context& read_context)
      : data{read_data}, context{read_context} {}

  // Counts one step, and more for the bytes that it processes. Throws Stop beyond the budget.
  void step(std::size_t bytes = 0) {
    steps_ += 1 + bytes / kBytesPerStep;
    if (steps_ > context.budgets.steps) stop_for_steps();
  }

  // Counts what find_in() takes beyond reading the text once.
  void step_for_search(std::string_view text, std::string_view pattern) {
    step(text.size() / 16 * std::min<std::size_t>(pattern.size(), 256));
  }

  // Keep a value until the end of the rendering or the release of an earlier mark.
  std::string_view keep(std::string_view text);
  List keep(std::span<const Value> items);
  // Appends to a text that is not kept yet, within the budget.
  void append(std::string& text, std::string_view more) const {
    require_room(text.size() + more.size());
    text += more;
  }
  // Memory for a list of that many nil values.
  std::span<Value> reserve(std::size_t items);

  Arena::Mark mark() const { return arena_.mark(); }
  void release(Arena::Mark mark) { arena_.release(mark); }

  // The text that the value prints: a list without separators, an object nothing.
  std::string_view text_of(const Value& value);
  // The elements of a list; another value is a list of itself, nil is empty.
  List items_of(const Value& value);

  // The product of that id; nil if it was not loaded. Asks for it then.
  Value product(std::string_view id);

  // Read a member or an element; nil if there is none.
  Value member(const Value& base, std::string_view name);
  Value element(const Value& base, const Value& key);
  // Reads "price" or "product.name".
  Value at_path(Value base, std::string_view path);

  const Data& data;
  const Context& context;
  std::vector<std::string> products_asked;

 private:
  // Processing that many bytes takes about as long as a step.
  static constexpr std::size_t kBytesPerStep = 32;

  [[noreturn]] void stop_for_steps() const;
  void require_room(std::size_t bytes) const;
  Value member_of_list(const Value& list, std::string_view name);

  Arena arena_;
  std::size_t steps_ = 0;
};

// Compare as `==` and `contains` do: no value is converted to another type.
bool are_equal(Workspace& work, const Value& left, const Value& right);
// Less than 0, 0 or greater than 0; nullopt if the types differ or have no order.
std::optional<int> order_of(const Value& left, const Value& right);
bool contains(Workspace& work, const Value& whole, const Value& part);

}  // namespace shopbell::liquid
