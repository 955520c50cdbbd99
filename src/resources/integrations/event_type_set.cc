#include "resources/integrations/event_type_set.h"

#include <algorithm>

#include "resources/integrations/event_type_store.h"

namespace shopbell::integrations {

namespace {

const std::shared_ptr<const EventTypeSet>& no_types() {
  static const auto none = std::make_shared<const EventTypeSet>();
  return none;
}

}  // namespace

EventTypeSet::EventTypeSet(std::int64_t version, std::vector<KnownEventType> types)
    : version_{version}, types_{std::move(types)} {}

const KnownEventType* EventTypeSet::find(std::string_view alias) const {
  if (alias.empty()) return nullptr;
  const auto found = std::ranges::find(types_, alias, &KnownEventType::alias);
  return found == types_.end() ? nullptr : &*found;
}

const KnownEventType* EventTypeSet::find(const Uuid& id) const {
  const auto found = std::ranges::find(types_, id, &KnownEventType::id);
  return found == types_.end() ? nullptr : &*found;
}

std::size_t EventTypeSet::bytes() const {
  return std::ranges::fold_left(types_, sizeof(EventTypeSet),
                                [](std::size_t sum, const auto& type) {
                                  return sum + sizeof(KnownEventType) + type.name.size() +
                                         type.alias.size() + type.payload.bytes();
                                });
}

boost::asio::awaitable<std::shared_ptr<const EventTypeSet>> EventTypeSets::get(
    pg::Pool& database, pg::Scope scope, std::int64_t version) {
  auto known = remembered(*scope.account);
  if (known->version() == version) co_return known;
  auto read = std::make_shared<const EventTypeSet>(co_await load_event_types(database, scope));
  const std::scoped_lock lock{mutex_};
  const auto* kept = sets_.find(*scope.account);
  // Concurrent reads may finish out of order: the newer version stays.
  if (!kept || (*kept)->version() <= read->version())
    sets_.put(*scope.account, read, read->bytes());
  co_return read;
}

std::shared_ptr<const EventTypeSet> EventTypeSets::remembered(std::int64_t account) const {
  const std::scoped_lock lock{mutex_};
  const auto* found = sets_.find(account);
  return found ? *found : no_types();
}

}  // namespace shopbell::integrations
