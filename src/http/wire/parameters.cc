#include "http/wire/parameters.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <span>

#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "http/wire/path.h"

namespace shopbell::http {

namespace {

// Returns the code and detail of the value's fault, or nullopt if it matches the schema.
std::optional<std::pair<std::string, std::string>> fault_of(const std::string& value,
                                                            const json::Schema& schema) {
  using Found = std::pair<std::string, std::string>;
  if (!schema.options.empty() && !std::ranges::contains(schema.options, value)) {
    std::string list;
    for (const auto& option : schema.options) list += (list.empty() ? "" : ", ") + option;
    return Found{"not-an-option", std::format("Must be one of: {}.", list)};
  }
  if (schema.type == "integer") {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size())
      return Found{"wrong-type", "Must be a whole number."};
    if (number < schema.minimum.value_or(number) || number > schema.maximum.value_or(number))
      return Found{"out-of-range", std::format("Must lie between {} and {}.",
                                               schema.minimum.value_or(0), *schema.maximum)};
  }
  if (schema.type == "boolean" && value != "true" && value != "false")
    return Found{"wrong-type", "Must be true or false."};
  if (schema.type == "string" && schema.length_max) {
    if (has_control_character(value, Lines::one))
      return Found{"invalid-format", "Must not contain control characters."};
    const auto length = static_cast<std::int64_t>(count_characters(value));
    if (length < schema.length_min.value_or(0)) return Found{"too-short", "Must not be empty."};
    if (length > *schema.length_max)
      return Found{"too-long", std::format("Must have at most {} characters.", *schema.length_max)};
  }
  if (schema.format == "date-time" && !parse_rfc3339(value))
    return Found{"invalid-format",
                 "Must be a time with a UTC offset, such as 2027-01-31T09:30:00Z. Write + as %2B."};
  if (schema.format == "uuid" && !Uuid::parse(value))
    return Found{"invalid-format", "Must be a UUID in lower case."};
  return std::nullopt;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> read_parameters(
    const Request& request, const operations::Description& operation) {
  auto pairs = split_query(request.query());
  if (!pairs) throw Problem{Code::invalid_parameter, "The query must be percent-encoded UTF-8."};
  std::vector<Fault> faults;
  Code code = Code::invalid_parameter;
  const auto refuse = [&](const std::string& name, std::string kind, std::string detail) {
    if (faults.size() < limits::kFaults)
      faults.push_back({Fault::Where::parameter, name, std::move(kind), std::move(detail)});
  };
  for (std::size_t i = 0; i < pairs->size(); ++i) {
    const auto& [name, value] = (*pairs)[i];
    const auto declared =
        std::ranges::find(operation.parameters, name, &operations::QueryParameter::name);
    const bool of_family = !operation.family.empty() && name.starts_with(operation.family);
    if (declared == operation.parameters.end() && !of_family) {
      refuse(name, "unknown-parameter", "This operation has no such parameter.");
      code = Code::unknown_parameter;
      continue;
    }
    if (std::ranges::contains(std::span{*pairs}.first(i), name,
                              &std::pair<std::string, std::string>::first)) {
      refuse(name, "duplicate", "The parameter must be given only once.");
      continue;
    }
    if (of_family) continue;
    if (auto fault = fault_of(value, declared->schema)) refuse(name, fault->first, fault->second);
  }
  if (!faults.empty())
    throw Problem{code, "The query has parameters that cannot be used.", std::move(faults)};
  return std::move(*pairs);
}

}  // namespace shopbell::http
