#include "liquid/reader.h"

#include <algorithm>
#include <array>
#include <format>

#include "liquid/characters.h"
#include "liquid/string_literal.h"

namespace shopbell::liquid {

namespace {

constexpr std::size_t kOperatorsMax = 100;  // in one expression

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The beginning of a text, for messages.
std::string quoted_start(std::string_view text) {
  const std::string_view start = characters(text, 0, 20);
  return std::format("`{}{}`", start, start.size() < text.size() ? "…" : "");
}

}  // namespace

Reader::Reader(Compiled& compiled, Scope& scope, std::string_view content)
    : compiled_{compiled},
      scope_{scope},
      source_{compiled.source},
      at_{static_cast<std::size_t>(content.data() - compiled.source.data())},
      end_{at_ + content.size()} {}

void Reader::fail(std::string message) const {
  throw SyntaxFault{static_cast<Place>(at_), std::move(message)};
}

char Reader::peek(std::size_t ahead) const {
  return at_ + ahead < end_ ? source_[at_ + ahead] : '\0';
}

void Reader::skip_blanks() { at_ += blanks_at_start(rest()); }

std::size_t Reader::position() {
  skip_blanks();
  return at_;
}

bool Reader::at_end() { return position() >= end_; }

void Reader::expect_end() {
  if (!at_end()) fail(std::format("{} is not expected here.", quoted_start(rest())));
}

bool Reader::accept(char c) {
  if (at_end() || peek() != c) return false;
  ++at_;
  return true;
}

void Reader::expect(char c, std::string_view after) {
  if (!accept(c)) fail(std::format("`{}` is missing after {}.", c, after));
}

bool Reader::accept_word(std::string_view word) {
  skip_blanks();
  if (rest().substr(0, name_length(rest())) != word) return false;
  at_ += word.size();
  return true;
}

std::string_view Reader::name() {
  skip_blanks();
  const std::string_view name = rest().substr(0, name_length(rest()));
  at_ += name.size();
  return name;
}

std::string_view Reader::expect_name(std::string_view what) {
  const std::string_view found = name();
  if (found.empty()) fail(std::format("The name of {} is missing.", what));
  return found;
}

std::optional<std::string_view> Reader::quoted() {
  skip_blanks();
  const char quote = peek();
  if (quote != '"' && quote != '\'') return std::nullopt;
  std::size_t end = at_ + 1;
  bool escaped = false;
  while (end < end_ && source_[end] != quote) {
    escaped = escaped || source_[end] == '\\';
    end += source_[end] == '\\' ? 2 : 1;
  }
  if (end >= end_) fail(std::format("The closing {} is missing.", quote));
  const std::string_view text = source_.substr(at_ + 1, end - at_ - 1);
  if (escaped && !is_valid_literal(text)) fail("This text has an escape that is no character.");
  at_ = end + 1;
  return escaped ? compiled_.texts.emplace_back(unescaped_literal(text)) : text;
}

std::optional<Number> Reader::number() {
  std::size_t length = peek() == '-' || peek() == '+' ? 1 : 0;
  const std::size_t digits = length;
  while (is_digit(peek(length))) ++length;
  if (length == digits) return std::nullopt;
  if (peek(length) == '.' && peek(length + 1) != '.') {
    ++length;
    while (is_digit(peek(length))) ++length;
  }
  if (name_length(rest().substr(length)) > 0) return std::nullopt;  // a name like 5th
  const auto number = parse_number(rest().substr(0, length));
  if (!number) fail("This number is too large: 18 digits are possible before the decimal point.");
  at_ += length;
  return number;
}

bool Reader::read_literal(Operand& operand) {
  static constexpr std::array<std::pair<std::string_view, Value (*)()>, 6> kLiterals{{
      {"true", [] { return Value{true}; }},
      {"false", [] { return Value{false}; }},
      {"nil", [] { return Value{}; }},
      {"null", [] { return Value{}; }},
      {"empty", [] { return Value{Special::empty}; }},
      {"blank", [] { return Value{Special::blank}; }},
  }};
  if (const auto text = quoted()) {
    operand.base = Value{*text};
    return true;
  }
  if (const auto value = number()) {
    operand.base = Value{*value};
    return true;
  }
  for (const auto& [word, value] : kLiterals) {
    if (!accept_word(word)) continue;
    operand.base = value();
    return true;
  }
  return false;
}

Range Reader::range() {
  if (++depth_ > kNestingMax) fail("Brackets are nested too deep.");
  Range range;
  range.first = std::make_unique<Operand>(operand());
  skip_blanks();
  if (!rest().starts_with("..")) fail("`..` is missing. A range is written as (1..5).");
  at_ += 2;
  range.last = std::make_unique<Operand>(operand());
  expect(')', "the range");
  --depth_;
  return range;
}

Operand Reader::operand() {
  Operand operand;
  if (at_end()) fail("A value is missing here.");
  if (!read_literal(operand)) {
    const std::size_t begin = at_;
    if (accept('(')) {
      operand.base = range();
    } else {
      const std::string_view variable = name();
      if (variable.empty()) fail(std::format("{} is not a value.", quoted_start(rest())));
      operand.base = scope_.resolve(variable, static_cast<Place>(begin));
    }
  }
  read_segments(operand);
  return operand;
}

void Reader::read_segments(Operand& operand) {
  while (true) {
    if (peek() == '.' && peek(1) != '.') {
      ++at_;
      const std::string_view member = rest().substr(0, name_length(rest()));
      if (member.empty()) fail("A name is missing after the dot.");
      at_ += member.size();
      operand.segments.emplace_back(member);
    } else if (peek() == '[') {
      if (++depth_ > kNestingMax) fail("Brackets are nested too deep.");
      ++at_;
      operand.segments.emplace_back(std::make_unique<Operand>(this->operand()));
      expect(']', "the value in brackets");
      --depth_;
    } else {
      return;
    }
  }
}

Expression Reader::binary(Operator operation, Expression left, Expression right) {
  Expression expression;
  expression.operation = operation;
  expression.left = std::make_unique<Expression>(std::move(left));
  expression.right = std::make_unique<Expression>(std::move(right));
  return expression;
}

// `and` and `or` have the same rank and are grouped from the right.
Expression Reader::logical() {
  if (++operators_ > kOperatorsMax) fail("The expression has more than 100 operators.");
  Expression left = negation();
  if (accept_word("and")) return binary(Operator::logical_and, std::move(left), logical());
  if (accept_word("or")) return binary(Operator::logical_or, std::move(left), logical());
  return left;
}

Expression Reader::negation() {
  if (!accept_word("not")) return comparison();
  if (++operators_ > kOperatorsMax) fail("The expression has more than 100 operators.");
  Expression expression;
  expression.operation = Operator::logical_not;
  expression.right = std::make_unique<Expression>(negation());
  return expression;
}

Expression Reader::comparison() {
  if (++operators_ > kOperatorsMax) fail("The expression has more than 100 operators.");
  Expression left;
  left.operand = operand();
  const auto operation = comparison_operator();
  if (!operation) return left;
  return binary(*operation, std::move(left), comparison());
}

std::optional<Operator> Reader::comparison_operator() {
  // Longer operators come first.
  static constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators{{
      {"==", Operator::equal},
      {"!=", Operator::not_equal},
      {"<=", Operator::less_or_equal},
      {">=", Operator::greater_or_equal},
      {"<", Operator::less},
      {">", Operator::greater},
  }};
  skip_blanks();
  for (const auto& [text, operation] : kOperators) {
    if (!rest().starts_with(text)) continue;
    at_ += text.size();
    return operation;
  }
  if (accept_word("contains")) return Operator::contains;
  if (peek() == '=') fail("`=` is not an operator. Use `==` to compare.");
  if (rest().starts_with("&&")) fail("Use `and` in place of `&&`.");
  if (rest().starts_with("||")) fail("Use `or` in place of `||`.");
  return std::nullopt;
}

Filtered Reader::filtered() {
  operators_ = 0;
  Filtered value;
  value.expression = logical();
  while (accept('|')) value.filters.push_back(filter_call());
  if (!at_end() && peek() != ',') expect_end();
  return value;
}

}  // namespace shopbell::liquid
