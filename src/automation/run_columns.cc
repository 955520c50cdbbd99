#include "automation/run_columns.h"

#include <utility>

namespace shopbell::automation {

namespace {

using Column = pg::RowColumn<StoredRun>;
using engine::Run;

// A column that holds a member of the run as it is.
template <class Member>
Column of_run(std::string name, Member Run::* member) {
  return {name, pg::ColumnType<Member>::kName,
          [member](const StoredRun& row) { return pg::parameter(row.run.*member); },
          [member, name](const pg::Row& row, StoredRun& stored) {
            stored.run.*member = pg::ColumnType<Member>::read(row, name.c_str());
          }};
}

template <class Write, class Read>
Column custom(std::string name, std::string type, Write write, Read read) {
  return {std::move(name), std::move(type),
          [write](const StoredRun& row) { return pg::parameter(write(row)); }, read};
}

Column maybe_id(std::string name, std::optional<Uuid> Run::* member) {
  return {name, "uuid", [member](const StoredRun& row) { return pg::parameter(row.run.*member); },
          [member, name](const pg::Row& row, StoredRun& stored) {
            if (row.find(name.c_str())) stored.run.*member = row.uuid(name.c_str());
          }};
}

Column flag(std::string name, bool Run::* member) {
  return {name, "boolean",
          [member](const StoredRun& row) { return pg::parameter(row.run.*member); },
          [member, name](const pg::Row& row, StoredRun& stored) {
            stored.run.*member = row.boolean(name.c_str());
          }};
}

// An empty text is NULL.
Column maybe_text(std::string name, std::string Run::* member) {
  return {name, "text",
          [member](const StoredRun& row) {
            const std::string& text = row.run.*member;
            return text.empty() ? pg::Parameter{} : pg::parameter(text);
          },
          [member, name](const pg::Row& row, StoredRun& stored) {
            stored.run.*member = row.maybe_text(name.c_str()).value_or("");
          }};
}

Column trigger_column(std::string name, std::string type, bool is_time) {
  return {name, std::move(type),
          [is_time](const StoredRun& row) {
            if (!row.trigger) return pg::Parameter{};
            return is_time ? pg::parameter(row.trigger->received_at)
                           : pg::parameter(row.trigger->id);
          },
          [name, is_time](const pg::Row& row, StoredRun& stored) {
            if (!row.find(name.c_str())) return;
            if (!stored.trigger) stored.trigger.emplace();
            if (is_time) {
              stored.trigger->received_at = row.instant(name.c_str());
            } else {
              stored.trigger->id = row.integer(name.c_str());
            }
          }};
}

std::vector<Column> state_columns() {
  return {custom(
              "workflow_id", "uuid", [](const StoredRun& row) { return row.run.workflow; },
              [](const pg::Row& row, StoredRun& stored) {
                stored.run.workflow = row.uuid("workflow_id");
              }),
          of_run("version", &Run::version),
          custom(
              "state", "text",
              [](const StoredRun& row) { return std::string{engine::name_of(row.run.state)}; },
              [](const pg::Row& row, StoredRun& stored) {
                stored.run.state = run_state_of(row.view("state"));
              }),
          of_run("node", &Run::node),
          of_run("key", &Run::key),
          pg::column("enrolment_key", &StoredRun::enrolment_key),
          of_run("started_at", &Run::started_at),
          of_run("node_since", &Run::node_since),
          of_run("due_at", &Run::due_at),
          pg::column("timer_at", &StoredRun::timer_at),
          of_run("visits", &Run::visits)};
}

std::vector<Column> other_columns() {
  return {trigger_column("trigger_at", "timestamptz", true),
          trigger_column("trigger_id", "bigint", false),
          custom(
              "trigger_data", "json", [](const StoredRun& row) { return row.copied; },
              [](const pg::Row& row, StoredRun& stored) {
                stored.copied = row.maybe_text("trigger_data");
                if (stored.copied) stored.run.trigger = engine::Data{*stored.copied};
              }),
          maybe_text("schedule_date", &Run::schedule_date),
          maybe_id("message_id", &Run::message),
          maybe_id("delivery_id", &Run::delivery),
          flag("has_sent", &Run::has_sent),
          flag("converted", &Run::converted),
          custom(
              "data", "json", [](const StoredRun& row) { return data_to_json(row.run); },
              [](const pg::Row& row, StoredRun& stored) {
                if (const auto data = row.find("data")) read_data(*data, stored.run);
              }),
          custom(
              "seen", "text", [](const StoredRun& row) { return seen_to_text(row.run.seen); },
              [](const pg::Row& row, StoredRun& stored) {
                stored.run.seen = seen_from_text(row.view("seen"));
              }),
          maybe_text("why", &Run::why)};
}

}  // namespace

const pg::RowTable<StoredRun>& run_row() {
  static const pg::RowTable<StoredRun> table{
      6, [] {
        std::vector<Column> all{pg::column("lane", &StoredRun::lane)};
        for (auto& column : state_columns()) all.push_back(std::move(column));
        for (auto& column : other_columns()) all.push_back(std::move(column));
        return all;
      }()};
  return table;
}

StoredRun stored_run_of(const pg::Row& row) {
  StoredRun stored;
  stored.owner = {row.integer("account_id"), row.uuid("contact_id")};
  stored.seq = row.integer("seq");
  stored.run.id = row.uuid("run_id");
  run_row().read(row, stored);
  return stored;
}

}  // namespace shopbell::automation
