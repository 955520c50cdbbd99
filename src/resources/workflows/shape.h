// Shape: the schema of a part of a definition. Validation uses it, and the published JSON Schema is
// generated from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shopbell::workflows {

// The kind of a value. Most kinds have a rule beyond the JSON type.
enum class Form {
  text,
  choice,  // a text that is one of `options`
  boolean,
  integer,
  duration,        // a duration such as "PT1H"
  offset,          // a duration that may be negative
  clock,           // a local time such as "09:00"
  zone,            // "contact", "store" or an IANA time zone
  day,             // `on` of a schedule: a date, a weekday, a day of the month
  node,            // an edge: the id of another node
  node_id,         // the id of the node itself
  variable,        // the name of a result that later nodes can use
  message,         // a template's alias or id
  coupon_set,      // a coupon set's alias or id
  sender,          // the id of an event type with direction send
  event,           // a kind of event, such as "contact.created"
  custom_event,    // a kind of event that the account has defined
  reference,       // a reference to a value, by its path
  list_reference,  // a reference to a list, by its path
  condition,
  days,     // a duration, or a number of days by reference
  payload,  // an object whose values may be references
  patch,    // an object with changes of a contact
  object,
  list,
};

struct Member;

struct Shape {
  Form form = Form::text;
  std::vector<std::string> options;
  std::int64_t minimum = 0;  // minimum of an integer, or of a list's length
  std::int64_t maximum = 0;
  std::vector<Member> members;
  std::vector<std::string> one_of;  // exactly one of these members is required
  std::vector<Shape> item;          // shape of a list's elements
};

struct Member {
  std::string name;
  Shape shape;
  bool required = false;
  std::string doc = {};
};

// The parts of a definition, except its nodes.
const std::vector<Member>& definition_parts();

struct NodeType {
  std::string name;
  std::string doc;
  Shape shape;  // members besides `id` and `type`
};
const std::vector<NodeType>& node_types();
const NodeType* find_node_type(std::string_view name);

// Returns the shape {event, where}, which selects the events of exits, goals and waits.
Shape event_match(std::vector<Member> more = {});

}  // namespace shopbell::workflows
