#include "app/commands/contact_commands.h"

#include <print>

#include "json/document.h"
#include "json/writer.h"
#include "observe/log.h"
#include "resources/contacts/contact_care.h"
#include "runtime/wait.h"

namespace shopbell::app {

namespace {

using contacts::Key;

// Who is meant; one of the three.
struct Person {
  std::string email;
  std::string external_id;
  std::string id;

  Key key() const {
    const auto key = !email.empty() ? contacts::typed_key(Key::Kind::email, email)
                     : !id.empty()  ? contacts::typed_key(Key::Kind::id, id)
                                    : contacts::typed_key(Key::Kind::external_id, external_id);
    if (!key) throw std::runtime_error{"that is neither an e-mail address nor an id"};
    return *key;
  }
};

struct ContactOptions {
  std::int64_t account = 0;
  Person person;
  std::string from;
  std::string into;
};

// Runs `work(care)` as a request of the account would run: behind the same walls.
template <class Work>
auto care_for(const Config& config, std::int64_t account, Work work) {
  observe::start_logs(observe::Level::warn);
  const auto keyring = keyring::Keyring::load(config.keyring);
  boost::asio::io_context loop;
  observe::Metrics metrics;
  pg::Health health;
  const auto deadline = pg::Steady::now() + std::chrono::seconds{10};
  pg::Pool database{loop, {.url = config.database_api}, metrics, health};
  runtime::run_to_end(loop, database.wait_connected(deadline));
  contacts::ContactCare care{database, {.account = account, .deadline = deadline}, keyring};
  return runtime::run_to_end(loop, work(care));
}

std::runtime_error nobody() { return std::runtime_error{"the account has no such contact"}; }

void show(const Config& config, const ContactOptions& options) {
  const auto shown = care_for(config, options.account,
                              [&](auto& care) { return care.show(options.person.key()); });
  if (!shown) throw nobody();
  json::Writer writer;
  writer.json(*shown);
  std::println("{}", writer.finish(json::Writer::Layout::indented));
}

void erase(const Config& config, const ContactOptions& options) {
  if (!care_for(config, options.account,
                [&](auto& care) { return care.erase(options.person.key()); }))
    throw nobody();
  std::println("erased; who had unsubscribed stays so, by a hash of the address");
}

void merge(const Config& config, const ContactOptions& options) {
  const auto key = [](const std::string& text) { return Person{.id = text}.key(); };
  if (!care_for(config, options.account,
                [&](auto& care) { return care.merge(key(options.from), key(options.into)); }))
    throw nobody();
  std::println("merged; {} names the same person from now on", options.from);
}

}  // namespace

void add_contact_commands(CLI::App& commands, const std::function<Config()>& config) {
  const auto options = std::make_shared<ContactOptions>();
  auto* contact = commands.add_subcommand("contact", "One person")->require_subcommand(1);
  const auto of_account = [&](const std::string& name, const std::string& what) {
    auto* command = contact->add_subcommand(name, what);
    command->add_option("--account", options->account, "Number of the account")->required();
    return command;
  };
  const auto of_person = [&](const std::string& name, const std::string& what) {
    auto* command = of_account(name, what);
    auto* person = command->add_option_group("person")->require_option(1);
    person->add_option("--email", options->person.email, "E-mail address");
    person->add_option("--external-id", options->person.external_id, "The store's own id");
    person->add_option("--id", options->person.id, "Shopbell's own id");
    return command;
  };
  of_person("show", "Show what is held about a person")->callback([=] {
    show(config(), *options);
  });
  of_person("erase", "Forget a person, for good")->callback([=] { erase(config(), *options); });
  auto* merged = of_account("merge", "Make two contacts one");
  merged->add_option("FROM", options->from, "Id of the contact that becomes part of the other")
      ->required();
  merged->add_option("INTO", options->into, "Id of the contact that stays")->required();
  merged->callback([=] { merge(config(), *options); });
}

}  // namespace shopbell::app
