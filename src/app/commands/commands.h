// Commands: what `shopbell …` can do.
#pragma once

namespace shopbell::app {

// Returns the exit code: 0 done, 1 could not, 2 from `migrate --check` for a schema that is newer
// than this binary, and CLI11's own for a call that is not understood.
int run_command(int argc, char** argv);

}  // namespace shopbell::app
