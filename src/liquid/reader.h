// Reader: reads names, operands and expressions from the content of one tag or output.
#pragma once

#include <string>
#include <string_view>

#include "liquid/nodes.h"
#include "liquid/scope.h"

namespace shopbell::liquid {

// All functions skip white space before they read, and throw SyntaxFault.
class Reader {
 public:
  // `content` must be a part of `compiled.source`.
  Reader(Compiled& compiled, Scope& scope, std::string_view content);

  bool at_end();
  void expect_end();
  bool accept(char c);
  bool accept_word(std::string_view word);
  void expect(char c, std::string_view after);

  // Returns an empty text if there is no name.
  std::string_view name();
  std::string_view expect_name(std::string_view what);
  Operand operand();
  // A value with operators and filters; ends before a comma.
  Filtered filtered();
  // A text in quotes, as a value; nullopt if there is none.
  std::optional<std::string_view> quoted();

  // The rest of the text, and the part that was read since `begin`.
  std::string_view rest() const { return source_.substr(at_, end_ - at_); }
  std::string_view since(std::size_t begin) const { return source_.substr(begin, at_ - begin); }
  std::size_t position();
  void go_back(std::size_t position) { at_ = position; }

 private:
  [[noreturn]] void fail(std::string message) const;
  char peek(std::size_t ahead = 0) const;
  void skip_blanks();

  Expression logical();
  Expression negation();
  Expression comparison();
  std::optional<Operator> comparison_operator();
  Expression binary(Operator operation, Expression left, Expression right);
  std::optional<Number> number();
  bool read_literal(Operand& operand);
  Range range();
  void read_segments(Operand& operand);

  FilterCall filter_call();
  void read_arguments(FilterCall& call);
  bool read_named_argument(FilterCall& call);
  void check_arguments(const FilterCall& call) const;

  Compiled& compiled_;
  Scope& scope_;
  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t depth_ = 0;      // of brackets
  std::size_t operators_ = 0;  // of this tag
};

}  // namespace shopbell::liquid
