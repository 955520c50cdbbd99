// Products, purchases, coupons and events of a file: each record is the request that would have
// brought it, done by the operation that takes such a request, all of a chunk in one transaction.
#include <algorithm>
#include <format>
#include <set>

#include "base/limits.h"
#include "base/problem.h"
#include "base/text.h"
#include "http/call.h"
#include "http/route.h"
#include "resources/coupons/coupons_api.h"
#include "resources/custom_events/custom_event.h"
#include "resources/custom_events/custom_events_api.h"
#include "resources/imports/row_writer.h"
#include "resources/integrations/event_type_set.h"
#include "resources/integrations/event_type_store.h"
#include "resources/products/product_json.h"
#include "resources/products/products_api.h"
#include "resources/purchases/purchase_json.h"
#include "resources/purchases/purchases_api.h"

namespace shopbell::imports {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The operation that takes one record of a type, and how a record becomes its request.
struct Way {
  std::vector<http::Route> routes;
  std::string operation;
  std::string id;       // the member that no two records of a chunk may share
  std::string grouped;  // as RowWriter::grouped
  Pairs parameters;     // of the query
};

Way way_of(const Import& import) {
  const std::string& trigger = import.options.trigger_workflows;
  if (import.type == "products")
    return {.routes = products::routes(),
            .operation = "patchProductByStoreId",
            .id = "productId",
            .grouped = "",
            .parameters = {{"triggerWorkflows", trigger}}};
  if (import.type == "purchases")
    return {.routes = purchases::routes(),
            .operation = "createPurchase",
            .id = "purchaseId",
            .grouped = "purchaseId",
            .parameters = {
                {"triggerWorkflows", trigger}, {"createContact", "true"}, {"ifExists", "replace"}}};
  if (import.type == "coupons")
    return {.routes = coupons::routes(),
            .operation = "addCouponCodes",
            .id = "code",
            .grouped = "",
            .parameters = {}};
  const bool by_id = Uuid::parse(import.options.event_type.value_or("")).has_value();
  return {.routes = custom_events::routes(),
          .operation = by_id ? "createCustomEventById" : "createCustomEventByAlias",
          .id = "eventId",
          .grouped = "",
          .parameters = {{"triggerWorkflows", trigger}, {"createContact", "true"}}};
}

// All of a chunk is taken back: it was only to be seen what would come of it.
struct OnlyTried {};

class RequestWriter final : public RowWriter {
 public:
  explicit RequestWriter(const Desk& desk)
      : desk_{desk},
        way_{way_of(desk.import)},
        route_{&*std::ranges::find(way_.routes, way_.operation,
                                   [](const http::Route& route) { return route.operation.id; })} {
    const Options& options = desk.import.options;
    request_.method = route_->method;
    if (options.on_invalid == "cell") request_.headers.emplace_back("prefer", "handling=lenient");
    // As a request would ask for it.
    if (takes_modes() && options.mode == "createOnly")
      request_.headers.emplace_back("if-none-match", "*");
    if (takes_modes() && options.mode == "updateOnly")
      request_.headers.emplace_back("if-match", "*");
  }

  boost::asio::awaitable<FindKind> columns() override {
    if (desk_.import.type == "coupons") co_return columns_of_coupons();
    if (desk_.import.type == "events") co_return columns_of_events(co_await payload_of_type());
    const bool product = desk_.import.type == "products";
    co_return
        [shown = product ? products::product_json().schema() : purchases::purchase_json().schema(),
         sent = product ? products::product_json().patch_schema()
                        : purchases::purchase_json().new_schema(),
         id = way_.id](const Path& path) {
          // In a request it may stand in the path.
          return path == Path{id} ? CellKind::text : kind_in(shown, sent, path);
        };
  }

  std::string grouped() const override { return way_.grouped; }

  // What is written in the same transaction is not seen by all that a request looks at.
  std::size_t togetherness(std::span<const Record> records) const override {
    std::set<std::string> seen;
    std::size_t together = 0;
    for (const auto& record : records.first(std::min(records.size(), limits::kImportRequests))) {
      const auto id = id_of(record);
      if (id && !seen.insert(*id).second) break;
      ++together;
    }
    return together;
  }

  boost::asio::awaitable<void> write(std::span<const Record> records, Account account) override {
    std::vector<Judged> judged;
    try {
      co_await desk_.database.transaction(desk_.scope(), [&](pg::Transaction& transaction) {
        return write_within(transaction, records, account, judged);
      });
      co_return;
    } catch (const OnlyTried&) {
    }
    pg::Group effect;
    account(judged, effect);
    co_await desk_.database.run(std::move(effect), desk_.scope());
  }

 private:
  bool takes_modes() const { return way_.id == "productId" || way_.id == "purchaseId"; }

  boost::asio::awaitable<void> write_within(pg::Transaction& transaction,
                                            std::span<const Record> records, const Account& account,
                                            std::vector<Judged>& judged) {
    judged.clear();
    for (const auto& record : records) judged.push_back(co_await judge(transaction, record));
    if (desk_.import.options.dry_run) throw OnlyTried{};
    pg::Group effect;
    account(judged, effect);
    co_await transaction.run(std::move(effect));
  }

  boost::asio::awaitable<Judged> judge(pg::Transaction& transaction, const Record& record) {
    if (record.fault) co_return Judged{Outcome::failed, {*record.fault}};
    try {
      co_return co_await send(transaction, record);
    } catch (const Problem& problem) {
      if (problem.status() == 503) throw;
      if (problem.code() == Code::precondition_failed && desk_.import.options.mode == "createOnly")
        co_return Judged{};
      co_return Judged{Outcome::failed, errors_of(record, problem)};
    }
  }

  boost::asio::awaitable<Judged> send(pg::Transaction& transaction, const Record& record) {
    http::Whole whole{.transaction = &transaction};
    http::Exchange exchange{.request = &request_,
                            .request_id = desk_.import.id.to_string(),
                            .query_parameters = way_.parameters,
                            .deadline = desk_.scope().deadline,
                            .database = &desk_.database,
                            .clock = &system_clock(),
                            .keyring = &desk_.keyring,
                            .whole = &whole,
                            .route = route_};
    exchange.caller.account = desk_.account;
    exchange.caller.scopes = {"contacts:write"};
    if (record.json.size() > route_->operation.body->bytes_max)
      throw Problem{Code::body_too_large, "It is larger than a request for it may be."};
    exchange.body = json::Document::parse_body(record.json);
    settle(record, exchange);
    const http::Response response = co_await route_->handler(http::Call{exchange});
    Judged judged{response.status == 201 ? Outcome::created
                  : whole.wrote          ? Outcome::updated
                                         : Outcome::unchanged,
                  warnings_of(record, response)};
    if (desk_.import.type == "coupons" && whole.wrote) judged.outcome = Outcome::created;
    co_return judged;
  }

  // What the path says, and the body where it is another one.
  void settle(const Record& record, http::Exchange& exchange) const {
    const Options& options = desk_.import.options;
    if (desk_.import.type == "products") {
      exchange.path_parameters = {{"id", required(record, exchange.body->root())}};
    } else if (desk_.import.type == "coupons") {
      json::Writer writer;
      writer.begin_object().key("codes").begin_list();
      writer.text(required(record, exchange.body->root())).end().end();
      exchange.body = json::Document::parse_body(writer.finish());
      exchange.path_parameters = {{"id", options.coupon_set_id.value_or("")}};
    } else if (desk_.import.type == "events") {
      exchange.path_parameters = {
          {route_->path.contains("{alias}") ? "alias" : "id", options.event_type.value_or("")}};
    }
  }

  std::string required(const Record& record, const json::Value& body) const {
    const auto id = body.member(way_.id);
    if (id && id->type() == json::Type::text) return std::string{id->text()};
    json::Reading reading;
    reading.refuse_at(way_.id, "required", "Is missing.");
    reading.finish();
    throw std::logic_error{record.json};
  }

  std::optional<std::string> id_of(const Record& record) const {
    if (record.fault) return std::nullopt;
    const auto document = json::Document::parse(record.json);
    if (!document) return std::nullopt;
    const auto id = document->root().member(way_.id);
    if (!id || id->type() != json::Type::text) return std::nullopt;
    return to_nfc(id->text());  // as it is stored
  }

  std::vector<RowError> warnings_of(const Record& record, const http::Response& response) const {
    std::vector<RowError> warnings;
    if (desk_.import.options.on_invalid != "cell") return warnings;
    const auto document = json::Document::parse(response.body);
    const auto told = document ? document->root().member("warnings") : std::nullopt;
    if (!told) return warnings;
    told->for_each([&](std::string_view, const json::Value& warning) {
      const auto text = [&](std::string_view name) {
        const auto member = warning.member(name);
        return member ? std::string{member->text()} : "";
      };
      warnings.push_back(error_of(record.row, text("pointer"), text("code"), text("detail")));
    });
    return warnings;
  }

  // What is exported beside the code is the service's own.
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
    integrations::read_definitions_version(reads, desk_.account);
    const pg::Results found = co_await desk_.database.run(std::move(reads), desk_.scope());
    integrations::EventTypeSets memory;
    const auto types = co_await memory.get(desk_.database, desk_.scope(),
                                           integrations::found_definitions_version(found[0]));
    const std::string wanted = desk_.import.options.event_type.value_or("");
    const auto id = Uuid::parse(wanted);
    const auto* type = id ? types->find(*id) : types->find(wanted);
    if (type == nullptr) throw Problem{Code::not_found, "There is no such event type any more."};
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

  const Desk desk_;
  const Way way_;
  const http::Route* route_;
  http::Request request_;
};

}  // namespace

std::unique_ptr<RowWriter> request_writer(const Desk& desk) {
  return std::make_unique<RequestWriter>(desk);
}

}  // namespace shopbell::imports
