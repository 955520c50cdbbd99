// AccountWorkflows: the definitions and settings of one account that its runs need.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "base/uuid.h"
#include "engine/person.h"
#include "resources/contact_fields/field_set.h"

namespace shopbell::automation {

// Versions that tell whether the definitions of an account are up to date.
struct AccountVersions {
  std::int64_t interest = 0;
  std::int64_t fields = 0;
  std::int64_t store = 0;

  auto operator<=>(const AccountVersions&) const = default;
};

// What the lanes must know of a definition besides its compiled form.
struct DefinitionFacts {
  bool reads_trigger = false;             // some part refers to the event that started the run
  std::optional<std::string> send_rules;  // {"quietHours": …, "sendWindow": …}
};

// Reads them from a definition's JSON.
DefinitionFacts definition_facts_of(std::string_view source);

struct AccountWorkflows {
  AccountVersions versions;
  engine::Data store;
  engine::KnownTypes types;
  std::shared_ptr<const contact_fields::FieldSet> fields;
  engine::Workflows workflows;
  std::map<std::pair<Uuid, std::int64_t>, DefinitionFacts> facts;  // by workflow and version
  std::map<std::string, std::set<Uuid>, std::less<>> started_by;   // active workflows by trigger

  bool has_version(const Uuid& workflow, std::int64_t version) const;
  // Fills `started_by`. A workflow without its active version starts nothing.
  void index_triggers();
};

// Definitions of accounts. The reader of one process has one; all its pipelines share it.
class Definitions {
 public:
  virtual ~Definitions() = default;
  // The definitions as remembered, which may be stale; null: none.
  virtual std::shared_ptr<AccountWorkflows> remembered(std::int64_t account) = 0;
  // Definitions that are at least as new as these versions.
  virtual boost::asio::awaitable<std::shared_ptr<AccountWorkflows>> get(
      std::int64_t account, AccountVersions versions) = 0;
  // Adds versions that runs still have. A version that cannot be used is left out.
  virtual boost::asio::awaitable<void> add_versions(
      std::int64_t account, AccountWorkflows& known,
      std::set<std::pair<Uuid, std::int64_t>> wanted) = 0;
};

}  // namespace shopbell::automation
