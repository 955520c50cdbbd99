// Marks: suppressed addresses and recently erased identifiers. They outlive the contact, so only
// keyed hashes are stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/time.h"
#include "keyring/keyring.h"
#include "pg/result.h"
#include "resources/contacts/contact.h"

namespace shopbell::contacts {

struct Suppression {
  std::string channel;
  Sha256 address{};
  std::string reason;  // "unsubscribed" or "complained"
  Instant at;
};

struct Erasure {
  Sha256 identifier{};
  Instant at;
};

// Hashes with the keyring's first key, so that the hashes stay searchable after a key rotation.
class AddressHasher {
 public:
  AddressHasher(const keyring::Keyring& keys, std::int64_t account)
      : keys_{&keys}, account_{account} {}

  Sha256 address(const Channel& channel, std::string_view address) const;
  Sha256 external_id(std::string_view id) const;
  // Returns the keyed hash of a request's content, which may contain personal data.
  Sha256 content(std::string_view text) const { return hash("content", text); }
  // Returns the hashes of the contact's e-mail address and external id.
  std::vector<Sha256> identifiers(const Contact& contact) const;

 private:
  Sha256 hash(std::string_view kind, std::string_view value) const;

  const keyring::Keyring* keys_;
  std::int64_t account_;
};

class Marks {
 public:
  Marks() = default;
  // `found` is the result of sql::find_marks for `hashes`.
  Marks(std::vector<Sha256> hashes, const pg::Result& found);
  explicit Marks(std::vector<Suppression> suppressions, std::vector<Erasure> erasures = {})
      : suppressions_{std::move(suppressions)}, erasures_{std::move(erasures)} {}

  const std::vector<Sha256>& hashes() const { return hashes_; }
  std::size_t count() const { return suppressions_.size() + erasures_.size(); }
  const std::vector<Suppression>& suppressions() const { return suppressions_; }
  const std::vector<Erasure>& erasures() const { return erasures_; }

  const Suppression* suppression(const Channel& channel, const Sha256& address) const;
  // Returns the time of the latest erasure among the looked-up identifiers.
  std::optional<Instant> erased_at() const;
  // Throws `contact-erased` when `from`, the time of `what`, is before erased_at().
  void refuse_older(std::string_view what, std::optional<Instant> from) const;

 private:
  std::vector<Sha256> hashes_;
  std::vector<Suppression> suppressions_;
  std::vector<Erasure> erasures_;
};

}  // namespace shopbell::contacts
