#include "resources/contact_fields/field_set.h"

#include <algorithm>

#include "base/limits.h"
#include "resources/contact_fields/contact_field_store.h"

namespace shopbell::contact_fields {

namespace {

const std::shared_ptr<const FieldSet>& no_fields() {
  static const auto none = std::make_shared<const FieldSet>();
  return none;
}

}  // namespace

FieldSet::FieldSet(std::int64_t version, std::vector<ContactField> fields)
    : version_{version}, fields_{std::move(fields)} {}

const ContactField* FieldSet::find(std::string_view id) const {
  const auto found = std::ranges::find(fields_, id, &ContactField::id);
  return found == fields_.end() ? nullptr : &*found;
}

const ContactField* FieldSet::find(std::int64_t number) const {
  const auto found = std::ranges::lower_bound(fields_, number, {}, &ContactField::number);
  return found == fields_.end() || found->number != number ? nullptr : &*found;
}

boost::asio::awaitable<std::shared_ptr<const FieldSet>> FieldSets::get(pg::Pool& database,
                                                                       pg::Scope scope,
                                                                       std::int64_t version) {
  auto known = remembered(*scope.account);
  if (known->version() == version) co_return known;
  auto read = std::make_shared<const FieldSet>(co_await load_fields(database, scope));
  const std::scoped_lock lock{mutex_};
  if (sets_.size() >= limits::kFieldSets) sets_.clear();
  auto& kept = sets_.try_emplace(*scope.account, no_fields()).first->second;
  if (kept->version() <= read->version()) kept = read;
  co_return read;
}

std::shared_ptr<const FieldSet> FieldSets::remembered(std::int64_t account) const {
  const std::scoped_lock lock{mutex_};
  const auto found = sets_.find(account);
  return found == sets_.end() ? no_fields() : found->second;
}

}  // namespace shopbell::contact_fields
