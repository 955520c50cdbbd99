// Compares every cart of the ledger with the events, runs, messages and coupons in the database.
#include <array>
#include <charconv>
#include <format>
#include <optional>
#include <string_view>

#include "resources/runs/run.h"
#include "tests/proofs/proofs/abandoned_cart.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;

constexpr auto kClose = 100ms;

// A message of the workflow: its node, and the node of the wait before it.
struct Mail {
  std::string_view node;
  std::string_view wait;
};
constexpr std::array kMails{Mail{"remind", "hour"}, Mail{"offer", "day"}};

// What the database holds of a cart.
struct FoundCart {
  std::vector<int> changes;  // events of each change
  int purchases = 0;
  int runs = 0;
  std::string why;
  std::vector<runs::Step> trail;
  std::array<int, kMails.size()> sent{};
  // The latest contents of each message: the number of a change.
  std::array<std::optional<std::size_t>, kMails.size()> contents{};
  int coupons = 0;
};

std::optional<std::size_t> mail_of(std::string_view node) {
  for (std::size_t i = 0; i < kMails.size(); ++i)
    if (kMails[i].node == node) return i;
  return std::nullopt;
}

std::size_t change_of(std::string_view total) {
  std::int64_t amount = 0;
  std::from_chars(total.data(), total.data() + total.size(), amount);
  return static_cast<std::size_t>(amount - kFirstTotal);
}

class Comparing {
 public:
  Comparing(const CartLoad& load, const ServerClock& clock, const CartPlan& plan)
      : carts_{load.carts()},
        clock_{clock},
        waits_{plan.to_reminder, plan.to_offer},
        found_(load.carts().size()) {}

  void read(pg::Script& database);
  void judge_all() {
    for (std::size_t i = 0; i < carts_.size(); ++i) judge(i);
  }

  CartFigures figures;

 private:
  template <class Take>
  void read_rows(pg::Script& database, const std::string& query, Take take);
  void note(std::int64_t& count, std::size_t cart, std::string_view what);
  void judge(std::size_t number);
  void judge_writes(std::size_t number);
  void judge_mail(std::size_t number, std::size_t mail);
  void judge_purchase(std::size_t number);
  std::optional<Instant> due(const FoundCart& found, std::size_t mail) const;

  const std::vector<Cart>& carts_;
  const ServerClock& clock_;
  const std::array<std::chrono::seconds, kMails.size()> waits_;
  std::vector<FoundCart> found_;
};

void Comparing::note(std::int64_t& count, std::size_t cart, std::string_view what) {
  ++count;
  if (figures.examples.size() < 6)
    figures.examples.push_back(std::format("{}: {}", cart_id(cart), what));
}

// Calls take(row, cart, found) for each row with a cart.
template <class Take>
void Comparing::read_rows(pg::Script& database, const std::string& query, Take take) {
  const pg::Result rows = database.query(query);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t number = cart_number(rows[i].view("cart"));
    if (number < found_.size()) take(rows[i], found_[number]);
  }
}

void Comparing::read(pg::Script& database) {
  read_rows(database,
            "SELECT payload->>'cartId' AS cart, payload->>'total' AS total FROM event "
            "WHERE kind = 'custom.cart-updated'",
            [](const pg::Row& row, FoundCart& found) {
              const auto change = change_of(row.view("total"));
              if (found.changes.size() <= change) found.changes.resize(change + 1);
              ++found.changes[change];
            });
  read_rows(database,
            "SELECT payload->>'cartId' AS cart FROM event WHERE kind = 'purchase.created'",
            [](const pg::Row&, FoundCart& found) { ++found.purchases; });
  read_rows(database, "SELECT key AS cart, why, trail FROM run_history",
            [](const pg::Row& row, FoundCart& found) {
              ++found.runs;
              found.why = row.text("why");
              found.trail = runs::steps_of(row.view("trail"));
            });
  read_rows(database,
            "SELECT h.key AS cart, m.node, m.state FROM message m "
            "JOIN run_history h USING (account_id, contact_id, run_id)",
            [&](const pg::Row& row, FoundCart& found) {
              const auto mail = mail_of(row.view("node"));
              if (mail && row.view("state") == "sent") ++found.sent[*mail];
              if (row.view("state") == "skipped") ++figures.withdrawn;
            });
  read_rows(database,
            "SELECT payload->>'cartId' AS cart, payload->>'node' AS node, payload->>'total' AS "
            "total FROM event WHERE kind = 'custom.cart-quoted' ORDER BY id",
            [](const pg::Row& row, FoundCart& found) {
              if (const auto mail = mail_of(row.view("node")))
                found.contents[*mail] = change_of(row.view("total"));
            });
  read_rows(database,
            "SELECT h.key AS cart FROM coupon_claim k "
            "JOIN run_history h USING (account_id, contact_id, run_id)",
            [](const pg::Row&, FoundCart& found) { ++found.coupons; });
  const pg::Result left = database.query(
      "SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM message WHERE state = 'planned') "
      "AS n, (SELECT count(*) FROM coupon_claim) AS coupons");
  figures.stuck = left[0].integer("n");
  figures.coupons = left[0].integer("coupons");
}

// When the wait ended that led to the message; nullopt if the run never came there. The times of
// the trail are those of the server.
std::optional<Instant> Comparing::due(const FoundCart& found, std::size_t mail) const {
  std::optional<Instant> due;
  for (const auto& step : found.trail)
    if (step.node == kMails.at(mail).wait && !step.edge) due = step.at + waits_.at(mail);
  return due;
}

void Comparing::judge(std::size_t number) {
  const Cart& cart = carts_[number];
  const FoundCart& found = found_[number];
  judge_writes(number);
  if (found.runs == 0) note(figures.runs_missing, number, "has no run");
  if (found.runs > 1) note(figures.runs_doubled, number, "has several runs");
  for (std::size_t mail = 0; mail < kMails.size(); ++mail) judge_mail(number, mail);
  if (cart.purchase) judge_purchase(number);
  // The code of an offer that was not sent is released.
  if (found.coupons != found.sent[1])
    note(figures.wrong_coupons, number,
         std::format("{} coupons for {} offers", found.coupons, found.sent[1]));
}

void Comparing::judge_writes(std::size_t number) {
  const Cart& cart = carts_[number];
  const FoundCart& found = found_[number];
  for (std::size_t i = 0; i < std::max(cart.changes.size(), found.changes.size()); ++i) {
    const int events = i < found.changes.size() ? found.changes[i] : 0;
    if (events == 0) note(figures.lost_writes, number, "an acknowledged change is lost");
    if (events > 1) note(figures.doubled_writes, number, "a change has several events");
  }
  if (cart.purchase && found.purchases == 0)
    note(figures.lost_writes, number, "the acknowledged purchase is lost");
  if (found.purchases > 1) note(figures.doubled_writes, number, "a purchase has several events");
}

void Comparing::judge_mail(std::size_t number, std::size_t mail) {
  const Cart& cart = carts_[number];
  const FoundCart& found = found_[number];
  const std::string_view node = kMails.at(mail).node;
  const int sent = found.sent.at(mail);
  (mail == 0 ? figures.reminders : figures.offers) += sent;
  if (sent == 0 && !is_bought(cart.end))
    note(figures.missing_messages, number,
         std::format("no message of {}, the run ended as {}", node, found.why));
  if (sent > 1) note(figures.doubled_messages, number, std::format("{} × {}", sent, node));
  const auto due_at = due(found, mail);
  if (sent == 0 || !due_at || !found.contents.at(mail)) return;
  const std::size_t contents = *found.contents.at(mail);
  if (contents + 1 < cart.changes.size() && clock_.after(cart.changes[contents + 1]) <= *due_at)
    note(figures.old_contents, number,
         std::format("the message of {} has change {} of {}, the next was known at {}, it was due "
                     "at {}",
                     node, contents, cart.changes.size(),
                     to_rfc3339_exactly(clock_.after(cart.changes[contents + 1])),
                     to_rfc3339_exactly(*due_at)));
  if (mail == 0 && contents + 1 < cart.changes.size()) ++figures.superseded;
}

void Comparing::judge_purchase(std::size_t number) {
  const FoundCart& found = found_[number];
  const Instant bought = clock_.after(*carts_[number].purchase);
  for (std::size_t mail = 0; mail < kMails.size(); ++mail) {
    const auto due_at = due(found, mail);
    if (!due_at) continue;
    if (bought <= *due_at && found.sent.at(mail) > 0)
      note(figures.unwanted_messages, number,
           std::format("{} was sent, due at {}, but bought by {}", kMails.at(mail).node,
                       to_rfc3339_exactly(*due_at), to_rfc3339_exactly(bought)));
    if (mail > 0) continue;
    if (bought <= *due_at) ++figures.bought_in_time;
    if (bought > *due_at - kClose && bought < *due_at + kClose)
      ++(found.sent.at(mail) > 0 ? figures.close_with : figures.close_without);
  }
}

}  // namespace

CartFigures compare_carts(const CartLoad& load, const ServerClock& clock, const CartPlan& plan,
                          pg::Script& database) {
  Comparing comparing{load, clock, plan};
  comparing.read(database);
  comparing.judge_all();
  return std::move(comparing.figures);
}

}  // namespace shopbell::proofs
