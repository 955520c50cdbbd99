// WorkflowFile: a workflow and the objects that it needs, read from a YAML or JSON file or a
// recipe.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/problem.h"
#include "resources/workflows/workflow.h"
#include "yaml/yaml_json.h"

namespace shopbell::app {

// An object of the section `needs`, which apply creates if the account does not have it.
struct NeededObject {
  enum class Kind { contact_field, integration, event_type, message_template, coupon_set };

  Kind kind;
  std::string name;         // its id or alias; the name of an integration
  std::string integration;  // name of the integration of an event type
  std::string pointer;      // its place in the file
  std::string body;         // JSON of the request that creates it
  std::vector<std::pair<std::string, std::string>>
      members;  // JSON of the members that the file has
};

std::string_view name_of(NeededObject::Kind kind);  // such as "event type"

struct WorkflowFile {
  std::string place;  // as the user named it: a path, or "recipe:NAME"
  yaml::Json source;
  workflows::Workflow workflow;
  std::vector<NeededObject> needs;  // in an order in which they can be created
  std::vector<Fault> faults;        // of everything but the definition's references
};

// A file that cannot be applied. what() has a line `FILE:LINE: POINTER CODE: DETAIL` for each
// fault.
class FaultyFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws FaultyFile if the file has no valid YAML, and std::runtime_error if it cannot be read.
WorkflowFile read_workflow_file(const std::string& place);

// Throws FaultyFile if there are faults. `below` is the part of the file that the pointers are
// relative to.
void refuse_faults(const WorkflowFile& file, const std::vector<Fault>& faults,
                   std::string_view below = "");

}  // namespace shopbell::app
