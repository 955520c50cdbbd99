#include "resources/exports/person.h"

#include <format>

#include "pg/snapshot.h"

namespace shopbell::exports {

namespace {

std::string time(std::string_view at) {
  return std::format(R"(to_char({}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))", at);
}

// Returns an export of the type with the rows of this contact only.
Export of_type(const Export& person, std::string type) {
  Export request = person;
  request.type = std::move(type);
  return request;
}

// The full consent history of the contact, with its proof.
Column consent() {
  return {"consent", "",
          std::format(
              "(SELECT coalesce(json_agg(json_build_object('channel', k.channel, 'status', "
              "k.status, 'at', {}, 'source', k.source, 'ip', k.ip, 'userAgent', k.user_agent, "
              "'wording', k.wording, 'method', k.method, 'receivedAt', {}) ORDER BY k.at DESC, "
              "k.channel, k.status), '[]') FROM consent k WHERE k.account_id = c.account_id AND "
              "k.contact_id = c.contact_id)",
              time("k.at"), time("k.received_at")),
          false};
}

Part contact(const Export& person, std::int64_t account, const std::vector<OwnField>& own) {
  const Export request = of_type(person, "contacts");
  std::vector<Column> columns = chosen_columns(request, own);
  columns.push_back(consent());
  return {"contact.json", statement_of(request, account, columns)};
}

Part all_of(const Export& person, std::int64_t account, const std::string& type) {
  const Export request = of_type(person, type);
  return {type + ".ndjson", statement_of(request, account, chosen_columns(request, {}))};
}

Part lines(const std::string& file, std::string_view name, const std::string& rows) {
  return {file, {.copy = lines_of(name, rows), .plain = ""}};
}

// Codes that were assigned to the contact or redeemed by it, without data of other contacts.
Part coupons(std::int64_t account, const std::string& id) {
  const auto rows = [&](std::string_view what, std::string_view from, std::string_view more) {
    return std::format(
        "SELECT {0}, coalesce(c.code, t.code_key) AS code, s.alias AS \"couponSet\" FROM {1} t "
        "LEFT "
        "JOIN coupon c ON c.account_id = t.account_id AND c.code_key = t.code_key AND "
        "c.coupon_set_id = t.coupon_set_id LEFT JOIN coupon_set s ON s.account_id = t.account_id "
        "AND s.coupon_set_id = t.coupon_set_id {2} WHERE t.account_id = {3} AND t.contact_id = "
        "{4}::uuid",
        what, from, more, account, id);
  };
  const std::string all =
      rows("t.claimed_at AS at, 'assigned' AS what, NULL AS purchase, NULL::boolean AS by_other",
           "coupon_claim", "") +
      " UNION ALL " +
      rows("t.redeemed_at, 'redeemed', p.store_id, t.by_other", "coupon_redemption",
           "LEFT JOIN purchase p ON p.account_id = t.account_id AND p.purchase_id = t.purchase_id");
  return lines(
      "coupons.ndjson", "person_coupons",
      std::format("SELECT g.code, g.\"couponSet\", CASE WHEN g.what = 'assigned' THEN {0} END AS "
                  "\"assignedAt\", CASE WHEN g.what = 'redeemed' THEN {0} END AS \"redeemedAt\", "
                  "g.purchase AS \"purchaseId\", g.by_other AS \"byOther\" FROM ({1}) AS g ORDER "
                  "BY g.at, g.code, g.what",
                  time("g.at"), all));
}

// Selects the ids of contacts that were merged into this one.
Part merged_contacts(std::int64_t account, const std::string& id) {
  return lines("merged-contacts.ndjson", "person_merged",
               std::format("SELECT m.contact_id AS id, {} AS \"mergedAt\" FROM merged_contact m "
                           "WHERE m.account_id = {} AND m.into_id = {}::uuid ORDER BY "
                           "m.merged_at, m.contact_id",
                           time("m.merged_at"), account, id));
}

// A condition on the contact, with the contacts that were merged into it.
std::string of_person(std::string_view column, std::int64_t account, const std::string& id) {
  return std::format(
      "({0} = {2}::uuid OR {0} IN (SELECT m.contact_id FROM merged_contact m WHERE m.account_id = "
      "{1} "
      "AND m.into_id = {2}::uuid))",
      column, account, id);
}

// Runs of workflows, open and ended, with what they remember of the person.
Part runs(std::int64_t account, const std::string& id) {
  const std::string all = std::format(
      "SELECT r.run_id, r.workflow_id, r.version, r.node, r.key, r.started_at, NULL::timestamptz "
      "AS "
      "ended_at, r.state, r.data::text AS data FROM run r WHERE r.account_id = {0} AND {1} UNION "
      "ALL SELECT h.run_id, h.workflow_id, h.version, h.node, h.key, "
      "h.started_at, h.ended_at, 'ended', NULL FROM run_history h WHERE h.account_id = {0} AND {2}",
      account, of_person("r.contact_id", account, id), of_person("h.contact_id", account, id));
  return lines("runs.ndjson", "person_runs",
               std::format("SELECT r.run_id AS id, w.alias AS workflow, r.version, r.node, r.key, "
                           "r.state, {} AS \"startedAt\", {} AS \"endedAt\", r.data::json AS data "
                           "FROM ({}) AS r LEFT JOIN workflow w ON w.account_id = {} AND "
                           "w.workflow_id = r.workflow_id ORDER BY r.started_at, r.run_id",
                           time("r.started_at"), time("r.ended_at"), all, account));
}

Part messages(std::int64_t account, const std::string& id) {
  return lines("messages.ndjson", "person_messages",
               std::format("SELECT m.message_id AS id, w.alias AS workflow, m.node, m.template, "
                           "m.class, m.state, m.reason, {} AS \"plannedAt\", {} AS \"endedAt\" "
                           "FROM message m LEFT JOIN workflow w ON w.account_id = m.account_id AND "
                           "w.workflow_id = m.workflow_id WHERE m.account_id = {} AND {} ORDER "
                           "BY m.planned_at, m.message_id",
                           time("m.planned_at"), time("m.ended_at"), account,
                           of_person("m.contact_id", account, id)));
}

}  // namespace

std::vector<Part> parts_of_person(const Export& request, std::int64_t account,
                                  const std::vector<OwnField>& own) {
  const std::string id = pg::Snapshot::quote(request.filters.contact->id.value_or(""));
  return {contact(request, account, own),
          all_of(request, account, "purchases"),
          all_of(request, account, "activities"),
          coupons(account, id),
          merged_contacts(account, id),
          runs(account, id),
          messages(account, id)};
}

}  // namespace shopbell::exports
