#include "operations/resource_operations.h"

#include <utility>

#include "operations/page.h"

namespace shopbell::operations {

namespace {

Description describe(const ResourceOperations& resource, std::string id, std::string summary,
                     std::string description, OperationDetails details) {
  return {.id = std::move(id),
          .tag = resource.tag,
          .tag_description = resource.tag_description,
          .summary = std::move(summary),
          .description = std::move(description),
          .parameters = std::move(details.parameters),
          .body = std::move(details.body),
          .answer_name = resource.answer_name,
          .answer = resource.answer,
          .hashed = resource.hashed,
          .versioned = resource.versioned,
          .problems = std::move(details.problems),
          .further_scopes = std::move(details.further_scopes),
          .resource = resource.resource};
}

}  // namespace

Description ResourceOperations::get(std::string id, std::string summary,
                                    std::string description) const {
  return describe(*this, std::move(id), std::move(summary), std::move(description),
                  {.problems = problems});
}

Description ResourceOperations::list(std::string id, std::string summary, std::string description,
                                     std::vector<QueryParameter> filters) const {
  Description described = describe(*this, std::move(id), std::move(summary), std::move(description),
                                   {.parameters = page_parameters(std::move(filters))});
  described.answer_name = answer_name + "Page";
  described.answer = page_schema(answer_name);
  if (page_item) {
    described.answer.members[0].schema.items = {*page_item};
    described.resource.clear();  // the items are not the whole resource
  }
  described.hashed = false;
  described.versioned = false;
  if (nested) described.problems = problems;
  described.problems.push_back(Code::invalid_cursor);
  return described;
}

Description ResourceOperations::create(std::string id, std::string summary, std::string description,
                                       OperationDetails details) const {
  if (nested) details.problems.insert(details.problems.begin(), problems.begin(), problems.end());
  Description described = describe(*this, std::move(id), std::move(summary), std::move(description),
                                   std::move(details));
  described.success = 201;
  return described;
}

Description ResourceOperations::upsert(std::string id, std::string summary, std::string description,
                                       OperationDetails details) const {
  Description described = describe(*this, std::move(id), std::move(summary), std::move(description),
                                   std::move(details));
  described.may_create = true;
  return described;
}

Description ResourceOperations::change(std::string id, std::string summary, std::string description,
                                       OperationDetails details) const {
  details.problems.insert(details.problems.begin(), problems.begin(), problems.end());
  return describe(*this, std::move(id), std::move(summary), std::move(description),
                  std::move(details));
}

Description ResourceOperations::enqueue(std::string id, std::string summary,
                                        std::string description, OperationDetails details) const {
  Description described =
      change(std::move(id), std::move(summary), std::move(description), std::move(details));
  described.success = 202;
  return described;
}

Description ResourceOperations::remove(std::string id, std::string summary, std::string description,
                                       OperationDetails details) const {
  Description described =
      change(std::move(id), std::move(summary), std::move(description), std::move(details));
  described.success = 204;
  described.answer_name.clear();
  described.hashed = false;
  return described;
}

}  // namespace shopbell::operations
