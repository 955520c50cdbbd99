#include "app/commands.h"

#include <cstdlib>
#include <print>
#include <ranges>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "app/config.h"
#include "app/install.h"
#include "app/service.h"
#include "base/text.h"
#include "http/openapi.h"
#include "observe/log.h"
#include "resources/all.h"
#include "resources/keys/key_store.h"
#include "resources/store/accounts.h"
#include "runtime/wait.h"

namespace shopbell::app {

namespace {

namespace asio = boost::asio;

// One command's own loop and worker connection: operators act across accounts.
class Operator {
 public:
  explicit Operator(const Config& config)
      : database_{loop_, {.url = config.database_worker}, metrics_, health_} {
    observe::start_logs(observe::Level::warn);  // standard output is for what the command says
    runtime::run_to_end(loop_, database_.wait_connected(deadline_));
  }

  template <class T>
  T run(asio::awaitable<T> work) {
    return runtime::run_to_end(loop_, std::move(work));
  }
  pg::Pool& database() { return database_; }
  pg::Scope scope() const { return {.deadline = deadline_}; }

 private:
  asio::io_context loop_;
  observe::Metrics metrics_;
  pg::Health health_;
  pg::Steady::time_point deadline_ = pg::Steady::now() + std::chrono::seconds{10};
  pg::Pool database_;
};

void create_account(const Config& config, const store::NewAccount& account) {
  if (const auto fault = store::fault_of(account); !fault.empty()) throw std::runtime_error{fault};
  Operator as_operator{config};
  const auto created = as_operator.run(store::create_account(
      as_operator.database(), as_operator.scope(), account, system_clock().now()));
  std::println("account={}\ntest_account={}", created.live, created.test);
}

void create_key(const Config& config, keys::NewKey key) {
  if (!is_name(key.name, 255))
    throw std::runtime_error{"the name must be one line of 1 to 255 characters"};
  const auto known = resources::all_scopes();
  if (key.scopes == std::vector<std::string>{"all"}) key.scopes = known;
  for (const auto& scope : key.scopes) {
    if (std::ranges::contains(known, scope)) continue;
    throw std::runtime_error{
        std::format("there is no scope {}; there are: all {}", scope,
                    known | std::views::join_with(' ') | std::ranges::to<std::string>())};
  }
  const auto keyring = keyring::Keyring::load(config.keyring);
  Operator as_operator{config};
  const std::int64_t account = key.account;
  const auto token = as_operator.run(keys::create_key(
      as_operator.database(), as_operator.scope(), keyring, std::move(key), system_clock().now()));
  if (!token) throw std::runtime_error{std::format("there is no account {}", account)};
  std::println("key={}", token->text);
  // For the person who sees it; a script that takes it needs no advice.
  if (::isatty(STDOUT_FILENO) != 0)
    std::println(stderr, "This key is shown once: only a hash of it is kept.");
}

class Commands {
 public:
  Commands() {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", SHOPBELL_VERSION);
    app_.add_option("--config", config_file_, "The configuration file")
        ->envname("SHOPBELL_CONFIG")
        ->capture_default_str();
    add_init();
    add_migrate();
    add_run();
    add_account();
    add_key();
    app_.add_subcommand("openapi", "Print the OpenAPI document")->callback([] {
      std::print("{}", http::openapi_document(resources::all_routes(""), ""));
    });
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
      return exit_code_;
    } catch (const CLI::ParseError& error) {
      return app_.exit(error);
    } catch (const std::exception& error) {
      std::println(stderr, "shopbell: {}", error.what());
      return EXIT_FAILURE;
    }
  }

 private:
  Config config() const { return load_config(config_file_, process_environment()); }

  void add_init() {
    auto* init_command = app_.add_subcommand(
        "init", "Make roles, database, configuration and keyring on a PostgreSQL");
    init_command
        ->add_option("--admin", installation_.admin_url,
                     "Connection string of a PostgreSQL administrator")
        ->envname("SHOPBELL_ADMIN")
        ->required();
    init_command->add_option("--database", installation_.database, "Name of the database to make")
        ->capture_default_str();
    init_command
        ->add_option("--directory", installation_.directory, "Where configuration and keyring go")
        ->capture_default_str();
    init_command->add_option("--listen", installation_.listen, "Address of the interface")
        ->capture_default_str();
    init_command
        ->add_option("--private-listen", installation_.private_listen,
                     "Address of health and metrics")
        ->capture_default_str();
    init_command->callback([this] { init(installation_); });
  }

  void add_migrate() {
    auto* command = app_.add_subcommand("migrate", "Bring the schema up to this version");
    command->add_option("--owner", owner_file_,
                        "The file with the owner's connection string (default: owner.toml beside "
                        "the configuration)");
    command->callback([this] {
      const std::filesystem::path beside = config_file_.parent_path() / "owner.toml";
      migrate(load_owner(owner_file_.empty() ? beside : owner_file_));
    });
  }

  void add_run() {
    app_.add_subcommand("run", "Serve")->callback([this] {
      const Config loaded = config();
      observe::start_logs(loaded.log_level);
      exit_code_ = run_service(loaded);
    });
  }

  void add_account() {
    auto* account = app_.add_subcommand("account", "Accounts")->require_subcommand(1);
    auto* create = account->add_subcommand("create", "Make an account and its test account");
    create->add_option("--name", account_.name, "Name of the store")->required();
    create->add_option("--currency", account_.currency, "ISO 4217")->required();
    create->add_option("--url", account_.url, "Address of the shop");
    create->add_option("--time-zone", account_.time_zone, "IANA time zone")->capture_default_str();
    create->add_option("--locale", account_.locale, "BCP 47 language tag")->capture_default_str();
    create->add_option("--country", account_.country, "ISO 3166-1 alpha-2");
    create->callback([this] { create_account(config(), account_); });
  }

  void add_key() {
    auto* key = app_.add_subcommand("key", "API keys")->require_subcommand(1);
    auto* create = key->add_subcommand("create", "Make an API key");
    create->add_option("--account", key_.account, "Number of the account, live or test")
        ->required();
    create->add_option("--name", key_.name, "What the key is for")->required();
    create->add_option("--scopes", key_.scopes, "Scopes, or `all`")->required()->delimiter(',');
    create->add_option("--expires", expires_, "RFC 3339 time; never by default");
    create->callback([this] {
      if (!expires_.empty()) {
        key_.expires_at = parse_rfc3339(expires_);
        if (!key_.expires_at)
          throw std::runtime_error{"--expires is not a time such as 2027-01-31T00:00:00Z"};
      }
      create_key(config(), key_);
    });
  }

  CLI::App app_{"Shopbell: marketing automation for stores", "shopbell"};
  std::filesystem::path config_file_ = "shopbell.toml";
  std::filesystem::path owner_file_;
  Installation installation_;
  store::NewAccount account_;
  keys::NewKey key_;
  std::string expires_;
  int exit_code_ = EXIT_SUCCESS;
};

}  // namespace

int run_command(int argc, char** argv) { return Commands{}.run(argc, argv); }

}  // namespace shopbell::app
