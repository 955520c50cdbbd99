// liquid_render [SECONDS]: renders a mail of 20 KB with a cart of 10 products on one thread, and
// prints how many per second of its processor time.
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <format>
#include <iostream>

#include "json/document.h"
#include "liquid/render.h"

namespace {

namespace json = shopbell::json;
namespace liquid = shopbell::liquid;

// One product of the cart, with what templates of mails usually do.
constexpr std::string_view kProduct = R"(
<tr class="product">
  <td style="padding:12px 0;border-bottom:1px solid #eeeeee;font-family:Arial,sans-serif">
    <a href="{{ line.product.url }}?utm_source=mail&amp;utm_campaign={{ run.id | url_encode }}">
      <img src="{{ line.product.imageUrl | default: store.url }}" alt="{{ line.name }}" width="96">
    </a>
  </td>
  <td style="padding:12px 0;border-bottom:1px solid #eeeeee;font-family:Arial,sans-serif">
    {% if line.product.brand %}<small>{{ line.product.brand | upcase }}</small><br>{% endif %}
    <b>{{ forloop.index }}. {{ line.name | truncate: 60 }}</b>
    <p>{{ line.product.description | strip_html | truncate: 120 }}</p>
    {% unless forloop.last %}<hr>{% endunless %}
  </td>
  <td align="right">{{ line.quantity }} × {{ line.unitPrice | money }}
    {% assign sum = line.unitPrice | times: line.quantity %}<br><b>{{ sum | money: cart.currency }}</b>
  </td>
</tr>)";

std::string source() {
  std::string text =
      "<!doctype html><html><body>\n<h1>Hello {{ contact.firstName | default: 'you' }}</h1>\n"
      "<p>{{ event.at | date: '%A, %-d %B %Y' }}</p>\n"
      "{% assign cart = event.data %}<table>{% for line in cart.lines %}";
  text += kProduct;
  text += "{% endfor %}</table>\n<p>{{ cart.lines.size }} lines, {{ cart.total | money }}</p>\n";
  // The rest of a mail is mostly styles and fixed text.
  while (text.size() < 20'000 - 100) {
    text += "<p>{{ contact.firstName }}, delivery is free from {{ 50 | money }}.</p>\n";
    for (int i = 0; i < 10; ++i)
      text += "<td style=\"margin:0;font:14px/20px Arial,sans-serif\">A line of fixed text.</td>\n";
  }
  return text + "<a href=\"{{ unsubscribe_url }}\">Unsubscribe</a></body></html>";
}

std::string roots() {
  std::string lines;
  for (int i = 0; i < 10; ++i) {
    lines += std::format(
        R"({}{{"lineId":"{}","productId":"bell-{}","name":"Bell no. {} <brass> & wood","quantity":"2","unitPrice":"17.9{}"}})",
        i == 0 ? "" : ",", i, i, i, i);
  }
  return R"({"contact":{"firstName":"Ada","email":"ada@example.com"},"store":{"url":"https://bells.example"},)"
         R"("run":{"id":"019a8412-7c00"},"unsubscribe_url":"https://bells.example/u/1","event":{"at":"2026-11-18T15:30:00Z",)"
         R"("data":{"currency":"EUR","total":"358.00","lines":[)" +
         lines + "]}}}";
}

std::string products() {
  std::string list;
  for (int i = 0; i < 10; ++i) {
    list += std::format(
        R"({}"bell-{}":{{"name":"Bell {}","brand":"Ring & Sons","currency":"EUR","price":"17.90","url":"https://bells.example/bell-{}","imageUrl":"https://bells.example/bell-{}.jpg","description":"<p>A bell of brass, cast by hand. It rings for a long time and is heard from far away.</p><p>With a rope.</p>"}})",
        i == 0 ? "" : ",", i, i, i, i);
  }
  return "{" + list + "}";
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  const auto compiled = liquid::compile(source(), {.part = liquid::Part::html});
  if (!compiled) {
    std::cerr << compiled.error().front().message << '\n';
    return 1;
  }
  const std::string roots_json = roots();
  const std::string products_json = products();
  shopbell::LocalFormats formats;
  const auto processor_seconds = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  std::size_t renders = 0;
  std::size_t bytes = 0;
  const double start = processor_seconds();
  while (processor_seconds() - start < seconds) {
    // Each mail has data of its own, so parsing them is part of the work.
    const auto documents =
        std::array{json::Document::parse(roots_json), json::Document::parse(products_json)};
    liquid::Data data;
    documents[0]->root().for_each(
        [&](std::string_view name, json::Value value) { data.roots.emplace(name, value); });
    documents[1]->root().for_each(
        [&](std::string_view id, json::Value value) { data.products.emplace(id, value); });
    const auto rendered = liquid::render(*compiled, data,
                                         {.formats = formats,
                                          .now = shopbell::Instant{},
                                          .zone = std::chrono::locate_zone("Europe/Vienna"),
                                          .locale = "de",
                                          .currency = "EUR"});
    if (!rendered) {
      std::cerr << rendered.error().message << '\n';
      return 1;
    }
    bytes = rendered->text.size();
    ++renders;
  }
  std::cout << std::format("{:.0f} renders/s of {} bytes from a template of {} bytes\n",
                           static_cast<double>(renders) / seconds, bytes, source().size());
  return 0;
}
