// Shape: how a part of a definition must look, written down once: validation reads by it, and the
// published JSON Schema is made of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shopbell::workflows {

// What a part is. Beyond plain JSON, each has a rule of its own.
enum class Form {
  text,
  choice,  // one of the options
  boolean,
  integer,
  duration,        // "PT1H"
  offset,          // a duration that may be negative
  clock,           // "09:00"
  zone,            // contact, store or an IANA time zone
  day,             // what a schedule's `on` names: a date, a weekday, a day of the month
  node,            // an edge: the id of a node
  node_id,         // a node's own
  variable,        // by which later nodes find what this one got
  message,         // a template's alias or id
  coupon_set,      // alias or id
  sender,          // id of an event type that sends
  event,           // a kind of event
  custom_event,    // a kind of event that the account made
  reference,       // a value, by its path
  list_reference,  // a list, by its path
  condition,
  days,     // a duration, or a number of days by reference
  payload,  // an object whose values may be references
  patch,    // changes of a contact
  object,
  list,
};

struct Member;

struct Shape {
  Form form = Form::text;
  std::vector<std::string> options;
  std::int64_t minimum = 0;  // of an integer; of a list, how many elements
  std::int64_t maximum = 0;
  std::vector<Member> members;
  std::vector<std::string> one_of;  // exactly one of these members
  std::vector<Shape> item;          // of a list
};

struct Member {
  std::string name;
  Shape shape;
  bool required = false;
  std::string doc = {};
};

// The parts of a definition that are objects, but for its nodes.
const std::vector<Member>& definition_parts();

struct NodeType {
  std::string name;
  std::string doc;
  Shape shape;  // without id and type, which all have
};
const std::vector<NodeType>& node_types();
const NodeType* find_node_type(std::string_view name);

// {event, where}: what exits, goals and waits look out for.
Shape event_match(std::vector<Member> more = {});

}  // namespace shopbell::workflows
