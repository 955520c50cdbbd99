// Contacts are merged by both operations, in chains and from both sides at once, under concurrent
// writes to all of them. Every acknowledged write to one of them applies to the surviving contact.
#include <algorithm>
#include <format>
#include <set>

#include "base/time.h"
#include "tests/proofs/actors/client_group.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::Answer;
using testing::Ask;
using testing::HttpClient;

constexpr std::size_t kGroupsAtOnce = 8;

// A request that is sent once or twice with the same Idempotency-Key.
struct Add {
  Ask ask;
  std::int64_t points = 0;
  bool acknowledged = false;
  bool missing = false;
  int firsts = 0;
};

struct Member {
  std::string id;
  std::string email;
  std::string external_id;
};

// Contacts that are merged into one.
struct Group {
  std::size_t number = 0;
  std::vector<Member> members;
  std::vector<std::shared_ptr<Add>> adds;
  std::set<std::string> tags;  // acknowledged tags; the members below are acknowledged too
  std::set<std::string> consents;
  bool unsubscribed = false;
};

struct Tally {
  int merges = 0;
  int races = 0;
  int chains = 0;
  int adds = 0;
  int replays = 0;
  int tags = 0;
  int consents = 0;
  int missing = 0;
};

class Merging {
 public:
  explicit Merging(ClientGroup& clients) : clients_{clients}, start_{system_clock().now() - 24h} {}

  void run(std::size_t number, std::size_t count) {
    std::vector<Job> births;
    std::vector<std::vector<Job>> units;  // jobs of one unit start together
    for (std::size_t i = number; i < number + count; ++i) {
      Group& group = *groups_.emplace_back(std::make_unique<Group>(i));
      draw_members(group, births);
      add_writes(group, units);
      add_merges(group, units);
    }
    clients_.run("merge: making", std::move(births));
    std::ranges::shuffle(units, clients_.random());
    std::vector<Job> jobs;
    for (auto& unit : units) std::ranges::move(unit, std::back_inserter(jobs));
    clients_.run(std::format("merge: {} merged", number), std::move(jobs));
  }

  void judge() {
    std::vector<Job> jobs;
    for (auto& group : groups_)
      jobs.emplace_back([&](HttpClient& client) { return judge_group(client, *group); });
    clients_.run("merge: reading", std::move(jobs));
    judge_database();
  }

  Tally tally;

 private:
  std::size_t draw(std::size_t below) { return clients_.random()() % below; }

  void draw_members(Group& group, std::vector<Job>& births) {
    const std::size_t size = draw(5) == 0 ? 3 : 2;
    for (std::size_t i = 0; i < size; ++i) {
      const std::string name = std::format("{}-{}", group.number, i);
      group.members.push_back({.email = name + "@merge.example", .external_id = "x-" + name});
      group.tags.insert("born-" + name);
      births.emplace_back([&, i](HttpClient& client) { return make(client, group.members[i]); });
    }
  }

  asio::awaitable<void> make(HttpClient& client, Member& member) {
    const Answer answer = co_await insist(
        client, {.method = "PATCH",
                 .path = email_path(member.email) + "?createContact=true",
                 .body = std::format(R"({{"externalId":"{}","tags":["born-{}"]}})",
                                     member.external_id, member.external_id.substr(2))});
    member.id = member_of(answer, "id");
    clients_.expect(answer.status == 201, "made: " + status_and_code(answer));
  }

  std::string draw_path(const Member& member) {
    return draw(2) == 0 ? email_path(member.email) : external_id_path(member.external_id);
  }

  void add_writes(Group& group, std::vector<std::vector<Job>>& units) {
    for (const Member& member : group.members) {
      for (int i = 0; i < 3; ++i) {
        const auto add = draw_add(group, member, i);
        std::vector<Job> deliveries(1 + draw(2),
                                    [&, add](HttpClient& client) { return send_add(client, add); });
        units.push_back(std::move(deliveries));
        const std::string name = std::format("{}-{}", member.external_id, i);
        const std::string path = draw_path(member);
        units.push_back({[&, path, name](HttpClient& client) {
          return add_tag(client, group, path, "tag-" + name);
        }});
        units.push_back({[&, path, name](HttpClient& client) {
          return add_consent(client, group, path, "consent-" + name);
        }});
      }
      if (draw(8) != 0) continue;
      const std::string path = draw_path(member);
      units.push_back({[&, path](HttpClient& client) { return unsubscribe(client, group, path); }});
    }
  }

  std::shared_ptr<Add> draw_add(Group& group, const Member& member, int number) {
    const auto add = std::make_shared<Add>();
    add->points = static_cast<std::int64_t>(draw(1000)) + 1;
    add->ask = {
        .method = "PATCH",
        .path = draw_path(member),
        .body = std::format(R"({{"points":{{"add":{}}}}})", add->points),
        .headers = {{"Idempotency-Key", std::format("add-{}-{}", member.external_id, number)}}};
    return group.adds.emplace_back(add);
  }

  asio::awaitable<void> send_add(HttpClient& client, std::shared_ptr<Add> add) {
    const Answer answer = co_await insist(client, add->ask);
    const bool replayed = answer.header("Idempotent-Replayed") == "true";
    if (answer.status == 200) {
      add->acknowledged = true;
      add->firsts += !replayed;
      tally.replays += replayed;
    } else if (answer.status == 404) {
      add->missing = true;
      ++tally.missing;
    } else {
      clients_.wrong("points: " + status_and_code(answer));
    }
  }

  // Adds a tag. A PATCH replaces the whole list, so the write is conditional on the list read
  // before.
  asio::awaitable<void> add_tag(HttpClient& client, Group& group, std::string path,
                                std::string tag) {
    for (int attempt = 0; attempt < 200; ++attempt) {
      const Answer read = co_await insist(client, {.path = path});
      std::string tags = member_of(read, "tags");
      if (read.status != 404) tags.insert(tags.size() - 1, std::format(",\"{}\"", tag));
      const Answer answer =
          read.status == 404
              ? read
              : co_await insist(client, {.method = "PATCH",
                                         .path = path,
                                         .body = std::format(R"({{"tags":{}}})", tags),
                                         .headers = {{"If-Match", read.header("ETag")}}});
      if (answer.status == 412) continue;
      if (answer.status == 200) group.tags.insert(tag);
      note(answer, "tags");
      co_return;
    }
    clients_.wrong("tags: always overtaken");
  }

  asio::awaitable<void> add_consent(HttpClient& client, Group& group, std::string path,
                                    std::string source) {
    const Instant at = start_ + std::chrono::milliseconds{++consents_};
    const Answer answer = co_await insist(
        client,
        {.method = "PATCH",
         .path = path,
         .body = std::format(
             R"({{"consent":[{{"channel":"sms","status":"subscribed","at":"{}","source":"{}"}}]}})",
             to_rfc3339(at), source)});
    if (answer.status == 200) group.consents.insert(source);
    note(answer, "consent");
  }

  asio::awaitable<void> unsubscribe(HttpClient& client, Group& group, std::string path) {
    const Answer answer = co_await insist(
        client,
        {.method = "PATCH", .path = path, .body = R"({"emailSubscription":"unsubscribed"})"});
    if (answer.status == 200) group.unsubscribed = true;
    note(answer, "unsubscribing");
  }

  void note(const Answer& answer, const std::string& what) {
    if (answer.status == 404) ++tally.missing;
    clients_.expect(answer.status == 200 || answer.status == 404,
                    what + ": " + status_and_code(answer));
  }

  void add_merges(Group& group, std::vector<std::vector<Job>>& units) {
    const auto by_ids = [&](std::size_t from, std::size_t into) -> Job {
      return [&, from, into](HttpClient& client) { return merge_ids(client, group, from, into); };
    };
    const auto by_path = [&](std::size_t into, std::size_t from, bool alone) -> Job {
      return [&, from, into, alone](HttpClient& client) {
        return merge_by_path(client, group, into, from, alone);
      };
    };
    tally.merges += static_cast<int>(group.members.size()) - 1;
    if (group.members.size() == 3) {
      ++tally.chains;
      if (draw(2) == 0) {
        units.push_back({by_ids(0, 1), by_ids(1, 2)});
      } else {
        units.push_back({by_ids(0, 1)});
        units.push_back({by_ids(1, 2)});
      }
      return;
    }
    const std::size_t way = draw(5);
    tally.races += way > 1;
    switch (way) {
      case 0:
        units.push_back({by_path(0, 1, true)});
        break;
      case 1:
        units.push_back({by_ids(1, 0)});
        break;
      case 2:
        units.push_back({by_ids(0, 1), by_ids(1, 0)});
        break;
      case 3:
        units.push_back({by_path(0, 1, false), by_path(1, 0, false)});
        break;
      default:
        units.push_back({by_path(0, 1, false), by_ids(0, 1)});
        break;
    }
  }

  asio::awaitable<void> merge_ids(HttpClient& client, Group& group, std::size_t from,
                                  std::size_t into) {
    const auto& members = group.members;
    const Answer answer =
        co_await insist(client, {.method = "POST",
                                 .path = "/manage/contacts/merge",
                                 .body = std::format(R"({{"from":"{}","into":"{}"}})",
                                                     members[from].id, members[into].id)});
    clients_.expect(answer.status == 200, "merged by ids: " + status_and_code(answer));
  }

  // Merges by path: the contact in the path takes the other's address and thereby absorbs it. In a
  // race the second request may get 404.
  asio::awaitable<void> merge_by_path(HttpClient& client, Group& group, std::size_t into,
                                      std::size_t from, bool alone) {
    const auto& members = group.members;
    const Answer answer = co_await insist(
        client, {.method = "PATCH",
                 .path = external_id_path(members[into].external_id) + "?mergeContacts=true",
                 .body = std::format(R"({{"email":"{}"}})", members[from].email)});
    clients_.expect(answer.status == 200 || (!alone && answer.status == 404),
                    "merged by path: " + status_and_code(answer));
  }

  asio::awaitable<void> judge_group(HttpClient& client, Group& group) {
    std::set<std::string> survivors;
    Answer answer;
    for (const Member& member : group.members) {
      answer = co_await insist(client, {.path = "/manage/contacts/" + member.id});
      clients_.expect(answer.status == 200, "an old id finds no contact");
      survivors.insert(member_of(answer, "id"));
    }
    clients_.expect(survivors.size() == 1, "old ids find different contacts");
    std::int64_t points = 0;
    for (const auto& add : group.adds) {
      if (!add->acknowledged) continue;
      points += add->points;
      ++tally.adds;
      clients_.expect(add->firsts == 1, "points: not exactly one response without replay");
      clients_.expect(!add->missing, "points: acknowledged, but 404 for the same key");
    }
    const std::string is = member_of(answer, "points");
    clients_.expect(is == std::to_string(points),
                    std::format("points: {} instead of {}", is, points));
    const std::string tags = member_of(answer, "tags");
    for (const auto& tag : group.tags)
      clients_.expect(tags.contains('"' + tag + '"'), "a tag is lost");
    clients_.expect(std::ranges::count(tags, ',') + 1 == std::ssize(group.tags), "unexpected tags");
    const std::string consents = member_of(answer, "consent");
    for (const auto& source : group.consents)
      clients_.expect(consents.contains('"' + source + '"'), "a consent is lost");
    clients_.expect(
        member_of(answer, "emailSubscription") == (group.unsubscribed ? "unsubscribed" : "none"),
        "the stricter subscription does not apply");
    tally.tags += static_cast<int>(group.tags.size());
    tally.consents += static_cast<int>(group.consents.size());
    // Simulates a client that missed the response and retries long after the merge.
    const auto& again = group.adds.front();
    if (!again->acknowledged) co_return;
    const Answer replay = co_await insist(client, again->ask);
    clients_.expect(replay.header("Idempotent-Replayed") == "true", "an old key is not replayed");
  }

  void expect_none(const std::string& what, const std::string& query) {
    if (const auto found = clients_.count(query); found > 0)
      clients_.wrong(std::format("{} {}", found, what));
  }

  void judge_database() {
    const auto merges = static_cast<std::int64_t>(tally.merges);
    clients_.expect(clients_.count("merged_contact") == merges, "not exactly one old id per merge");
    clients_.expect(clients_.count("contact") == std::ssize(groups_),
                    "not exactly one contact per group");
    expect_none("chains of old ids",
                "merged_contact m JOIN merged_contact n ON n.contact_id = m.into_id");
    clients_.expect(clients_.count("event WHERE kind = 'contact.merged'") == merges &&
                        clients_.count("event WHERE kind = 'handover'") == merges,
                    "not exactly one event per merge");
    expect_none("old ids without exactly one contact.merged and one handover event",
                "merged_contact m WHERE"
                " (SELECT count(*) FROM event e WHERE e.kind = 'contact.merged'"
                "   AND e.payload ->> 'from' = m.contact_id::text) <> 1"
                " OR (SELECT count(*) FROM event e WHERE e.kind = 'handover'"
                "   AND e.account_id = m.account_id AND e.contact_id = m.contact_id) <> 1");
    expect_none("contacts with a gap in their events",
                "(SELECT contact_id FROM event WHERE source IS DISTINCT FROM 'workflow'"
                " GROUP BY contact_id HAVING min(contact_seq) <> 1"
                " OR max(contact_seq) <> count(*) OR count(DISTINCT contact_seq) <> count(*)) g");
    expect_none("contacts with a wrong event_seq",
                "contact c WHERE event_seq <> (SELECT max(contact_seq) FROM event e"
                " WHERE e.account_id = c.account_id AND e.contact_id = c.contact_id)");
    const std::string tags = "SELECT contact_id, unnest(tags) FROM contact";
    const std::string facets = "SELECT contact_id, value FROM contact_facet WHERE facet = 0";
    expect_none("tags without a facet", std::format("({} EXCEPT ALL {}) t", tags, facets));
    expect_none("facets without a tag", std::format("({} EXCEPT ALL {}) t", facets, tags));
    expect_none("subscriptions with a wrong facet",
                "contact c LEFT JOIN contact_facet f ON f.account_id = c.account_id"
                " AND f.contact_id = c.contact_id AND f.facet = -1"
                " WHERE f.value IS DISTINCT FROM c.email_subscription");
  }

  ClientGroup& clients_;
  Instant start_;
  int consents_ = 0;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace

Verdict merge(const Setting& setting) {
  const std::size_t groups = setting.quick ? 60 : 2'000;
  ClientGroup clients{setting, "Merge"};
  clients.publish_workflow();
  Merging merging{clients};
  for (std::size_t number = 0; number < groups; number += kGroupsAtOnce)
    merging.run(number, std::min(kGroupsAtOnce, groups - number));
  clients.await_lanes();
  merging.judge();
  const auto strays = clients.count(
      "enrolment e WHERE NOT EXISTS (SELECT FROM contact c WHERE c.account_id = e.account_id AND "
      "c.contact_id = e.contact_id)");
  clients.expect(strays == 0, "enrolments of merged contacts");
  const Tally& tally = merging.tally;
  return clients.verdict(std::format(
      "2 processes, {} merges ({} raced from both sides, {} chains of three) under writes to all "
      "of them: {} additions of points exact ({} replays), {} tags and {} consents kept, {} writes "
      "rejected with 404; one contact.merged and one handover per merge",
      tally.merges, tally.races, tally.chains, tally.adds, tally.replays, tally.tags,
      tally.consents, tally.missing));
}

}  // namespace shopbell::proofs
