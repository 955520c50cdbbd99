// Exported data is imported into other accounts, as CSV and as NDJSON, and exported from there: all
// writable members are the same, byte for byte.
#include <array>
#include <format>
#include <random>
#include <thread>

#include "json/writer.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/client_group.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::Answer;
using testing::Ask;
using testing::HttpClient;

struct Type {
  std::string name;
  std::string columns;  // the writable columns, as JSON
  std::size_t rows = 0;
};

constexpr std::string_view kSet = "spring";

std::vector<Type> types_of(bool quick) {
  const std::size_t few = quick ? 1 : 50;
  return {
      {"contacts",
       R"(["email","externalId","firstName","lastName","company","birthDate","phone","locale",)"
       R"("timeZone","country","postalCode","currency","tags","points","emailSubscription",)"
       R"("smsSubscription","sourceUpdatedAt","fields.note","fields.size","fields.weight",)"
       R"("fields.member","fields.likes"])",
       400 * few},
      {"products",
       R"(["productId","name","url","description","brand","sku","gtin","categories","tags",)"
       R"("imageUrl","price","originalPrice","currency","availability","stock","rating",)"
       R"("hidden","publishedAt","relatedProductIds","attributes","sourceUpdatedAt"])",
       100 * few},
      {"purchases",
       R"(["purchaseId","orderNumber","cartId","contact.email","contact.externalId","purchasedAt",)"
       R"("currency","total","shipping","tax","taxIncluded","discount","paymentMethod","channel",)"
       R"("couponCodes","status","attributes","lines.lineId","lines.productId","lines.sku",)"
       R"("lines.name","lines.quantity","lines.unitPrice","lines.discount","lines.categories",)"
       R"("lines.url","lines.attributes","sourceUpdatedAt"])",
       100 * few},
      {"coupons", R"(["code"])", 100 * few},
  };
}

// Creates objects as a store would, with all characters and values that are difficult in files.
class Shop {
 public:
  explicit Shop(std::uint64_t seed) : random_{seed} {}

  std::string object(const std::string& type, std::size_t number) {
    if (type == "contacts") return contact(number);
    if (type == "products") return product(number);
    if (type == "purchases") return purchase(number);
    return std::format(R"({{"code":"{}-{}"}})", pick({"=SUM", "+4", "-x", "@a", "C"}), number);
  }

 private:
  std::string pick(std::initializer_list<std::string_view> of) {
    return std::string{*(of.begin() + random_() % of.size())};
  }
  bool maybe() { return random_() % 3 != 0; }

  std::string words() {
    std::string text;
    for (std::size_t i = 0; i <= random_() % 5; ++i)
      text += pick({"a",  "ß", "日本", "\"",  ",",  ";",  "'",    "=1+1", "@x",   "-5",
                    "+4", " ", "|",    "\\N", "\\", "🎁", "null", "{}",   "1.50", "e\u0301"});
    return "w" + text + "w";
  }
  std::string lines() {
    std::string text = words();
    for (std::size_t i = 0; i < random_() % 3; ++i) text += pick({"\n", "\r\n", "\t"}) + words();
    return text;
  }
  std::string start() { return pick({"=", "+", "-", "@", "\"", "'", ""}) + words(); }
  std::string amount() { return std::format("{}.{:02}", random_() % 1000, random_() % 100); }
  std::string time() {
    return std::format("2026-0{}-{:02}T{:02}:00:00Z", 1 + random_() % 9, 1 + random_() % 28,
                       random_() % 24);
  }
  static std::string list_of(const std::vector<std::string>& values) {
    json::Writer writer;
    writer.begin_list();
    for (const auto& value : values) writer.text(value);
    writer.end();
    return writer.finish();
  }
  std::string tags() {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < random_() % 3; ++i)
      values.push_back(std::format("{} {}", pick({"new", "vip, gold", "=x", "\"q\""}), i));
    return list_of(values);
  }
  std::string attributes() {
    json::Writer writer;
    writer.begin_object().key("text").text(lines()).key("count").integer(7);
    writer.key("on").boolean(true).end();
    return writer.finish();
  }

  std::string contact(std::size_t number) {
    json::Writer writer;
    writer.begin_object();
    if (number % 5 != 0) writer.key("email").text(std::format("P{}@Example.com", number));
    if (number % 5 != 1) writer.key("externalId").text(std::format("c-{}", number));
    if (maybe()) writer.key("firstName").text(start());
    if (maybe()) writer.key("lastName").text(start());
    if (maybe()) writer.key("company").text(words());
    if (maybe()) writer.key("birthDate").text("1990-02-28");
    if (maybe()) writer.key("phone").text(std::format("+4930{:07}", 1'000'000 + number));
    if (maybe()) writer.key("locale").text(pick({"de-DE", "en", "fr"}));
    if (maybe()) writer.key("timeZone").text("Europe/Berlin");
    if (maybe()) writer.key("country").text(pick({"DE", "FR"}));
    if (maybe()) writer.key("postalCode").text("01234");
    if (maybe()) writer.key("currency").text("USD");
    if (maybe()) writer.key("tags").json(tags());
    if (maybe()) writer.key("points").integer(static_cast<std::int64_t>(random_() % 5000));
    if (number % 5 != 0 && maybe())
      writer.key("emailSubscription").text(pick({"subscribed", "unsubscribed", "none"}));
    if (maybe()) writer.key("sourceUpdatedAt").text(time());
    writer.key("fields").begin_object();
    if (maybe()) writer.key("note").text(lines());
    if (maybe()) writer.key("size").integer(static_cast<std::int64_t>(random_() % 50));
    if (maybe()) writer.key("weight").text(amount());
    if (maybe()) writer.key("member").boolean(random_() % 2 == 0);
    if (maybe()) writer.key("likes").json(list_of({"red", "blue"}));
    writer.end().end();
    return writer.finish();
  }

  std::string product(std::size_t number) {
    json::Writer writer;
    writer.begin_object().key("productId").text(std::format("{}-{}", pick({"p", "=p"}), number));
    writer.key("name").text(start()).key("url").text("https://shop.example/?a=1&b=%C3%BC,");
    if (maybe()) writer.key("description").text(lines());
    if (maybe()) writer.key("brand").text(start());
    if (maybe()) writer.key("sku").text("00012");
    if (maybe()) writer.key("categories").json(list_of({"Home/Kitchen", "=A, B"}));
    if (maybe()) writer.key("tags").json(tags());
    if (maybe()) writer.key("imageUrl").text("https://shop.example/a.png");
    writer.key("price").text(amount()).key("currency").text("EUR");
    if (maybe()) writer.key("availability").text(pick({"inStock", "outOfStock"}));
    if (maybe()) writer.key("stock").integer(static_cast<std::int64_t>(random_() % 90));
    if (maybe()) writer.key("hidden").boolean(true);
    if (maybe()) writer.key("publishedAt").text(time());
    if (maybe()) writer.key("relatedProductIds").json(list_of({"p-1", "p-2"}));
    if (maybe()) writer.key("attributes").json(attributes());
    if (maybe()) writer.key("sourceUpdatedAt").text(time());
    writer.end();
    return writer.finish();
  }

  std::string purchase(std::size_t number) {
    json::Writer writer;
    writer.begin_object().key("purchaseId").text(std::format("o-{}", number));
    writer.key("contact").begin_object();
    writer.key("externalId").text(std::format("c-{}", 2 + 5 * (number % 50))).end();
    if (maybe()) writer.key("orderNumber").text(start());
    if (maybe()) writer.key("cartId").text("0042");
    writer.key("purchasedAt").text(time()).key("currency").text("EUR");
    writer.key("total").text(amount());
    if (maybe()) writer.key("shipping").text("4.90");
    if (maybe()) writer.key("tax").text("1.00").key("taxIncluded").boolean(true);
    if (maybe()) writer.key("paymentMethod").text(words());
    if (maybe()) writer.key("channel").text(pick({"web", "app"}));
    if (maybe()) writer.key("couponCodes").json(list_of({std::format("X-{}", number), "=Y"}));
    if (maybe()) writer.key("status").text(pick({"placed", "paid", "delivered"}));
    if (maybe()) writer.key("attributes").json(attributes());
    if (maybe()) writer.key("sourceUpdatedAt").text(time());
    writer.key("lines").begin_list();
    for (std::size_t i = 0; i <= random_() % 4; ++i) {
      writer.begin_object().key("name").text(start());
      writer.key("quantity").integer(1 + static_cast<std::int64_t>(random_() % 3));
      if (maybe()) writer.key("lineId").text(std::format("l{}", i));
      if (maybe()) writer.key("productId").text("p-1");
      if (maybe()) writer.key("unitPrice").text(amount());
      if (maybe()) writer.key("categories").json(list_of({"Home/Kitchen"}));
      if (maybe()) writer.key("attributes").json(attributes());
      writer.end();
    }
    writer.end().end();
    return writer.finish();
  }

  std::mt19937_64 random_;
};

class RoundTrip {
 public:
  explicit RoundTrip(const Setting& setting)
      : shop_{setting.seed}, installation_{setting.checkout, setting.binary} {
    for (auto& key : keys_) key = installation_.create_unlimited_key("Round trip");
    service_ = installation_.start_service();
    for (std::size_t store = 0; store < keys_.size(); ++store) prepare(store);
  }

  Verdict run(const std::vector<Type>& types) {
    std::string figures;
    for (const auto& type : types) {
      std::string file;
      for (std::size_t i = 0; i < type.rows; ++i) file += shop_.object(type.name, i) + "\n";
      import(0, type, "ndjson", file);
      import(1, type, "csv", exported(0, type, "csv", ""));
      import(2, type, "ndjson", exported(0, type, "ndjson", ""));
      const std::string columns = R"(,"columns":)" + type.columns;
      const std::string first = exported(0, type, "csv", columns);
      for (const std::size_t other : {1U, 2U})
        compare(type, first, exported(other, type, "csv", columns));
      figures += std::format("{}{} {} ({} bytes)", figures.empty() ? "" : ", ", type.rows,
                             type.name, first.size());
    }
    figures +=
        ": from one account into two others, by CSV and by NDJSON, and out again, "
        "byte for byte the same";
    for (const auto& what : wrong_) figures += "; WRONG: " + what;
    return {.holds = wrong_.empty(), .figures = figures};
  }

 private:
  void expect(bool right, const std::string& what) {
    if (!right && wrong_.size() < 10) wrong_.push_back(what.substr(0, 600));
  }

  Answer ask(std::size_t store, const Ask& wish) {
    asio::io_context loop;
    HttpClient client{loop, service_.host, service_.port, keys_[store]};
    return runtime::run_to_end(loop, client.send(wish));
  }
  Answer post(std::size_t store, const std::string& path, const std::string& body,
              const std::string& type = "application/json") {
    Answer answer = ask(
        store, {.method = "POST", .path = path, .body = body, .headers = {{"Content-Type", type}}});
    expect(answer.status == 201, std::format("{} {}", path, answer.body));
    return answer;
  }

  void prepare(std::size_t store) {
    for (
        const std::string_view field :
        {R"("note","name":"Note","type":"text")", R"("size","name":"Size","type":"integer")",
         R"("weight","name":"Weight","type":"decimal")",
         R"("member","name":"Member","type":"boolean")",
         R"("likes","name":"Likes","type":"choices","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}])"})
      post(store, "/contact-fields/", std::format(R"({{"id":{}}})", field));
    post(store, "/manage/coupon-sets/",
         std::format(R"({{"alias":"{}","name":"Spring","kind":"unique"}})", kSet));
  }

  // Waits for the job to finish and returns its final state.
  Answer ended(std::size_t store, const std::string& path) {
    Answer shown;
    for (int i = 0; i < 6000; ++i) {
      shown = ask(store, {.path = path});
      const std::string status = member_of(shown, "status");
      if (status != "queued" && status != "inProgress") break;
      std::this_thread::sleep_for(50ms);
    }
    expect(member_of(shown, "status") == "finished", shown.body);
    return shown;
  }

  void import(std::size_t store, const Type& type, const std::string& format,
              const std::string& file) {
    progress(std::format("round-trip: {} of {}", format, type.name));
    std::string path = "/imports/?type=" + type.name;
    if (type.name == "coupons") path += std::format("&couponSetId={}", kSet);
    const Answer made =
        post(store, path, file, format == "csv" ? "text/csv" : "application/x-ndjson");
    const Answer done = ended(store, "/imports/" + member_of(made, "id"));
    expect(member_of(done, "failed") == "0", type.name + " " + done.body);
  }

  std::string exported(std::size_t store, const Type& type, const std::string& format,
                       const std::string& columns) {
    const std::string filters =
        type.name == "coupons" ? std::format(R"(,"filters":{{"couponSet":"{}"}})", kSet) : "";
    const Answer made = post(store, "/exports/",
                             std::format(R"({{"type":"{}","format":"{}","rawText":true{}{}}})",
                                         type.name, format, columns, filters));
    const Answer done = ended(store, "/exports/" + member_of(made, "id"));
    return ask(store, {.path = member_of(done, "fileUrl")}).body;
  }

  // Compares two exports and reports the first position where they differ.
  void compare(const Type& type, const std::string& one, const std::string& other) {
    if (one == other) return;
    std::size_t at = 0;
    while (at < one.size() && at < other.size() && one[at] == other[at]) ++at;
    const std::size_t from = at < 200 ? 0 : at - 200;
    expect(false, std::format("{} differ at {}: …{}… but …{}…", type.name, at,
                              one.substr(from, 260), other.substr(from, 260)));
  }

  Shop shop_;
  testing::Installation installation_;
  std::array<std::string, 3> keys_;
  testing::Installation::Service service_;
  std::vector<std::string> wrong_;
};

}  // namespace

Verdict round_trip(const Setting& setting) {
  return RoundTrip{setting}.run(types_of(setting.quick));
}

}  // namespace shopbell::proofs
