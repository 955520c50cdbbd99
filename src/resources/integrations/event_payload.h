// PayloadShape: the fields of an event type, prepared to check the payloads of events. Uses neither
// HTTP nor SQL.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "json/reading.h"
#include "resources/contact_fields/contact_field.h"
#include "resources/integrations/event_field.h"

namespace shopbell::integrations {

class PayloadShape {
 public:
  PayloadShape() = default;  // accepts every payload
  PayloadShape(const std::vector<EventField>& fields, std::string_view additional_members);

  // Returns the payload as stored, in JSON: values normalized by their type, null members left out.
  // Returns nullopt if the payload is invalid; the reading then has every fault. A lenient reading
  // skips invalid optional members with a warning.
  std::optional<std::string> read(json::Reading& reading, const json::Value& payload) const;

  // Returns the type at a path of the payload: a field type, "object", "list", or "any" if any
  // value is allowed; empty if no value is allowed.
  std::string_view type_at(std::span<const std::string> path) const;

  std::size_t bytes() const { return bytes_of(members_); }  // memory outside of the object itself

 private:
  enum class Additional { keep, drop, reject };
  enum class Kind { value, line_text, object, list, attributes };
  struct Member {
    Kind kind = Kind::value;
    bool required = false;
    contact_fields::ContactField rule;  // rule of a single value; its id names the member
    std::vector<Member> members;        // members of an object, or the one for list elements
    std::size_t most = 0;               // maximum number of list elements
  };

  static std::size_t bytes_of(const std::vector<Member>& members);
  static Member member_of(const EventField& field);
  static std::vector<Member> members_of(const std::vector<EventField>& fields);
  static const std::vector<Member>& line_members();

  std::optional<std::string> read_object(json::Reading& reading, const std::vector<Member>& members,
                                         const json::Value& value) const;
  std::optional<std::string> read_list(json::Reading& reading, const Member& list,
                                       const json::Value& value) const;
  std::optional<std::string> read_kind(json::Reading& reading, const Member& member,
                                       const json::Value& value) const;
  std::optional<std::string> read_member(json::Reading& reading, const Member& member,
                                         const json::Value& value) const;
  std::optional<std::string> read_additional(json::Reading& reading,
                                             const json::Value& value) const;

  std::vector<Member> members_;
  Additional additional_ = Additional::keep;
};

}  // namespace shopbell::integrations
