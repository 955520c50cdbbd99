#include "resources/all.h"

#include <algorithm>
#include <set>

#include "operations/written_output.h"
#include "resources/audit/audit_operations.h"
#include "resources/contact_fields/contact_fields_operations.h"
#include "resources/contacts/contacts_operations.h"
#include "resources/coupons/coupons_operations.h"
#include "resources/custom_events/custom_events_operations.h"
#include "resources/exports/export.h"
#include "resources/exports/exports_operations.h"
#include "resources/files/files_operations.h"
#include "resources/imports/import.h"
#include "resources/imports/imports_operations.h"
#include "resources/integrations/integrations_operations.h"
#include "resources/keys/keys_operations.h"
#include "resources/products/products_operations.h"
#include "resources/purchases/purchases_operations.h"
#include "resources/runs/runs_operations.h"
#include "resources/store/store_operations.h"
#include "resources/templates/templates_operations.h"
#include "resources/webhooks/webhooks_operations.h"
#include "resources/workflows/workflows_operations.h"

namespace shopbell::resources {

namespace {

std::vector<std::string> scopes_of(const std::vector<operations::Operation>& operations) {
  std::set<std::string> scopes;
  for (const auto& operation : operations) {
    if (operation.access.needs_key()) scopes.insert(operation.access.scope_name());
    const auto& further = operation.description.further_scopes;
    scopes.insert(further.begin(), further.end());
  }
  return {scopes.begin(), scopes.end()};
}

}  // namespace

// The only list of slices: a slice in it is served, documented, tested and linted.
std::vector<operations::Operation> all_operations(const net::OutsideRules& outside,
                                                  custom_events::EventQueue* queue) {
  std::vector<operations::Operation> all;
  const auto add = [&](std::vector<operations::Operation> table) {
    std::ranges::move(table, std::back_inserter(all));
  };
  for (auto* slice :
       {store::operation_table, contact_fields::operation_table, contacts::operation_table,
        products::operation_table, purchases::operation_table, coupons::operation_table,
        templates::operation_table, workflows::operation_table, runs::operation_table,
        imports::operation_table, exports::operation_table, audit::operation_table})
    add(slice());
  for (auto* slice : {integrations::operation_table, webhooks::operation_table})
    add(slice(outside));
  add(custom_events::operation_table(queue));
  add(files::operation_table(
      {{exports::kJobKind, exports::offered}, {imports::kJobKind, imports::offered}}));
  add(keys::operation_table(scopes_of(all)));
  operations::find_readers(all);
  return all;
}

std::vector<std::string> all_scopes() { return scopes_of(all_operations()); }

}  // namespace shopbell::resources
