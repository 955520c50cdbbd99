// Members of a definition's JSON. Validation has accepted the definition, so a wrong form is an
// error of the program: these functions throw std::invalid_argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "base/duration.h"
#include "engine/local_time.h"
#include "json/document.h"

namespace shopbell::engine {

// Throws if there is no such member.
json::Value required_member(const json::Value& source, std::string_view name);

// Return the given value, nullopt, zero or false if there is no such member.
std::string text_member(const json::Value& source, std::string_view name, std::string other = {});
bool flag_member(const json::Value& source, std::string_view name);
std::optional<Decimal> number_member(const json::Value& source, std::string_view name);
std::optional<std::int64_t> count_member(const json::Value& source, std::string_view name);
std::optional<Duration> duration_member(const json::Value& source, std::string_view name);
std::optional<std::chrono::minutes> clock_member(const json::Value& source, std::string_view name);
Weekdays weekdays_member(const json::Value& source);

Duration duration_of(const json::Value& value);
// Returns the bit of a day such as "mon"; 0 if there is none of that name.
Weekdays weekday_of(std::string_view name);

}  // namespace shopbell::engine
