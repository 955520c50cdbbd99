#include "resources/contact_fields/field_set.h"

#include <algorithm>

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

std::size_t FieldSet::bytes() const {
  return std::ranges::fold_left(fields_, sizeof(FieldSet), [](std::size_t sum, const auto& field) {
    return sum + bytes_of(field);
  });
}

boost::asio::awaitable<std::shared_ptr<const FieldSet>> FieldSets::get(pg::Pool& database,
                                                                       pg::Scope scope,
                                                                       std::int64_t version) {
  auto known = remembered(*scope.account);
  if (known->version() == version) co_return known;
  auto read = std::make_shared<const FieldSet>(co_await load_fields(database, scope));
  const std::scoped_lock lock{mutex_};
  const auto* kept = sets_.find(*scope.account);
  if (!kept || (*kept)->version() <= read->version())
    sets_.put(*scope.account, read, read->bytes());
  co_return read;
}

std::shared_ptr<const FieldSet> FieldSets::remembered(std::int64_t account) const {
  const std::scoped_lock lock{mutex_};
  const auto* found = sets_.find(account);
  return found ? *found : no_fields();
}

}  // namespace shopbell::contact_fields
