#include "resources/products/products_operations.h"

#include <format>

#include "base/identity.h"
#include "base/limits.h"
#include "base/percent.h"
#include "base/text.h"
#include "operations/conditions.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/resource_operations.h"
#include "operations/trigger.h"
#include "operations/write.h"
#include "resources/products/product_json.h"
#include "resources/products/product_store.h"

namespace shopbell::products {

namespace {

using Answer = boost::asio::awaitable<operations::Output>;

Problem missing() { return Problem{Code::not_found, "There is no such product."}; }

Key key_of(const operations::Input& input, bool by_store_id) {
  auto key = operations::store_key_of(input, by_store_id);
  if (!key) throw missing();
  return std::move(*key);
}

// A patch can create the product, so an invalid id is refused as a parameter and not as a 404.
Key key_of_new(const operations::Input& input) {
  auto key = operations::store_key_of(input, true);
  if (!key)
    throw Problem{Code::invalid_parameter,
                  "The path has parameters that cannot be used.",
                  {{Fault::Where::parameter, "id", "invalid-format",
                    "Must be one line of 1 to 256 characters."}}};
  return std::move(*key);
}

std::string tag_of(const Product& product) {
  static const std::string shape = operations::shape_of(product_json().schema());
  return operations::version_tag(product.created_at, product.version, shape);
}

operations::Output answer_of(const Product& product,
                             const json::Reading& reading = json::Reading{}) {
  return operations::resource_output(product_json(), product, tag_of(product), reading);
}

Answer get(operations::Input input, bool by_store_id) {
  const auto product =
      co_await find_product(input.database(), input.scope(), key_of(input, by_store_id));
  if (!product) throw missing();
  co_return answer_of(*product);
}

Knowledge knowledge_of(const operations::Input& input, Instant now) {
  return {.account = input.account(), .now = now, .trigger = operations::trigger_of(input)};
}

operations::Output decide_patch(const operations::Input& input, const Key& key,
                                const json::Changes<Product>& patch, json::Reading reading,
                                const operations::Premises& premises, pg::Group& effect) {
  Knowledge known = knowledge_of(input, premises.now);
  learn_store_terms(premises.results[1], known);
  const auto found = found_product(premises.results[0]);
  Product before = found.value_or(Product{});
  if (!found) {
    before.id = Uuid::v7(known.now);
    before.product_id = key.store_id;
  }
  const Change change = decide_change(reading, before, patch, known);
  operations::check_conditions(input, found ? std::optional{tag_of(*found)} : std::nullopt);
  if (change.is_write) write_change(effect, change, known);
  operations::Output output = answer_of(change.after, reading);
  if (change.stale) output.applied.emplace_back("stale");
  if (!found) {
    output =
        operations::created(input, std::move(output),
                            std::format("/products/product-id/{}", percent_encode(key.store_id)));
  }
  return output;
}

Answer change(operations::Input input) {
  json::Reading reading = input.reading();
  const auto patch = product_json().read_patch(input.body(), reading);
  const Key key = key_of_new(input);
  pg::Group reads;
  read_product(reads, input.account(), key);
  read_store_terms(reads, input.account());
  pg::Group locks;
  lock_product(locks, input.account(), key);
  co_return co_await operations::write(
      input, std::move(reads),
      [&](const operations::Premises& premises, pg::Group& effect) {
        return decide_patch(input, key, patch, reading, premises, effect);
      },
      std::move(locks));
}

Answer remove_product(operations::Input input, bool by_store_id) {
  const Key key = key_of(input, by_store_id);
  pg::Group reads;
  read_product(reads, input.account(), key);
  pg::Group locks;
  lock_product(locks, input.account(), key);
  co_return co_await operations::write(
      input, std::move(reads),
      [&](const operations::Premises& premises, pg::Group& effect) {
        const auto found = found_product(premises.results[0]);
        if (!found) throw missing();
        operations::check_conditions(input, tag_of(*found));
        remove(effect, *found, knowledge_of(input, premises.now));
        return operations::Output::no_content();
      },
      std::move(locks));
}

Answer list(operations::Input input) {
  const operations::PageRequest request = operations::read_page_request(input);
  Listing listing{
      .after = request.after, .ascending = request.ascending, .limit = request.limit + 1};
  if (const auto q = input.parameter("q")) {
    listing.prefix = search_key(*q);
    if (listing.prefix->empty())
      throw Problem{
          Code::invalid_parameter,
          "The query has parameters that cannot be used.",
          {{Fault::Where::parameter, "q", "too-short", "Contains no character to search for."}}};
  }
  const bool searched = listing.prefix.has_value();
  const auto found = co_await list_products(input.database(), input.scope(), std::move(listing));
  co_return operations::page_output<Product>(
      input, request, product_json(), found,
      [searched](const Product& product) { return position_of(product, searched); });
}

operations::Body product_patch() {
  operations::Body body = operations::patch_body(product_json(), product_json().example());
  body.bytes_max = limits::kProductBytes;
  return body;
}

std::vector<operations::QueryParameter> list_filters() {
  return {{"q",
           "The start of a name.",
           {.type = "string", .length_min = 1, .length_max = limits::kTextCharacters}}};
}

}  // namespace

std::vector<operations::Operation> operation_table() {
  using operations::Access;
  using operations::Method;
  const auto by = [](auto handler, bool by_store_id) {
    return [handler, by_store_id](operations::Input input) { return handler(input, by_store_id); };
  };
  const auto read = Access::scope("products:read");
  const auto erase = Access::scope("products:delete");
  const std::string one = "/products/{id}";
  const std::string one_by_store_id = "/products/product-id/{id}";
  const auto product =
      operations::ResourceOperations{
          .tag = "Products",
          .tag_description = "The products of a store, by the store's own ids.",
          .versioned = true}
          .with_answer(product_json());
  const auto managed =
      operations::ResourceOperations{.tag = "Manage products",
                                     .tag_description = "List and search products."}
          .with_answer(product_json());
  const std::string lines_stay = "Purchases of the product remain: their lines are snapshots.";
  const operations::OperationDetails triggers{.parameters = {operations::trigger_parameter()}};
  return {
      {Method::get, one, read, by(get, false),
       product.get("getProduct", "Get product detail by Id", "Returns one product.")},
      {Method::delete_, one, erase, by(remove_product, false),
       product.remove("deleteProduct", "Delete product by Id", lines_stay, triggers)},
      {Method::get, one_by_store_id, read, by(get, true),
       product.get("getProductByStoreId", "Get product detail by store identifier",
                   "Returns one product.")},
      {Method::delete_, one_by_store_id, erase, by(remove_product, true),
       product.remove("deleteProductByStoreId", "Delete product by product store identifier",
                      lines_stay, triggers)},
      {Method::patch, one_by_store_id, Access::scope("products:write"), change,
       product.upsert("patchProductByStoreId", "Patch or create product by store identifier",
                      "Changes the members in the patch and no others. Creates the product if it "
                      "does not exist.",
                      {.body = product_patch(),
                       .parameters = {operations::trigger_parameter()},
                       .problems = {Code::url_domain}})},
      {Method::get, "/manage/products/", Access::scope("manage-products:read"), list,
       managed.list("listProducts", "List products",
                    "Newest first. With `q`, products are always ordered by name.",
                    list_filters())}};
}

}  // namespace shopbell::products
