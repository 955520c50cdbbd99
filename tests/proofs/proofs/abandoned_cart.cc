// Shoppers fill, change, buy and leave carts, and a workflow reminds of those that are left. Its
// waits are seconds, so that many writes meet the moment of a timer. Processes are killed,
// PostgreSQL crashes and is down for a minute meanwhile. At the end every cart is compared with its
// messages.
#include "tests/proofs/proofs/abandoned_cart.h"

#include <format>
#include <stdexcept>
#include <thread>

#include "tests/proofs/actors/log_load.h"
#include "tests/proofs/actors/neighbours.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/workflow_shop.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;
using testing::Installation;

constexpr std::size_t kProcesses = 3;
constexpr std::string_view kCartFields =
    R"([{"id":"cartId","name":"Cart","type":"text"},{"id":"total","name":"Total","type":"decimal"}])";

struct Shape {
  CartPlan plan;
  std::chrono::milliseconds between_kills;
  int crashes = 0;
  std::chrono::seconds outage;
  std::chrono::seconds patience;  // for runs that do not end
};

Shape shape_of(const Setting& setting) {
  if (setting.quick)
    return {.plan = {.carts = 500,
                     .contacts = 150,
                     .shoppers = 16,
                     .per_second = 100,
                     .to_reminder = 1s,
                     .to_offer = 1s},
            .between_kills = 4s,
            .crashes = 1,
            .outage = 1s,
            .patience = 30s};
  return {.plan = {.carts = 100'000,
                   .contacts = 20'000,
                   .shoppers = 32,
                   .per_second = 200,
                   .to_reminder = 10s,
                   .to_offer = 10s},
          .between_kills = 5s,
          .crashes = 3,
          .outage = 60s,
          .patience = 120s};
}

double seconds_since(Steady::time_point from) {
  return std::chrono::duration<double>(Steady::now() - from).count();
}

// Kills a random process at intervals. Crashes PostgreSQL, and stops it for long once, at shares of
// the time in which carts are begun.
class CartFaults {
 public:
  CartFaults(const Setting& setting, const Shape& shape, Installation& installation, Fleet& fleet,
             const CartLoad& load)
      : shape_{shape},
        installation_{installation},
        fleet_{fleet},
        load_{load},
        random_{setting.seed} {}

  // Runs until all carts are finished.
  void run() {
    const auto from = Steady::now();
    const double planned =
        static_cast<double>(shape_.plan.carts) / static_cast<double>(shape_.plan.per_second);
    const auto share = [&] { return seconds_since(from) / planned; };
    auto kill_at = from + shape_.between_kills;
    while (load_.finished() < 1) {
      std::this_thread::sleep_for(20ms);
      progress(std::format("abandoned-cart: {:.1f} % of the carts, {} changes, {} purchases",
                           load_.finished() * 100, load_.changes.load(), load_.purchases.load()));
      if (crashed < shape_.crashes && share() > (crashed + 0.5) / (shape_.crashes + 1.0)) {
        stop_database(500ms);
        ++crashed;
      }
      if (outages == 0 && share() > 0.5) {
        stop_database(shape_.outage);
        ++outages;
      }
      if (Steady::now() < kill_at) continue;
      kill_at = Steady::now() + shape_.between_kills;
      const std::size_t which = random_() % fleet_.size();
      fleet_.kill(which);
      fleet_.start(which);
      ++killed;
    }
  }

  int killed = 0;
  int crashed = 0;
  int outages = 0;

 private:
  void stop_database(Steady::duration length) {
    installation_.crash_database();
    std::this_thread::sleep_for(length);
    installation_.resume_database();
  }

  const Shape& shape_;
  Installation& installation_;
  Fleet& fleet_;
  const CartLoad& load_;
  std::mt19937_64 random_;
};

std::string figures_of(const Shape& shape, const CartFaults& faults, const CartLoad& load,
                       const CartFigures& found, double seconds, double drained) {
  return std::format(
      "{} processes, {} carts of {} contacts, {} changes and {} purchases in {:.0f} s; {} × kill "
      "-9, {} × PostgreSQL crashed, {} outage of {} s, {} requests cut, {} × 503: {} reminders, {} "
      "offers, {} coupons, {} messages withdrawn before they were sent, {} reminders of carts that "
      "changed later; {} purchases before the timer, {} within 0.1 s of it without a reminder and "
      "{} with one; {} unwanted, {} missing, {} doubled, {} with old contents, {} wrong coupons, "
      "{} writes lost, {} doubled, {} carts without a run, {} with several; {} stuck, the last run "
      "ended {:.1f} s after the last write",
      kProcesses, shape.plan.carts, shape.plan.contacts, load.changes.load(), load.purchases.load(),
      seconds, faults.killed, faults.crashed, faults.outages, shape.outage.count(), load.cut,
      load.unavailable, found.reminders, found.offers, found.coupons, found.withdrawn,
      found.superseded, found.bought_in_time, found.close_without, found.close_with,
      found.unwanted_messages, found.missing_messages, found.doubled_messages, found.old_contents,
      found.wrong_coupons, found.lost_writes, found.doubled_writes, found.runs_missing,
      found.runs_doubled, found.stuck, drained);
}

}  // namespace

std::string cart_workflow(const CartPlan& plan) {
  const auto quote = [](std::string_view id, std::string_view mail) {
    return std::format(
        R"({{"id":"{0}","type":"event","event":"custom.cart-quoted","payload":{{)"
        R"("cartId":{{"ref":"run.key"}},"node":"{1}","total":{{"ref":"trigger.data.total"}}}},)"
        R"("next":"{1}"}})",
        id, mail);
  };
  return std::format(
      R"({{"alias":"abandoned-cart","name":"Abandoned cart",)"
      R"("trigger":{{"event":"custom.cart-updated","key":"event.data.cartId",)"
      R"("where":{{"value":"event.data.total","op":"ge","to":"20.00"}}}},)"
      R"("reentry":{{"mode":"restart","until":"firstSend","releaseAfter":"P30D"}},)"
      R"("exitOn":[{{"event":"purchase.created","where":)"
      R"({{"value":"event.data.cartId","op":"eq","to":{{"ref":"run.key"}}}}}}],)"
      R"("nodes":[{{"id":"hour","type":"wait","for":"PT{}S","next":"quote"}},{},)"
      R"({{"id":"remind","type":"email","template":"reminder","class":"marketing","next":"day"}},)"
      R"({{"id":"day","type":"waitForEvent","events":[{{"event":"message.clicked","next":"done"}}],)"
      R"("timeout":"PT{}S","onTimeout":"gift"}},)"
      R"({{"id":"gift","type":"coupon","couponSet":"ten","as":"coupon","validFor":"P3D",)"
      R"("releaseIfNotSent":true,"next":"quote-offer","onEmpty":"done"}},{},)"
      R"({{"id":"offer","type":"email","template":"offer","class":"marketing","next":"done"}},)"
      R"({{"id":"done","type":"exit"}}]}})",
      plan.to_reminder.count(), quote("quote", "remind"), plan.to_offer.count(),
      quote("quote-offer", "offer"));
}

Verdict abandoned_cart(const Setting& setting) {
  const Shape shape = shape_of(setting);
  Installation installation{setting.checkout, setting.binary};
  Fleet fleet{installation, kProcesses};
  const WorkflowShop shop{fleet, installation.create_unlimited_test_key("Carts")};
  define_event_types(fleet, shop.key(), {"cart-updated", "cart-quoted"}, std::string{kCartFields});
  shop.create_templates({"reminder", "offer"});
  shop.create_coupons("ten", shape.plan.carts);
  create_subscribers(fleet, shop.key(), shape.plan.contacts);
  shop.publish(cart_workflow(shape.plan));

  ServerClock clock{installation.admin_url()};
  const auto began = Steady::now();
  CartLoad load{fleet, shop.key(), clock, shape.plan, setting.seed};
  CartFaults faults{setting, shape, installation, fleet, load};
  faults.run();
  load.stop();
  const double seconds = seconds_since(began);
  progress("abandoned-cart: the last runs");
  const auto written = Steady::now();
  pg::Script database{installation.admin_url()};
  await_no_runs(database, shape.patience);
  const double drained = seconds_since(written);
  clock.stop();
  progress("abandoned-cart: comparing");
  const CartFigures found = compare_carts(load, clock, shape.plan, database);
  const std::int64_t parked =
      database.query("SELECT count(*) AS n FROM log_parked")[0].integer("n");

  // A run in which no failure met a request, or no write met a timer, proves nothing.
  const bool failures_hit =
      faults.killed > 0 && faults.crashed > 0 && faults.outages > 0 && load.unavailable > 0 &&
      (setting.quick || (load.cut > 0 && found.close_without > 0 && found.close_with > 0));
  const bool holds = found.exact() && failures_hit && parked == 0 && load.stuck == 0 &&
                     load.others.empty() && fleet.alive();
  std::string figures = figures_of(shape, faults, load, found, seconds, drained);
  if (parked > 0) figures += std::format("; {} events parked", parked);
  if (load.stuck > 0) figures += std::format("; {} requests stuck", load.stuck);
  for (const auto& [what, times] : load.others) figures += std::format("; {} × {}", times, what);
  for (const auto& example : found.examples) figures += "; " + example;
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
