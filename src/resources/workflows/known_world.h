// KnownWorld: what a definition can name: the account's fields, event types, templates and coupon
// sets, as they are when it is saved. And what it does name.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/uuid.h"
#include "resources/workflows/value_type.h"

namespace shopbell::workflows {

template <class Thing>
using ByName = std::map<std::string, Thing, std::less<>>;

struct KnownEventType {
  Uuid id;
  ValueType data;
};

struct KnownWorld {
  ByName<ValueType> fields;            // contact fields of the account, by id
  ByName<KnownEventType> event_types;  // that receive, by alias
  ByName<KnownEventType> senders;      // that send, by id
  ByName<Uuid> templates;              // by alias and by id
  ByName<Uuid> coupon_sets;            // by alias and by id
};

// Kept beside the definition, so that what it names cannot be deleted.
struct References {
  std::set<std::string> fields;
  std::set<Uuid> event_types;
  std::set<Uuid> templates;
  std::set<Uuid> coupon_sets;
};

}  // namespace shopbell::workflows
