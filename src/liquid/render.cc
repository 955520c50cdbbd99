#include "liquid/render.h"

#include <algorithm>
#include <format>

#include "liquid/escape.h"
#include "liquid/evaluator.h"

namespace shopbell::liquid {

namespace {

// The effect of a block's end on the loop around it.
enum class Flow : std::uint8_t { on, next_item, leave_loop };

class Renderer {
 public:
  Renderer(const Compiled& compiled, const Data& data, const Context& context)
      : compiled_{compiled},
        evaluator_{compiled, data, context},
        work_{evaluator_.work()},
        output_bytes_max_{context.budgets.output_bytes} {}

  std::expected<Rendered, Fault> run() {
    try {
      block(compiled_.body);
    } catch (Stop& stop) {
      return std::unexpected{
          fault_at(compiled_.source, evaluator_.place(), std::move(stop.message))};
    }
    return Rendered{std::move(text_), std::move(work_.products_asked)};
  }

 private:
  Flow block(const Block& nodes) {
    for (const Node& node : nodes) {
      work_.step();
      evaluator_.set_place(node.place);
      const Flow flow =
          std::visit([&](const auto& content) { return render(content); }, node.content);
      if (flow != Flow::on) return flow;
    }
    return Flow::on;
  }

  // Values of one output or condition are needed no longer than it.
  template <class Use>
  auto temporarily(Use use) {
    const Arena::Mark mark = work_.mark();
    const auto result = use();
    work_.release(mark);
    return result;
  }

  void require_output_room(std::size_t bytes) {
    if (text_.size() + bytes <= output_bytes_max_) return;
    throw Stop{std::format("The text is longer than {} KiB.", output_bytes_max_ / 1024)};
  }

  void write(std::string_view text, bool escaped) {
    require_output_room(text.size());
    work_.step(text.size());
    if (escaped) {
      append_escaped(text_, text);
      require_output_room(0);
    } else if (compiled_.part == Part::subject) {
      append_as_one_line(text);
    } else {
      text_ += text;
    }
  }

  // Each line break becomes one space.
  void append_as_one_line(std::string_view text) {
    for (const char c : text) {
      const bool second_half = c == '\n' && after_cr_;
      after_cr_ = c == '\r';
      if (!second_half) text_ += c == '\n' || c == '\r' ? ' ' : c;
    }
  }

  void write_value(const Value& value, bool escaped) {
    if (const auto* number = value.as<Number>()) return write(number->to_string(), false);
    if (is_list(value)) {
      const List list = work_.items_of(value);
      for (std::size_t i = 0; i < list.size; ++i) write_value(list.items[i], escaped);
      return;
    }
    write(work_.text_of(value), escaped);
  }

  Flow render(std::string_view text) {
    write(text, false);
    return Flow::on;
  }

  Flow render(const Output& output) {
    return temporarily([&] {
      write_value(evaluator_.filtered(output.value), output.escaped);
      return Flow::on;
    });
  }

  Flow render(const If& node) {
    for (const auto& branch : node.branches) {
      const bool chosen = !branch.condition || temporarily([&] {
                                                 return evaluator_.is_met(*branch.condition);
                                               }) != branch.negated;
      if (chosen) return block(branch.body);
    }
    return Flow::on;
  }

  // Every branch with an equal value is rendered, not only the first.
  Flow render(const Case& node) {
    const Value value = evaluator_.filtered(node.value);
    bool found = false;
    for (const auto& when : node.whens) {
      const bool equal = std::ranges::any_of(when.values, [&](const Operand& candidate) {
        return are_equal(work_, value, evaluator_.operand(candidate));
      });
      if (!equal) continue;
      found = true;
      if (const Flow flow = block(when.body); flow != Flow::on) return flow;
    }
    return found ? Flow::on : block(node.otherwise);
  }

  std::int64_t count_of(const Operand& operand) {
    return to_integer(number_of(evaluator_.operand(operand)));
  }

  // The items that a loop walks; negative counts are from the end.
  std::span<const Value> selected(const For& node, std::span<const Value> items) {
    const auto place_in = [](std::int64_t count, std::size_t size) {
      const auto length = static_cast<std::int64_t>(size);
      return static_cast<std::size_t>(
          std::clamp<std::int64_t>(count < 0 ? length + count : count, 0, length));
    };
    if (node.offset) items = items.subspan(place_in(count_of(*node.offset), items.size()));
    if (node.limit) items = items.first(place_in(count_of(*node.limit), items.size()));
    return items;
  }

  // A text is one item, an object a list of its names and values.
  List items_to_walk(const Value& value) {
    if (is_list(value)) return work_.items_of(value);
    if (const auto* text = value.as<std::string_view>())
      return text->empty() ? List{} : work_.keep(std::span{&value, 1});
    const auto* object = value.as<Object>();
    if (object == nullptr) return {};
    std::vector<Value> pairs;
    object->json.for_each([&](std::string_view name, json::Value member) {
      const std::array<Value, 2> pair{Value{name}, from_json(member, false, name)};
      pairs.emplace_back(work_.keep(pair));
    });
    return work_.keep(pairs);
  }

  Flow render(const For& node) {
    const Arena::Mark mark = work_.mark();
    const std::size_t assigned_before = assignments_;
    std::string_view currency;
    const Value list = evaluator_.operand_with_currency(node.list, &currency);
    const List all = items_to_walk(list);
    if (all.size == 0) return block(node.otherwise);
    const auto items = selected(node, {all.items, all.size});
    evaluator_.loops().push_back({.length = items.size(), .currency = currency});
    for (std::size_t i = 0; i < items.size(); ++i) {
      work_.step();
      Loop& loop = evaluator_.loops().back();
      loop.index = i;
      loop.item = items[node.reversed ? items.size() - 1 - i : i];
      if (block(node.body) == Flow::leave_loop) break;
    }
    evaluator_.loops().pop_back();
    if (assignments_ == assigned_before) work_.release(mark);
    return Flow::on;
  }

  Flow render(const Assign& node) {
    ++assignments_;
    const Arena::Mark mark = work_.mark();
    Value value = evaluator_.filtered(node.value);
    const auto* text = value.as<std::string_view>();
    if (text != nullptr && !node.value.filters.empty()) {
      // The values that the filters made on the way are not needed any more.
      const std::string copy{*text};
      work_.release(mark);
      value = work_.keep(copy);
    } else if (!value.is<List>()) {
      work_.release(mark);
    }
    evaluator_.assign(node.name, value);
    return Flow::on;
  }

  Flow render(const Capture& node) {
    std::string around = std::exchange(text_, {});
    const Flow flow = block(node.body);
    const std::string captured = std::exchange(text_, std::move(around));
    ++assignments_;
    evaluator_.assign(node.name, work_.keep(captured));
    return flow;
  }

  Flow render(const Cycle& node) {
    return temporarily([&] {
      std::string key{node.key};
      if (node.group) key.append(1, ':').append(work_.text_of(evaluator_.operand(*node.group)));
      work_.step(key.size());
      std::size_t& next = cycles_[key];
      const std::size_t at = next % node.values.size();
      next = at + 1;
      write_value(evaluator_.filtered(node.values[at]), node.escaped[at]);
      return Flow::on;
    });
  }

  Flow render(Jump jump) { return jump == Jump::leave_loop ? Flow::leave_loop : Flow::next_item; }

  const Compiled& compiled_;
  Evaluator evaluator_;
  Workspace& work_;
  std::size_t output_bytes_max_;
  std::string text_;
  bool after_cr_ = false;
  std::size_t assignments_ = 0;
  std::map<std::string, std::size_t, std::less<>> cycles_;
};

}  // namespace

std::expected<Rendered, Fault> render(const Template& compiled, const Data& data,
                                      const Context& context) {
  return Renderer{compiled.compiled(), data, context}.run();
}

}  // namespace shopbell::liquid
