// ResourceOperations: the common parts of the operations on one resource. A slice states them once;
// each function returns the Description of one operation.
//
//   const auto webhook = operations::ResourceOperations{.tag = "Webhooks", .versioned = true}
//                            .with_answer(webhook_json());
//   webhook.get("getWebhook", "Get a webhook", "By its id.");
//   webhook.create("createWebhook", "Create a webhook", "The webhook gets all events from now on.",
//                  {.body = operations::new_body(webhook_json()),
//                   .problems = {Code::limit_reached}});
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/fields.h"
#include "operations/operation.h"

namespace shopbell::operations {

// A body that the table parses with read_new(). The schema has the table's name.
template <class Resource>
Body body_of(const json::Table<Resource>& table) {
  return {.name = table.name(), .schema = table.new_schema(), .example = table.example()};
}

// The body that creates a resource: the table "Webhook" makes the schema "NewWebhook". The example
// defaults to the table's.
template <class Resource>
Body new_body(const json::Table<Resource>& table, std::string example = {}) {
  Body body = body_of(table);
  body.name = "New" + table.name();
  if (!example.empty()) body.example = std::move(example);
  return body;
}

// The merge patch of a resource: the table "Webhook" makes the schema "WebhookPatch".
template <class Resource>
Body patch_body(const json::Table<Resource>& table, std::string example) {
  return {.name = table.name() + "Patch",
          .schema = table.patch_schema(),
          .example = std::move(example)};
}

// The parts in which an operation differs from the others on its resource.
struct OperationDetails {
  std::optional<Body> body;
  std::vector<QueryParameter> parameters;
  std::vector<Code> problems;  // codes in addition to those that the function adds
  std::vector<std::string> further_scopes;
};

// `tag`, `answer`, `hashed` and `versioned` mean the same as in Description.
struct ResourceOperations {
  std::string tag;
  std::string tag_description;
  std::string resource;     // name of the resource; with_answer() keeps it
  std::string answer_name;  // also names the pages of the list: "WebhookPage"
  json::Schema answer;
  // The list inlines this schema of its items. Without it, the list refers to `answer_name`.
  std::optional<json::Schema> page_item;
  bool hashed = false;
  bool versioned = false;
  bool nested = false;  // list and create have the path of a parent, which may not exist
  std::vector<Code> problems{Code::not_found};  // of operations on an existing object

  // Returns a copy whose operations answer with the table's resource.
  template <class Resource>
  ResourceOperations with_answer(const json::Table<Resource>& table) const {
    ResourceOperations other = *this;
    if (other.resource.empty()) other.resource = table.name();
    other.answer_name = table.name();
    other.answer = table.answer_schema();
    return other;
  }

  // Reads one object.
  Description get(std::string id, std::string summary, std::string description) const;
  // Reads objects by page. The filters come before `limit`, `cursor` and `order`.
  Description list(std::string id, std::string summary, std::string description,
                   std::vector<QueryParameter> filters = {}) const;
  // Creates an object and responds with 201 and its Location. Adds problems only if nested.
  Description create(std::string id, std::string summary, std::string description,
                     OperationDetails details) const;
  // Changes an object, or creates it and responds with 201. Adds no problems.
  Description upsert(std::string id, std::string summary, std::string description,
                     OperationDetails details) const;
  // Changes one existing object: a patch, or an action such as `cancel`.
  Description change(std::string id, std::string summary, std::string description,
                     OperationDetails details = {}) const;
  // Like change, but responds with 202: the service does the work later.
  Description enqueue(std::string id, std::string summary, std::string description,
                      OperationDetails details = {}) const;
  // Deletes one object and responds with 204.
  Description remove(std::string id, std::string summary, std::string description,
                     OperationDetails details = {}) const;
};

}  // namespace shopbell::operations
