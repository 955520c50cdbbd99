// Keeps the installation's keys out of core dumps: a dump holds the memory of the process, and so
// the keyring, API keys and personal data.
#pragma once

namespace shopbell::keyring {

// Forbids core dumps of this process, also those that the kernel pipes to a program. Call it before
// secrets are read.
void forbid_core_dumps();

}  // namespace shopbell::keyring
