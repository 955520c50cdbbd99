#include "resources/contacts/marks.h"

#include <algorithm>
#include <format>

#include "base/problem.h"

namespace shopbell::contacts {

namespace {

Sha256 hash_of(const pg::Row& row) {
  const auto bytes = row.bytes("hash");
  Sha256 hash{};
  std::ranges::copy_n(bytes.begin(),
                      static_cast<std::ptrdiff_t>(std::min(bytes.size(), hash.size())),
                      hash.begin());
  return hash;
}

}  // namespace

Sha256 AddressHasher::hash(std::string_view kind, std::string_view value) const {
  return keys_->lasting_hash(std::format("{} {} {}", account_, kind, value));
}

Sha256 AddressHasher::address(const Channel& channel, std::string_view address) const {
  return hash(channel.name, address);
}

Sha256 AddressHasher::external_id(std::string_view id) const { return hash("external-id", id); }

std::vector<Sha256> AddressHasher::identifiers(const Contact& contact) const {
  std::vector<Sha256> hashes;
  if (contact.email_key) hashes.push_back(address(kEmail, *contact.email_key));
  if (contact.external_id) hashes.push_back(external_id(*contact.external_id));
  return hashes;
}

Marks::Marks(std::vector<Sha256> hashes, const pg::Result& found) : hashes_{std::move(hashes)} {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const pg::Row row = found[i];
    if (row.view("channel") == "erasure") {
      erasures_.push_back({hash_of(row), row.instant("at")});
    } else {
      suppressions_.push_back(
          {row.text("channel"), hash_of(row), row.text("reason"), row.instant("at")});
    }
  }
}

const Suppression* Marks::suppression(const Channel& channel, const Sha256& address) const {
  const auto found = std::ranges::find_if(suppressions_, [&](const Suppression& suppression) {
    return suppression.channel == channel.name && suppression.address == address;
  });
  return found == suppressions_.end() ? nullptr : &*found;
}

std::optional<Instant> Marks::erased_at() const {
  if (erasures_.empty()) return std::nullopt;
  return std::ranges::max(erasures_, {}, &Erasure::at).at;
}

void Marks::refuse_older(std::string_view what, std::optional<Instant> from) const {
  const auto at = erased_at();
  if (at && from && *from < *at)
    throw Problem{Code::contact_erased,
                  std::format("The contact was erased at {}, so data from before is refused; {} is "
                              "older, from {}.",
                              to_rfc3339(*at), what, to_rfc3339(*from))};
}

}  // namespace shopbell::contacts
