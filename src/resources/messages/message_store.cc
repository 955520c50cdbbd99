#include "resources/messages/message_store.h"

#include "pg/columns.h"
#include "resources/messages/queries.h"

namespace shopbell::messages {

void plan(pg::Group& effect, std::span<const PlannedMessage> planned) {
  pg::Columns rows;
  for (const auto& one : planned)
    rows.add(one.account, one.id, one.contact, one.lane, one.is_marketing, one.is_bulk,
             one.priority, one.workflow, one.run, one.node, one.template_name, one.send_rules,
             one.skips_at_cap, one.at, one.hops);
  rows.add_to(effect, sql::insert_messages);
}

void withdraw(pg::Group& effect, std::span<const Withdrawal> withdrawals) {
  pg::Columns rows;
  for (const auto& one : withdrawals) rows.add(one.account, one.id, one.reason);
  rows.add_to(effect, sql::withdraw_messages);
}

std::vector<bool> found_withdrawals(const pg::Result& result, std::size_t count) {
  std::vector<bool> withdrawn(count);
  for (std::size_t i = 0; i < result.size(); ++i)
    withdrawn[static_cast<std::size_t>(result[i].integer("number") - 1)] = true;
  return withdrawn;
}

void move_to(pg::Group& effect, std::span<const MergedContact> merged) {
  pg::Columns rows;
  for (const auto& one : merged) rows.add(one.account, one.from, one.into, one.lane);
  rows.add_to(effect, sql::move_messages);
}

void forget_contacts(pg::Group& effect, std::span<const contacts::AccountContact> erased) {
  pg::Columns rows;
  for (const auto& [account, contact] : erased) rows.add(account, contact);
  rows.add_to(effect, sql::forget_contacts);
}

}  // namespace shopbell::messages
