// Links to files: `/files/<token>/<name>`. The token says whose file it is, for which key the link
// was made and until when it holds, signed under the installation's keyring.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/uuid.h"
#include "http/call.h"
#include "keyring/keyring.h"

namespace shopbell::files {

struct FileLink {
  std::int64_t account = 0;
  Uuid key;
  Uuid job;
  std::int64_t until_s = 0;  // seconds since 1970

  bool operator==(const FileLink&) const = default;
};

// The path of a file that a job left, for a while and for the caller's key.
std::string link_to(const http::Call& call, const Uuid& job, const std::string& file_name,
                    std::optional<Instant> expires_at);

std::string sign(const keyring::Keyring& keyring, const FileLink& link);
// Nothing when a single letter is not what was signed.
std::optional<FileLink> verify(const keyring::Keyring& keyring, std::string_view token);

}  // namespace shopbell::files
