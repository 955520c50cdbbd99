#include "resources/products/products_api.h"

#include <format>

#include "base/identity.h"
#include "base/limits.h"
#include "base/text.h"
#include "http/answer.h"
#include "http/conditions.h"
#include "http/page.h"
#include "http/wire/path.h"
#include "http/write.h"
#include "resources/products/product_json.h"
#include "resources/products/product_store.h"
#include "resources/triggers/trigger.h"

namespace shopbell::products {

namespace {

using Answer = boost::asio::awaitable<http::Response>;

Problem missing() { return Problem{Code::not_found, "There is no such product."}; }

Key key_of(const http::Call& call, bool by_store_id) {
  auto key = store_keys::key_of(call, by_store_id);
  if (!key) throw missing();
  return std::move(*key);
}

// What a patch may make is not missing: an id that cannot be one is the caller's to mend.
Key key_of_new(const http::Call& call) {
  auto key = store_keys::key_of(call, true);
  if (!key)
    throw Problem{Code::invalid_parameter,
                  "The path has parameters that cannot be used.",
                  {{Fault::Where::parameter, "id", "invalid-format",
                    "Is no text of visible characters that can name a product."}}};
  return std::move(*key);
}

std::string tag_of(const Product& product) {
  static const std::string shape = http::shape_of(product_json().schema());
  return http::version_tag(product.created_at, product.version, shape);
}

http::Response answer_of(const Product& product, const json::Reading& reading = json::Reading{}) {
  return http::resource_answer(product_json(), product, tag_of(product), reading);
}

Answer get(http::Call call, bool by_store_id) {
  const auto product =
      co_await find_product(call.database(), call.scope(), key_of(call, by_store_id));
  if (!product) throw missing();
  co_return answer_of(*product);
}

Knowledge knowledge_of(const http::Call& call, Instant now) {
  return {.account = call.account(), .now = now, .trigger = triggers::trigger_of(call)};
}

http::Response decide_patch(const http::Call& call, const Key& key,
                            const json::Changes<Product>& patch, json::Reading reading,
                            const http::Premises& premises, pg::Group& effect) {
  Knowledge known = knowledge_of(call, premises.now);
  learn_store_terms(premises.results[1], known);
  const auto found = found_product(premises.results[0]);
  Product before = found.value_or(Product{});
  if (!found) {
    before.id = Uuid::v7(known.now);
    before.product_id = key.store_id;
  }
  const Change change = decide_change(reading, before, patch, known);
  http::check_conditions(call, found ? std::optional{tag_of(*found)} : std::nullopt);
  if (change.is_write) write_change(effect, change, known);
  http::Response response = answer_of(change.after, reading);
  if (change.stale) response.headers.emplace_back("Shopbell-Applied", "stale");
  if (!found) {
    response.status = 201;
    response.headers.emplace_back("Location",
                                  std::format("{}/products/product-id/{}", call.base_path(),
                                              http::percent_encode(key.store_id)));
  }
  return response;
}

Answer change(http::Call call) {
  json::Reading reading = call.reading();
  const auto patch = product_json().read_patch(call.body(), reading);
  const Key key = key_of_new(call);
  pg::Group reads;
  read_product(reads, call.account(), key);
  read_store_terms(reads, call.account());
  pg::Group locks;
  lock_product(locks, call.account(), key);
  co_return co_await http::write(
      call, std::move(reads),
      [&](const http::Premises& premises, pg::Group& effect) {
        return decide_patch(call, key, patch, reading, premises, effect);
      },
      std::move(locks));
}

Answer remove_product(http::Call call, bool by_store_id) {
  const Key key = key_of(call, by_store_id);
  pg::Group reads;
  read_product(reads, call.account(), key);
  pg::Group locks;
  lock_product(locks, call.account(), key);
  co_return co_await http::write(
      call, std::move(reads),
      [&](const http::Premises& premises, pg::Group& effect) {
        const auto found = found_product(premises.results[0]);
        if (!found) throw missing();
        http::check_conditions(call, tag_of(*found));
        remove(effect, *found, knowledge_of(call, premises.now));
        return http::Response{.status = 204};
      },
      std::move(locks));
}

Answer list(http::Call call) {
  const http::PageWish wish = http::read_page_wish(call);
  Listing listing{.after = wish.after, .ascending = wish.ascending, .limit = wish.limit + 1};
  if (const auto q = call.parameter("q")) {
    listing.prefix = search_key(*q);
    if (listing.prefix->empty())
      throw Problem{Code::invalid_parameter,
                    "The query has parameters that cannot be used.",
                    {{Fault::Where::parameter, "q", "too-short", "Holds nothing to look for."}}};
  }
  const bool searched = listing.prefix.has_value();
  const auto found = co_await list_products(call.database(), call.scope(), std::move(listing));
  co_return http::page_answer<Product>(
      call, wish, product_json(), found,
      [searched](const Product& product) { return position_of(product, searched); });
}

http::Operation operation(std::string id, std::string summary, std::string description) {
  return {.id = std::move(id),
          .tag = "Products",
          .tag_description = "What a store sells, by the store's own ids.",
          .summary = std::move(summary),
          .description = std::move(description),
          .answer_name = "Product",
          .answer = product_json().answer_schema(),
          .versioned = true,
          .problems = {Code::not_found}};
}

http::Operation deletion(std::string id, std::string summary) {
  http::Operation described = operation(std::move(id), std::move(summary),
                                        "Purchases of it stay: their lines say what was bought.");
  described.success = 204;
  described.answer_name.clear();
  described.parameters = {triggers::trigger_parameter()};
  return described;
}

http::Route patch_route() {
  http::Operation described =
      operation("patchProductByStoreId", "Patch or create product by store identifier",
                "Changes what the patch names; makes the product when there is none.");
  described.may_create = true;
  described.parameters = {triggers::trigger_parameter()};
  described.body = http::Body{.name = "ProductPatch",
                              .schema = product_json().patch_schema(),
                              .example = product_json().example(),
                              .bytes_max = limits::kProductBytes};
  described.problems = {Code::url_domain};
  return {http::Method::patch, "/products/product-id/{id}", http::Access::scope("products:write"),
          change, std::move(described)};
}

http::Route list_route() {
  http::Operation described =
      operation("listProducts", "List products",
                "Newest first; with `q` by name, whatever the order asked for.");
  described.tag = "Manage products";
  described.tag_description = "Products as people look for them.";
  described.answer_name = "ProductPage";
  described.answer = http::page_schema("Product");
  described.versioned = false;
  described.problems = {Code::invalid_cursor};
  described.parameters = http::page_parameters(
      {{"q",
        "The beginning of a name.",
        {.type = "string", .length_min = 1, .length_max = limits::kTextCharacters}}});
  return {http::Method::get, "/manage/products/", http::Access::scope("manage-products:read"), list,
          std::move(described)};
}

}  // namespace

std::vector<http::Route> routes() {
  const auto by = [](auto handler, bool by_store_id) {
    return [handler, by_store_id](http::Call call) { return handler(call, by_store_id); };
  };
  const auto read = http::Access::scope("products:read");
  const auto erase = http::Access::scope("products:delete");
  return {
      {http::Method::get, "/products/{id}", read, by(get, false),
       operation("getProduct", "Get product detail by Id", "One product.")},
      {http::Method::delete_, "/products/{id}", erase, by(remove_product, false),
       deletion("deleteProduct", "Delete product by Id")},
      {http::Method::get, "/products/product-id/{id}", read, by(get, true),
       operation("getProductByStoreId", "Get product detail by store identifier", "One product.")},
      {http::Method::delete_, "/products/product-id/{id}", erase, by(remove_product, true),
       deletion("deleteProductByStoreId", "Delete product by product store identifier")},
      patch_route(),
      list_route()};
}

}  // namespace shopbell::products
