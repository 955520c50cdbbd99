// KnownWorld: the account's objects that a definition can name when it is saved: contact fields,
// event types, templates and coupon sets. References: the objects that it does name.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/uuid.h"
#include "engine/value_type.h"

namespace shopbell::workflows {

using engine::comparable;
using engine::list_of;
using engine::member_at;
using engine::name_of;
using engine::object_of;
using engine::type_of_field;
using engine::type_of_fields;
using engine::type_of_schema;
using engine::ValueType;

template <class Thing>
using ByName = std::map<std::string, Thing, std::less<>>;

struct KnownEventType {
  Uuid id;
  ValueType data;
};

struct KnownWorld {
  ByName<ValueType> fields;            // contact fields of the account, by id
  ByName<KnownEventType> event_types;  // event types with direction receive, by alias
  ByName<KnownEventType> senders;      // event types with direction send, by id
  ByName<Uuid> templates;              // ids of templates, by alias and by id
  ByName<Uuid> coupon_sets;            // ids of coupon sets, by alias and by id
};

// The named objects. Stored with the definition, so that these objects cannot be deleted.
struct References {
  std::set<std::string> fields;
  std::set<Uuid> event_types;
  std::set<Uuid> templates;
  std::set<Uuid> coupon_sets;
};

}  // namespace shopbell::workflows
