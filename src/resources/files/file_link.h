// Links to files: `/files/<token>/<name>`. The token holds the account, the API key that the link
// was made for, the job and the expiry time, signed with the installation's keyring.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/uuid.h"
#include "keyring/keyring.h"
#include "operations/input.h"

namespace shopbell::files {

struct FileLink {
  std::int64_t account = 0;
  Uuid key;
  Uuid job;
  std::int64_t until_s = 0;  // expiry, in Unix seconds

  bool operator==(const FileLink&) const = default;
};

// Returns the path to a job's file. The link expires after kLinkValid or with the file, and is
// bound to the caller's API key.
std::string link_to(const operations::Input& input, const Uuid& job, const std::string& file_name,
                    std::optional<Instant> expires_at);

std::string sign(const keyring::Keyring& keyring, const FileLink& link);
// Returns nullopt when the signature does not match.
std::optional<FileLink> verify(const keyring::Keyring& keyring, std::string_view token);

}  // namespace shopbell::files
