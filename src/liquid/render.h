// Rendering: a compiled template and data become a text. Pure: the same input gives the same text.
// Each rendering has budgets, so a template that loops or grows without bound ends with a fault.
#pragma once

#include <chrono>
#include <expected>
#include <map>
#include <string>
#include <vector>

#include "base/local_formats.h"
#include "base/time.h"
#include "json/document.h"
#include "liquid/fault.h"
#include "liquid/template.h"

namespace shopbell::liquid {

// What a template can read. The documents must outlive the rendering, the text needs them no more.
struct Data {
  std::map<std::string, json::Value, std::less<>> roots;  // "contact", "trigger"; absent ones: nil
  // Products by the store's own id: `products["id"]`, and `product` of items of `lines`.
  std::map<std::string, json::Value, std::less<>> products;
};

struct Budgets {
  std::size_t steps = 100'000;                         // about 20 ms of processor time
  std::size_t value_bytes = std::size_t{1024} * 1024;  // variables and intermediate values
  std::size_t output_bytes = std::size_t{1024} * 1024;
  std::size_t products = 50;  // missing products that a rendering asks for
};

struct Context {
  LocalFormats& formats;  // of the thread that renders
  Instant now;
  const std::chrono::time_zone* zone = nullptr;  // of the contact, else of the store; null: UTC
  std::string locale = "en";                     // BCP 47
  std::string currency;                          // of the store; for amounts without a currency
  Budgets budgets;
};

struct Rendered {
  std::string text;
  // Ids of products that the template read and `Data::products` lacks, in order of first use. Load
  // them and render again; an id that does not exist stays nil.
  std::vector<std::string> products_asked;
};

std::expected<Rendered, Fault> render(const Template& compiled, const Data& data,
                                      const Context& context);

}  // namespace shopbell::liquid
