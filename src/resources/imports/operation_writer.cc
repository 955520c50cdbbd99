// Writes the products, purchases, coupons or events of an import file. Each record invokes the
// operation that writes one such object, all records of a chunk in one transaction.
#include <algorithm>
#include <format>
#include <set>

#include "base/limits.h"
#include "base/problem.h"
#include "base/text.h"
#include "operations/input.h"
#include "operations/operation.h"
#include "resources/coupons/coupons_operations.h"
#include "resources/custom_events/custom_event.h"
#include "resources/custom_events/custom_events_operations.h"
#include "resources/imports/row_writer.h"
#include "resources/integrations/event_type_set.h"
#include "resources/integrations/event_type_store.h"
#include "resources/products/product_json.h"
#include "resources/products/products_operations.h"
#include "resources/purchases/purchase_json.h"
#include "resources/purchases/purchases_operations.h"

namespace shopbell::imports {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The operation for one record of a type, and how a record becomes its input.
struct Target {
  std::vector<operations::Operation> operations;
  std::string operation;
  std::string id;       // member that must be unique in a chunk
  std::string grouped;  // column that groups rows into a record
  Pairs parameters;     // query parameters of each call
};

Target target_of(const Import& import) {
  const std::string& trigger = import.options.trigger_workflows;
  if (import.type == "products")
    return {.operations = products::operation_table(),
            .operation = "patchProductByStoreId",
            .id = "productId",
            .grouped = "",
            .parameters = {{"triggerWorkflows", trigger}}};
  if (import.type == "purchases")
    return {.operations = purchases::operation_table(),
            .operation = "createPurchase",
            .id = "purchaseId",
            .grouped = "purchaseId",
            .parameters = {
                {"triggerWorkflows", trigger}, {"createContact", "true"}, {"ifExists", "replace"}}};
  if (import.type == "coupons")
    return {.operations = coupons::operation_table(),
            .operation = "addCouponCodes",
            .id = "code",
            .grouped = "",
            .parameters = {}};
  const bool by_id = Uuid::parse(import.options.event_type.value_or("")).has_value();
  return {.operations = custom_events::operation_table(),
          .operation = by_id ? "createCustomEventById" : "createCustomEventByAlias",
          .id = "eventId",
          .grouped = "",
          .parameters = {{"triggerWorkflows", trigger}, {"createContact", "true"}}};
}

// Thrown to roll back the chunk of a dry run.
struct DryRun {};

class OperationWriter final : public RowWriter {
 public:
  explicit OperationWriter(const ImportSession& session)
      : session_{session},
        target_{target_of(session.import)},
        operation_{operations::find_operation(target_.operations, target_.operation)} {
    const Options& options = session.import.options;
    preferences_.lenient = options.on_invalid == "cell";
    if (takes_modes() && options.mode == "createOnly")
      conditions_.if_none_match = operations::TagList::any_tag();
    if (takes_modes() && options.mode == "updateOnly")
      conditions_.if_match = operations::TagList::any_tag();
  }

  boost::asio::awaitable<FindKind> columns() override {
    if (session_.import.type == "coupons") co_return columns_of_coupons();
    if (session_.import.type == "events") co_return columns_of_events(co_await payload_of_type());
    const bool product = session_.import.type == "products";
    co_return
        [shown = product ? products::product_json().schema() : purchases::purchase_json().schema(),
         sent = product ? products::product_json().patch_schema()
                        : purchases::purchase_json().new_schema(),
         id = target_.id](const Path& path) {
          // The id of a product is in the path of a request, not in its body.
          return path == Path{id} ? CellKind::text : kind_in(shown, sent, path);
        };
  }

  std::string grouped() const override { return target_.grouped; }

  // A transaction writes each id at most once, because an operation does not see all writes made
  // before it in the same transaction.
  std::size_t batch_size(std::span<const Record> records) const override {
    std::set<std::string> seen;
    std::size_t size = 0;
    for (const auto& record : records.first(std::min(records.size(), limits::kImportRequests))) {
      const auto id = id_of(record);
      if (id && !seen.insert(*id).second) break;
      ++size;
    }
    return size;
  }

  boost::asio::awaitable<void> write(std::span<const Record> records,
                                     AddProgress add_progress) override {
    std::vector<Judged> judged;
    try {
      co_await session_.database.transaction(session_.scope(), [&](pg::Transaction& transaction) {
        return write_within(transaction, records, add_progress, judged);
      });
      co_return;
    } catch (const DryRun&) {
    }
    pg::Group effect;
    add_progress(judged, effect);
    co_await session_.database.run(std::move(effect), session_.scope());
  }

 private:
  bool takes_modes() const { return target_.id == "productId" || target_.id == "purchaseId"; }

  boost::asio::awaitable<void> write_within(pg::Transaction& transaction,
                                            std::span<const Record> records,
                                            const AddProgress& add_progress,
                                            std::vector<Judged>& judged) {
    judged.clear();
    for (const auto& record : records) judged.push_back(co_await judge(transaction, record));
    if (session_.import.options.dry_run) throw DryRun{};
    pg::Group effect;
    add_progress(judged, effect);
    co_await transaction.run(std::move(effect));
  }

  boost::asio::awaitable<Judged> judge(pg::Transaction& transaction, const Record& record) {
    if (record.fault) co_return Judged{Outcome::failed, {*record.fault}};
    try {
      co_return co_await send(transaction, record);
    } catch (const Problem& problem) {
      if (problem.status() == 503) throw;
      if (problem.code() == Code::precondition_failed &&
          session_.import.options.mode == "createOnly")
        co_return Judged{};
      co_return Judged{Outcome::failed, errors_of(record, problem)};
    }
  }

  boost::asio::awaitable<Judged> send(pg::Transaction& transaction, const Record& record) {
    operations::OuterTransaction outer{.transaction = &transaction};
    operations::Invocation invocation{
        .operation = &operation_,
        .caller = {.kind = operations::Caller::Kind::import, .account = session_.account},
        .request_id = session_.import.id.to_string(),
        .query_parameters = target_.parameters,
        .conditions = conditions_,
        .preferences = preferences_,
        .deadline = session_.scope().deadline,
        .database = &session_.database,
        .clock = &system_clock(),
        .keyring = &session_.keyring,
        .outer = &outer};
    if (record.json.size() > operation_.description.body->bytes_max)
      throw Problem{Code::body_too_large, "The record exceeds the size limit of a request body."};
    invocation.body = json::Document::parse_body(record.json);
    set_parameters(record, invocation);
    const operations::Output output = co_await operation_.handler(operations::Input{invocation});
    Judged judged{output.outcome == operations::Outcome::created ? Outcome::created
                  : outer.wrote                                  ? Outcome::updated
                                                                 : Outcome::unchanged,
                  warnings_of(record, output)};
    if (session_.import.type == "coupons" && outer.wrote) judged.outcome = Outcome::created;
    co_return judged;
  }

  // Sets the path parameters. Sets the body too, if the operation's body is not the record.
  void set_parameters(const Record& record, operations::Invocation& invocation) const {
    const Options& options = session_.import.options;
    if (session_.import.type == "products") {
      invocation.path_parameters = {{"id", required(record, invocation.body->root())}};
    } else if (session_.import.type == "coupons") {
      json::Writer writer;
      writer.begin_object().key("codes").begin_list();
      writer.text(required(record, invocation.body->root())).end().end();
      invocation.body = json::Document::parse_body(writer.finish());
      invocation.path_parameters = {{"id", options.coupon_set_id.value_or("")}};
    } else if (session_.import.type == "events") {
      invocation.path_parameters = {
          {operation_.path.contains("{alias}") ? "alias" : "id", options.event_type.value_or("")}};
    }
  }

  std::string required(const Record& record, const json::Value& body) const {
    const auto id = body.member(target_.id);
    if (id && id->type() == json::Type::text) return std::string{id->text()};
    json::Reading reading;
    reading.refuse_at(target_.id, "required", "Is missing.");
    reading.finish();
    throw std::logic_error{record.json};
  }

  std::optional<std::string> id_of(const Record& record) const {
    if (record.fault) return std::nullopt;
    const auto document = json::Document::parse(record.json);
    if (!document) return std::nullopt;
    const auto id = document->root().member(target_.id);
    if (!id || id->type() != json::Type::text) return std::nullopt;
    return to_nfc(id->text());  // the id as it is stored
  }

  std::vector<RowError> warnings_of(const Record& record, const operations::Output& output) const {
    std::vector<RowError> warnings;
    if (!preferences_.lenient) return warnings;
    for (const auto& warning : output.warnings)
      warnings.push_back(error_of(record.row, warning.at, warning.code, warning.detail));
    return warnings;
  }

  // Codes are imported; the other columns of a coupon export are read-only.
  static FindKind columns_of_coupons() {
    return [](const Path& path) -> std::optional<CellKind> {
      constexpr std::array<std::string_view, 7> kOwn{
          "couponSet", "state", "contactId", "assignedAt", "redeemedAt", "byOther", "addedAt"};
      if (path.size() != 1) return std::nullopt;
      if (path.front() == "code") return CellKind::text;
      if (std::ranges::contains(kOwn, path.front())) return CellKind::ignored;
      return std::nullopt;
    };
  }

  boost::asio::awaitable<integrations::PayloadShape> payload_of_type() {
    pg::Group reads;
    integrations::read_definitions_version(reads, session_.account);
    const pg::Results found = co_await session_.database.run(std::move(reads), session_.scope());
    integrations::EventTypeSets memory;
    const auto types = co_await memory.get(session_.database, session_.scope(),
                                           integrations::found_definitions_version(found[0]));
    const std::string wanted = session_.import.options.event_type.value_or("");
    const auto id = Uuid::parse(wanted);
    const auto* type = id ? types->find(*id) : types->find(wanted);
    if (type == nullptr) throw Problem{Code::not_found, "The event type has been deleted."};
    co_return type->payload;
  }

  static FindKind columns_of_events(integrations::PayloadShape payload) {
    return [payload = std::move(payload), shown = json::Schema{},
            sent = custom_events::sent_event_json().new_schema()](
               const Path& path) -> std::optional<CellKind> {
      if (path.front() != "payload" || path.size() == 1) return kind_in(shown, sent, path);
      const auto type = payload.type_at(std::span{path}.subspan(1));
      if (type == "integer" || type == "decimal") return CellKind::number;
      if (type == "boolean") return CellKind::boolean;
      if (type == "choices") return CellKind::texts;
      if (type.empty()) return std::nullopt;
      const bool any = type == "object" || type == "list" || type == "any";
      return any ? CellKind::any : CellKind::text;
    };
  }

  const ImportSession session_;
  const Target target_;
  const operations::Operation& operation_;
  operations::Conditions conditions_;
  operations::Preferences preferences_;
};

}  // namespace

std::unique_ptr<RowWriter> operation_writer(const ImportSession& session) {
  return std::make_unique<OperationWriter>(session);
}

}  // namespace shopbell::imports
