// Filters on texts.
#include <algorithm>
#include <array>

#include "base/letter_case.h"
#include "base/text.h"
#include "liquid/characters.h"
#include "liquid/filters.h"

namespace shopbell::liquid {

namespace {

Value append(const FilterInput& in) {
  std::string text;
  in.work.append(text, in.text());
  in.work.append(text, in.text_argument(0));
  return in.work.keep(text);
}

Value prepend(const FilterInput& in) {
  std::string text;
  in.work.append(text, in.text_argument(0));
  in.work.append(text, in.text());
  return in.work.keep(text);
}

Value upcase(const FilterInput& in) { return in.work.keep(upper_case(in.text())); }
Value downcase(const FilterInput& in) { return in.work.keep(lower_case(in.text())); }

Value capitalize(const FilterInput& in) {
  const std::string_view text = in.text();
  const std::string_view first = characters(text, 0, 1);
  return in.work.keep(upper_case(first) + lower_case(text.substr(first.size())));
}

// Replaces every occurrence. An empty pattern stands between all characters.
Value replaced(const FilterInput& in, std::string_view pattern, std::string_view replacement) {
  const std::string_view text = in.text();
  std::string result;
  std::size_t at = 0;
  in.work.step_for_search(text, pattern);
  while (at < text.size()) {
    const std::size_t found =
        pattern.empty() ? after_characters(text, at, 1) : find_in(text, pattern, at);
    if (found == npos || found >= text.size()) break;
    in.work.append(result, text.substr(at, found - at));
    in.work.append(result, replacement);
    in.work.step();
    at = found + pattern.size();
  }
  in.work.append(result, text.substr(at));
  return in.work.keep(result);
}

Value replaced_once(const FilterInput& in, std::string_view pattern, std::string_view replacement) {
  const std::string_view text = in.text();
  in.work.step_for_search(text, pattern);
  const std::size_t at = find_in(text, pattern);
  if (at == npos) return text;
  std::string result;
  in.work.append(result, text.substr(0, at));
  in.work.append(result, replacement);
  in.work.append(result, text.substr(at + pattern.size()));
  return in.work.keep(result);
}

Value replace(const FilterInput& in) {
  return replaced(in, in.text_argument(0),
                  in.has_argument(1) ? in.text_argument(1) : std::string_view{});
}
Value remove(const FilterInput& in) { return replaced(in, in.text_argument(0), {}); }

Value replace_first(const FilterInput& in) {
  return replaced_once(in, in.text_argument(0),
                       in.has_argument(1) ? in.text_argument(1) : std::string_view{});
}
Value remove_first(const FilterInput& in) { return replaced_once(in, in.text_argument(0), {}); }

Value lstrip(const FilterInput& in) {
  const std::string_view text = in.text();
  return text.substr(blanks_at_start(text));
}

Value rstrip(const FilterInput& in) {
  const std::string_view text = in.text();
  return text.substr(0, text.size() - blanks_at_end(text));
}

Value strip(const FilterInput& in) {
  std::string_view text = in.text();
  text.remove_prefix(blanks_at_start(text));
  return text.substr(0, text.size() - blanks_at_end(text));
}

// Removes LF and CR LF.
Value strip_newlines(const FilterInput& in) {
  const std::string_view text = in.text();
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool line_end =
        text[i] == '\n' || (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    if (!line_end) result += text[i];
  }
  return in.work.keep(result);
}

// A count from an argument, not less than 0.
std::size_t count_argument(const FilterInput& in, std::size_t at, std::size_t otherwise) {
  if (!in.has_argument(at)) return otherwise;
  return static_cast<std::size_t>(
      std::max<std::int64_t>(to_integer(number_of(in.arguments[at])), 0));
}

// The ellipsis counts: a text of at most `length` characters stays as it is.
Value truncate(const FilterInput& in) {
  const std::size_t length = count_argument(in, 0, 50);
  const std::string_view ellipsis = in.has_argument(1) ? in.text_argument(1) : "...";
  const std::string_view text = in.text();
  if (after_characters(text, 0, length) >= text.size()) return in.value;
  const std::size_t kept = length - std::min(length, count_characters(ellipsis));
  std::string result;
  in.work.append(result, characters(text, 0, kept));
  in.work.append(result, ellipsis);
  return in.work.keep(result);
}

// Adds the ellipsis also to a text of exactly that many words, as LiquidJS does.
Value truncatewords(const FilterInput& in) {
  const std::size_t words_max = std::max<std::size_t>(count_argument(in, 0, 15), 1);
  const std::string_view ellipsis = in.has_argument(1) ? in.text_argument(1) : "...";
  std::string_view text = in.text();
  text.remove_prefix(blanks_at_start(text));
  std::string result;
  std::size_t words = 0;
  for (; words < words_max; ++words) {
    std::size_t end = 0;
    while (end < text.size() && blanks_at_start(text.substr(end)) == 0)
      end = after_characters(text, end, 1);
    if (words > 0) result += ' ';
    result += text.substr(0, end);
    text.remove_prefix(end);
    if (text.empty()) {
      ++words;
      break;
    }
    text.remove_prefix(blanks_at_start(text));
  }
  if (words >= words_max) in.work.append(result, ellipsis);
  return in.work.keep(result);
}

// Without a separator, into characters. Empty parts at the end are left out.
Value split(const FilterInput& in) {
  const std::string_view text = in.text();
  const std::string_view separator = in.text_argument(0);
  in.work.step_for_search(text, separator);
  std::vector<Value> parts;
  std::size_t filled = 0;  // parts up to the last one that is not empty
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = separator.empty()
                                  ? after_characters(text, at, 1)
                                  : std::min(find_in(text, separator, at), text.size());
    in.work.step();
    parts.emplace_back(text.substr(at, found - at));
    if (found > at) filled = parts.size();
    at = found + separator.size();
  }
  return in.work.keep(std::span{parts.data(), filled});
}

constexpr std::array kTextFilters{
    Filter{"append", 1, 1, append},
    Filter{"capitalize", 0, 0, capitalize},
    Filter{"downcase", 0, 0, downcase},
    Filter{"lstrip", 0, 0, lstrip},
    Filter{"prepend", 1, 1, prepend},
    Filter{"remove", 1, 1, remove},
    Filter{"remove_first", 1, 1, remove_first},
    Filter{"replace", 1, 2, replace},
    Filter{"replace_first", 1, 2, replace_first},
    Filter{"rstrip", 0, 0, rstrip},
    Filter{"split", 1, 1, split},
    Filter{"strip", 0, 0, strip},
    Filter{"strip_newlines", 0, 0, strip_newlines},
    Filter{"truncate", 0, 2, truncate},
    Filter{"truncatewords", 0, 2, truncatewords},
    Filter{"upcase", 0, 0, upcase},
};

}  // namespace

std::span<const Filter> text_filters() { return kTextFilters; }

}  // namespace shopbell::liquid
