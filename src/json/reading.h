// Reading: a body on its way into a resource: where in it we are, and everything that is wrong with
// it, so that the caller learns of all faults at once. Leniently, what is unknown or an invalid
// optional value becomes a warning and is left out.
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

  // While it lives, faults are found at the member or element of that name.
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
  // The same of a member of what is being read.
  void refuse_at(std::string_view member, std::string_view code, std::string detail);
  void warn(std::string_view code, std::string detail);
  bool lenient() const { return strictness_ == Strictness::lenient; }

  // Everything refused since that many faults was optional: leniently it is only a warning.
  std::size_t fault_count() const { return faults_.size(); }
  void tolerate_since(std::size_t count);

  const std::vector<Fault>& warnings() const { return warnings_; }
  bool refused_at(std::string_view pointer) const;
  // Ends the request with `invalid-body` and all faults, if there are any.
  void finish() const;

 private:
  Strictness strictness_;
  std::string pointer_;
  std::vector<Fault> faults_;
  std::vector<Fault> warnings_;
};

// One rule of a text beyond its schema: what it is called when broken, and how it is told.
struct TextRule {
  std::function<bool(std::string_view)> holds;
  std::string detail;
};

// A plain value as the schema wants it; nothing when it is not, and then the reading knows why.
std::optional<std::string> read_text(Reading& reading, const Value& value, const Schema& schema,
                                     const TextRule& rule = {});
std::optional<std::int64_t> read_integer(Reading& reading, const Value& value,
                                         const Schema& schema);
// From a number or a text, digit by digit.
std::optional<Decimal> read_decimal(Reading& reading, const Value& value, const Schema& schema);
std::optional<bool> read_boolean(Reading& reading, const Value& value);
std::optional<Instant> read_instant(Reading& reading, const Value& value);
std::optional<std::vector<std::string>> read_texts(Reading& reading, const Value& value,
                                                   const Schema& schema, const TextRule& rule = {});

// "a text", "a number", … for people.
std::string_view name_of(Type type);

// What one fault looks like on the wire.
Schema fault_schema();

// The list of faults as it stands in `errors` and `warnings`.
void write(Writer& writer, const std::vector<Fault>& faults);

}  // namespace shopbell::json
