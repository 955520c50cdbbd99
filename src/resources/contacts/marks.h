// Marks: what outlives a contact. Addresses that must not be written to, and people who were erased
// lately; of both only keyed hashes are kept.
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
  std::string reason;  // "unsubscribed", "complained"
  Instant at;
};

struct Erasure {
  Sha256 identifier{};
  Instant at;
};

// Hashes that never change, whatever keys the ring gets later.
class AddressHasher {
 public:
  AddressHasher(const keyring::Keyring& keys, std::int64_t account)
      : keys_{&keys}, account_{account} {}

  Sha256 address(const Channel& channel, std::string_view address) const;
  Sha256 external_id(std::string_view id) const;
  // Of what a request said, which may name a person.
  Sha256 content(std::string_view text) const { return hash("content", text); }
  // Of everything by which the contact can be named.
  std::vector<Sha256> identifiers(const Contact& contact) const;

 private:
  Sha256 hash(std::string_view kind, std::string_view value) const;

  const keyring::Keyring* keys_;
  std::int64_t account_;
};

class Marks {
 public:
  Marks() = default;
  // What was found, by sql::find_marks, of the hashes asked for.
  Marks(std::vector<Sha256> hashes, const pg::Result& found);
  explicit Marks(std::vector<Suppression> suppressions, std::vector<Erasure> erasures = {})
      : suppressions_{std::move(suppressions)}, erasures_{std::move(erasures)} {}

  const std::vector<Sha256>& hashes() const { return hashes_; }
  std::size_t count() const { return suppressions_.size() + erasures_.size(); }
  const std::vector<Suppression>& suppressions() const { return suppressions_; }
  const std::vector<Erasure>& erasures() const { return erasures_; }

  const Suppression* suppression(const Channel& channel, const Sha256& address) const;
  // Of the last person erased who had any of the identifiers asked for.
  std::optional<Instant> erased_at() const;
  // Ends the request with `contact-erased` when `what` is from before that.
  void refuse_older(std::string_view what, std::optional<Instant> from) const;

 private:
  std::vector<Sha256> hashes_;
  std::vector<Suppression> suppressions_;
  std::vector<Erasure> erasures_;
};

}  // namespace shopbell::contacts
