// Applies a workflow file to an account: creates the objects that are missing, saves the draft if
// it changes, and publishes it.
#pragma once

#include <string>

#include "app/session/account_connection.h"

namespace shopbell::app {

// The exit codes of `shopbell workflow apply` and `check`, for scripts. Any other error is 1.
inline constexpr int kWouldChange = 2;  // dry run only
inline constexpr int kFaultyFile = 3;

struct ApplyRequest {
  std::string place;        // a path, or "recipe:NAME"
  bool is_dry_run = false;  // print the changes and make none
  bool only_draft = false;  // do not publish
};

// Prints each change and makes it. Returns the exit code; throws FaultyFile, before any change, if
// the file has faults, and Refusal if an operation refuses.
int apply_workflow_file(AccountConnection& account, const ApplyRequest& request);

// Validates the file against the account's objects. Throws FaultyFile if it has faults.
void check_workflow_file(AccountConnection& account, const std::string& place);

}  // namespace shopbell::app
