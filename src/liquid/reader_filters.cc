#include <format>

#include "liquid/reader.h"
#include "liquid/suggest.h"

namespace shopbell::liquid {

namespace {

std::string count_of(std::size_t count) {
  return count == 1 ? "1 argument" : std::format("{} arguments", count);
}

// "at least 1 argument", "no arguments"
std::string wanted_arguments(const Filter& filter) {
  if (filter.arguments_max == 0) return "no arguments";
  if (filter.arguments_min == filter.arguments_max) return count_of(filter.arguments_min);
  if (filter.arguments_min == 0) return std::format("at most {}", count_of(filter.arguments_max));
  return std::format("{} to {}", filter.arguments_min, count_of(filter.arguments_max));
}

}  // namespace

FilterCall Reader::filter_call() {
  FilterCall call;
  call.place = static_cast<Place>(position());
  const std::string_view found = expect_name("a filter after `|`");
  call.filter = find_filter(found);
  if (call.filter == nullptr) {
    throw SyntaxFault{call.place, std::format("There is no filter `{}`. {}", found,
                                              suggestion(found, filter_names()))};
  }
  if (accept(':')) read_arguments(call);
  check_arguments(call);
  return call;
}

void Reader::read_arguments(FilterCall& call) {
  do {
    if (!read_named_argument(call)) call.arguments.push_back(operand());
  } while (accept(','));
}

// `allow_false: true` is the only argument with a name.
bool Reader::read_named_argument(FilterCall& call) {
  const std::size_t begin = position();
  const std::string_view argument = name();
  if (argument.empty() || !accept(':')) {
    go_back(begin);
    return false;
  }
  if (argument != "allow_false" || call.filter->name != "default") {
    throw SyntaxFault{static_cast<Place>(begin),
                      std::format("The filter `{}` has no argument with the name `{}`.",
                                  call.filter->name, argument)};
  }
  call.allow_false = operand();
  return true;
}

void Reader::check_arguments(const FilterCall& call) const {
  const Filter& filter = *call.filter;
  const std::size_t count = call.arguments.size();
  if (count < filter.arguments_min || count > filter.arguments_max) {
    throw SyntaxFault{call.place, std::format("The filter `{}` takes {}, not {}.", filter.name,
                                              wanted_arguments(filter), count)};
  }
  if (filter.name != "date") return;
  const auto* literal = std::get_if<Value>(&call.arguments[0].base);
  const auto* format = literal == nullptr ? nullptr : literal->as<std::string_view>();
  if (format == nullptr || unknown_conversion(*format).empty()) return;
  throw SyntaxFault{call.place,
                    std::format("The filter `date` does not know `{}`. It knows %a %A %b %B %d %e "
                                "%H %I %j %k %l %m %M %p %S %y %Y %z %Z %%, and a `-` before the "
                                "letter for no leading zero.",
                                unknown_conversion(*format))};
}

}  // namespace shopbell::liquid
