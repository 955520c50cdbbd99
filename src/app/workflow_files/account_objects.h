// AccountObjects: the objects of an account that definitions can name, read over its operations.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "app/session/account_connection.h"
#include "app/workflow_files/workflow_file.h"
#include "resources/workflows/known_world.h"

namespace shopbell::app {

struct AccountObjects {
  struct Object {
    std::string id;
    std::string json;         // as the API shows it
    std::string integration;  // name of the integration of an event type
  };

  std::map<std::pair<NeededObject::Kind, std::string>, Object> objects;  // by kind and name
  workflows::KnownWorld world;                                           // the same, for validation

  const Object* find(const NeededObject& needed) const;  // nullptr if there is none
};

AccountObjects read_account_objects(AccountConnection& account);

// Adds an object that apply will create, so that the definition may name it already.
void add_needed(workflows::KnownWorld& world, const NeededObject& needed);

// Returns a sentence about the members of the file that the existing object has otherwise, or
// nullopt if there are none.
std::optional<std::string> difference(const NeededObject& needed,
                                      const AccountObjects::Object& existing);

}  // namespace shopbell::app
