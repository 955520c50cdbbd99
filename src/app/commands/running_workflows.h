// The output of `shopbell workflow` about running workflows: their runs, dry runs, and the reasons
// why a contact got something or not.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/account_connection.h"

namespace shopbell::app {

struct RunsWanted {
  std::string workflow;  // alias or id; empty: all
  std::string contact;   // e-mail address or id; empty: all
  std::string node;
  std::string state;
  std::int64_t limit = 50;
};
void print_runs(AccountConnection& account, const RunsWanted& wanted);
void print_run(AccountConnection& account, const std::string& id);

struct DryRunWanted {
  std::string workflow;
  std::string contact;  // e-mail address, id or externalId of a stored contact, or a JSON object
  std::string data;     // of the event, as JSON
  std::string at;       // empty: now
  bool draft = false;
};
void print_dry_run(AccountConnection& account, const DryRunWanted& wanted);

// `contact`: e-mail address, id or externalId.
void print_why(AccountConnection& account, const std::string& workflow, const std::string& contact);

}  // namespace shopbell::app
