// The members of an audit entry in JSON.
#pragma once

#include "json/fields.h"
#include "resources/audit/audit_entry.h"

namespace shopbell::audit {

const json::Table<AuditEntry>& audit_entry_json();

}  // namespace shopbell::audit
