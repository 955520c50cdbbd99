#include "resources/products/product_json.h"

#include "base/limits.h"
#include "base/text.h"
#include "json/maps.h"
#include "json/shop_fields.h"

namespace shopbell::products {

namespace {

using json::Field;
using json::web_url;

template <class Resource>
Field<Resource> price(std::string name, std::optional<Decimal> Resource::* member) {
  return json::money(std::move(name), member).minimum(0);
}

template <class Resource>
Field<Resource> description(std::optional<std::string> Resource::* member) {
  return json::text("description", member)
      .several_lines()
      .length_max(limits::kDescriptionBytes)
      .rule([](std::string_view text) { return text.size() <= limits::kDescriptionBytes; },
            "Must have at most 65,535 bytes.");
}

template <class Resource>
Field<Resource> availability(std::optional<std::string> Resource::* member) {
  return json::text("availability", member)
      .doc("Takes precedence over `stock`.")
      .options({"inStock", "outOfStock", "preorder", "backorder", "discontinued"});
}

const json::Table<Variant>& variant_json() {
  static const json::Table<Variant> table{
      "ProductVariant",
      "A variant of a product, such as a size or a colour.",
      {json::text("name", &Variant::name), json::text("sku", &Variant::sku),
       json::text("gtin", &Variant::gtin).length_max(14), price("price", &Variant::price),
       price("originalPrice", &Variant::original_price), availability(&Variant::availability),
       json::integer("stock", &Variant::stock), web_url("imageUrl", &Variant::image_url),
       json::scalars("attributes", &Variant::attributes)}};
  return table;
}

const json::Table<Translation>& translation_json() {
  static const json::Table<Translation> table{
      "ProductTranslation",
      "The product's texts in another language.",
      {json::text("name", &Translation::name), description(&Translation::description),
       web_url("url", &Translation::url)}};
  return table;
}

struct Discount {
  std::string amount;
  std::string percent;
};

// Returns the difference between the original price and the price.
std::optional<Discount> discount_of(const Product& product) {
  if (!product.price || !product.original_price || *product.price >= *product.original_price)
    return std::nullopt;
  const auto amount = product.original_price->minus(*product.price);
  const auto percent = amount->scaled(Decimal::from_integer(100), *product.original_price);
  return Discount{amount->to_string(product.minor_digits), percent.value_or(Decimal{}).to_string()};
}

Field<Product> discount() {
  json::Schema shown{.type = "object",
                     .description =
                         "The difference between `originalPrice` and `price`; null if "
                         "there is none.",
                     .nullable = true,
                     .read_only = true};
  shown.members = {{"amount", json::decimal_schema()}, {"percent", json::decimal_schema()}};
  return Field<Product>{"discount", std::move(shown),
                        [](json::Writer& writer, const Product& product) {
                          const auto discount = discount_of(product);
                          if (!discount) {
                            writer.null();
                            return;
                          }
                          writer.begin_object().key("amount").text(discount->amount);
                          writer.key("percent").text(discount->percent).end();
                        },
                        [](json::Reading&, const json::Value&,
                           const Field<Product>&) -> Field<Product>::Set { return {}; }};
}

json::Schema price_schema() {
  json::Schema price = json::decimal_schema();
  price.minimum = 0;
  return price;
}

bool is_store_id(std::string_view text) { return is_name(text, limits::kStoreIdCharacters); }

std::vector<Field<Product>> members() {
  const auto named = [](json::Schema& element) { element.length_min = 1; };
  return {json::uuid("id", &Product::id),
          json::text("productId", &Product::product_id)
              .doc("The store's own id, from the path.")
              .length_max(limits::kStoreIdCharacters)
              .read_only(),
          json::text("name", &Product::name).required().length_min(1).example(R"("Bell, brass")"),
          web_url("url", &Product::url)
              .required()
              .doc("The product page. If the store has `domains`, it must be on one of them.")
              .example(R"("https://shop.example.com/bell")"),
          description(&Product::description),
          json::text("brand", &Product::brand),
          json::text("sku", &Product::sku),
          json::text("gtin", &Product::gtin).length_max(14),
          json::texts("categories", &Product::categories)
              .doc("Levels are separated by `/`.")
              .items_max(limits::kCategories)
              .element(named)
              .example(R"(["Home/Bells"])"),
          json::texts("tags", &Product::tags).items_max(limits::kProductTags).element(named),
          web_url("imageUrl", &Product::image_url),
          web_url("thumbnailUrl", &Product::thumbnail_url),
          price("price", &Product::price).example(R"("19.90")"),
          price("originalPrice", &Product::original_price).example(R"("24.90")"),
          price("priceWithoutTax", &Product::price_without_tax),
          json::text("currency", &Product::currency)
              .doc("Default: the store's currency.")
              .length_max(3)
              .rule(is_currency, "Is not an ISO 4217 currency such as EUR."),
          json::decimals_by_name(
              "prices", &Product::prices, price_schema(),
              {limits::kPrices, is_currency, "Is not an ISO 4217 currency such as EUR."})
              .doc("Prices in other currencies, by currency code."),
          availability(&Product::availability).example(R"("inStock")"),
          json::integer("stock", &Product::stock),
          json::decimal("rating", &Product::rating).minimum(0).maximum(5),
          json::integer("ratingCount", &Product::rating_count).minimum(0),
          json::integer("reviewCount", &Product::review_count).minimum(0),
          json::integer("priority", &Product::priority),
          json::boolean("hidden", &Product::hidden).default_value("false"),
          json::instant("publishedAt", &Product::published_at),
          json::texts("relatedProductIds", &Product::related_product_ids)
              .items_max(limits::kRelatedProducts)
              .element([](json::Schema& element) {
                element.length_min = 1;
                element.length_max = limits::kStoreIdCharacters;
              }),
          json::scalars("attributes", &Product::attributes)
              .doc("Additional data that the store chooses."),
          json::parts_by_name(
              "translations", &Product::translations, translation_json(),
              {limits::kTranslations, is_locale, "Is not a BCP 47 language tag such as de-AT."})
              .doc("By locale."),
          json::parts_by_name(
              "variants", &Product::variants, variant_json(),
              {limits::kVariants, is_store_id, "Must be one line of 1 to 256 characters."})
              .doc("By the store's own ids. A patch changes only the variants it contains; null "
                   "removes one."),
          discount(),
          json::instant("sourceUpdatedAt", &Product::source_updated_at)
              .doc("When the store last changed the product. A write with an earlier time than the "
                   "stored one changes nothing."),
          json::instant("createdAt", &Product::created_at).read_only(),
          json::instant("updatedAt", &Product::updated_at).read_only()};
}

}  // namespace

const json::Table<Product>& product_json() {
  static const json::Table<Product> table{"Product", "A product of the store.", members()};
  return table;
}

}  // namespace shopbell::products
