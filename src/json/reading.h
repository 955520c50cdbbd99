// Reading: the state of parsing a body: the current JSON pointer and all faults so far, so that one
// answer reports all of them. In lenient mode unknown members and invalid optional values are
// skipped with a warning.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.h"
#include "base/problem.h"
#include "base/time.h"
#include "base/uuid.h"
#include "json/document.h"
#include "json/schema.h"

namespace shopbell::json {

enum class Strictness { strict, lenient };

class Reading {
 public:
  explicit Reading(Strictness strictness = Strictness::strict) : strictness_{strictness} {}

  // While it exists, faults are reported at this member or element.
  class Place {
   public:
    Place(Reading& reading, std::string_view name);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    Reading& reading_;
    std::size_t length_before_;
  };

  void refuse(std::string_view code, std::string detail);
  // Adds a fault at a member of the current value.
  void refuse_at(std::string_view member, std::string_view code, std::string detail);
  // Adds a fault in the text at the current value; line and column start at 1.
  void refuse_line(std::string_view code, std::string detail, std::size_t line, std::size_t column);
  void warn(std::string_view code, std::string detail);
  bool lenient() const { return strictness_ == Strictness::lenient; }

  // In lenient mode, tolerate_since() turns all faults after the first `count` into warnings.
  std::size_t fault_count() const { return faults_.size(); }
  void tolerate_since(std::size_t count);

  const std::vector<Fault>& faults() const { return faults_; }
  const std::vector<Fault>& warnings() const { return warnings_; }
  bool refused_at(std::string_view pointer) const;
  // Throws Problem `invalid-body` with all faults, if there are any.
  void finish() const;

 private:
  Strictness strictness_;
  std::string pointer_;
  std::vector<Fault> faults_;
  std::vector<Fault> warnings_;
};

// A rule for a text beyond its schema, and the detail of the fault when the text breaks it.
struct TextRule {
  std::function<bool(std::string_view)> holds;
  std::string detail;
};

// Read and check a scalar value. On a mismatch they return nullopt and add a fault to the reading.
std::optional<std::string> read_text(Reading& reading, const Value& value, const Schema& schema,
                                     const TextRule& rule = {});
std::optional<std::int64_t> read_integer(Reading& reading, const Value& value,
                                         const Schema& schema);
// Reads a decimal from a number or a text, without loss of digits.
std::optional<Decimal> read_decimal(Reading& reading, const Value& value, const Schema& schema);
std::optional<bool> read_boolean(Reading& reading, const Value& value);
std::optional<Instant> read_instant(Reading& reading, const Value& value);
std::optional<std::vector<std::string>> read_texts(Reading& reading, const Value& value,
                                                   const Schema& schema, const TextRule& rule = {});

// The name of the type in error texts: "a text", "a number", …
std::string_view name_of(Type type);

// The JSON pointer (RFC 6901) to a member of the value at `parent`.
std::string pointer_to(std::string parent, std::string_view name);

// The schema of one fault.
Schema fault_schema();

// Writes the list of `errors` or `warnings`.
void write(Writer& writer, const std::vector<Fault>& faults);

}  // namespace shopbell::json
