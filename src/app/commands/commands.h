// Commands: the command line of `shopbell`.
#pragma once

namespace shopbell::app {

// Returns the exit code: 0 for success, 1 for failure, 2 from `migrate --check` if the schema is
// newer than this binary, and CLI11's own codes for usage errors.
int run_command(int argc, char** argv);

}  // namespace shopbell::app
