#include "app/config/config.h"

#include <format>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "app/config/settings.h"

namespace shopbell::app {
namespace {

constexpr std::string_view kDatabases =
    "[database]\napi = \"postgresql://a@h/d\"\nworker = \"postgresql://w@h/d\"\nreader = "
    "\"postgresql://r@h/d\"\n";

class ConfigTest : public testing::Test {
 protected:
  ~ConfigTest() override { std::filesystem::remove(file_); }

  Config load(const std::string& text, std::map<std::string, std::string> environment = {}) {
    std::ofstream{file_} << text;
    return load_config(file_, [&](const std::string& name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional{found->second};
    });
  }

  // The error message without the file name, or "taken".
  std::string refusal(const std::string& text,
                      std::map<std::string, std::string> environment = {}) {
    try {
      load(text, std::move(environment));
    } catch (const ConfigError& error) {
      std::string message = error.what();
      if (message.starts_with(file_.string())) message.erase(0, file_.string().size());
      return message;
    }
    return "taken";
  }

  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("config-" + std::to_string(::getpid()) + ".toml");
};

TEST_F(ConfigTest, environment_variables_override_the_file) {
  const std::string text =
      "[http]\nlisten = \"0.0.0.0:80\"\nthreads = 3\n" + std::string{kDatabases};
  const Config config =
      load(text, {{"SHOPBELL_HTTP_LISTEN", "[::1]:0"}, {"SHOPBELL_LOG_LEVEL", "warn"}});
  EXPECT_EQ(config.listen.host, "[::1]");
  EXPECT_EQ(config.listen.port, 0);
  EXPECT_EQ(config.threads, 3U);
  EXPECT_EQ(config.log_level, observe::Level::warn);
  EXPECT_EQ(config.keyring, file_.parent_path() / "keyring");
}

TEST_F(ConfigTest, reads_brokers_and_their_authentication) {
  const Config plain = load(std::string{kDatabases});
  EXPECT_TRUE(plain.kafka.brokers.empty());
  EXPECT_EQ(plain.kafka.intake_topic, "shopbell-intake");
  EXPECT_EQ(plain.kafka.intake_partitions, 3U);
  const Config config = load(
      "[kafka]\nbrokers = [\"a:9092\", \"b:9093\"]\nintake_partitions = 64\ntls = "
      "true\ntls_ca_file = \"ca.pem\"\n"
      "sasl_mechanism = \"SCRAM-SHA-512\"\nsasl_user = \"bell\"\n"
      "sasl_password_file = \"password\"\n" +
      std::string{kDatabases});
  EXPECT_EQ(config.kafka.brokers, (std::vector<std::string>{"a:9092", "b:9093"}));
  EXPECT_EQ(config.kafka.intake_partitions, 64U);
  EXPECT_EQ(config.kafka.tls_ca_file, file_.parent_path() / "ca.pem");
  EXPECT_EQ(config.kafka.sasl_password_file, file_.parent_path() / "password");
  const std::string databases{kDatabases};
  EXPECT_NE(refusal("[kafka]\nbrokers = [\"a\"]\n" + databases), "taken");
  EXPECT_NE(refusal("[kafka]\nintake_topic = \"a b\"\n" + databases), "taken");
  for (const char* number : {"0", "65", "\"some\""})
    EXPECT_EQ(refusal(std::format("[kafka]\nintake_partitions = {}\n", number) + databases),
              ":2: kafka.intake_partitions must be a whole number from 1 to 64");
  EXPECT_NE(refusal("[kafka]\nsasl_mechanism = \"NONE\"\n" + databases), "taken");
  EXPECT_NE(refusal("[kafka]\nsasl_mechanism = \"PLAIN\"\n" + databases), "taken");
  EXPECT_NE(refusal("[kafka]\ntls_certificate = \"c.pem\"\ntls = true\n" + databases), "taken");
  EXPECT_NE(refusal("[kafka]\ntls_ca_file = \"ca.pem\"\n" + databases), "taken");
}

TEST_F(ConfigTest, reports_the_place_and_the_fault) {
  EXPECT_EQ(refusal("[http]\nlisen = \"x\"\n"),
            ":2: unknown setting http.lisen; did you mean http.listen?");
  EXPECT_EQ(refusal("[http]\nlisten = \"nowhere\"\n"),
            ":2: http.listen must be an address and port, such as 127.0.0.1:8080");
  EXPECT_EQ(refusal("[http]\nlisten = \"h:99999\"\n"),
            ":2: http.listen must be an address and port, such as 127.0.0.1:8080");
  EXPECT_EQ(refusal("[http]\nthreads = -1\n"),
            ":2: http.threads must be a whole number from 0 to 256");
  EXPECT_EQ(refusal("[http]\nbase_path = \"shop/\"\n"),
            ":2: http.base_path must be empty, or start with a slash and not end with one, such as "
            "/shop");
  EXPECT_EQ(refusal("[log]\nlevel = \"loud\"\n"),
            ":2: log.level must be one of debug, info, warn, error");
  EXPECT_EQ(refusal("[log]\nrequests = \"yes\"\n"), ":2: log.requests must be true or false");
  EXPECT_EQ(refusal("listen = 1\n"), ":1: unknown setting listen; did you mean http.listen?");
  EXPECT_EQ(refusal(""), ": database.api is missing; `shopbell init` writes it");
  EXPECT_TRUE(refusal("[http\n").starts_with(":1: ")) << refusal("[http\n");
  EXPECT_EQ(refusal(std::string{kDatabases}, {{"SHOPBELL_HTTP_THREADS", "many"}}),
            "SHOPBELL_HTTP_THREADS must be a whole number from 0 to 256");
}

TEST_F(ConfigTest, requires_all_s3_settings_or_none) {
  const std::string databases{kDatabases};
  EXPECT_TRUE(load(databases).s3.endpoint.empty());
  const std::string s3 =
      "[storage]\ns3_endpoint = \"https://s3.example\"\ns3_region = \"r\"\ns3_bucket = \"b\"\n"
      "s3_key_id = \"k\"\n";
  const Config config = load(databases + s3 + "s3_secret_file = \"secret\"\n",
                             {{"SHOPBELL_STORAGE_S3_BUCKET_IN_HOST", "true"}});
  EXPECT_EQ(config.s3.endpoint, "https://s3.example");
  EXPECT_EQ(config.s3.secret_file, file_.parent_path() / "secret");
  EXPECT_TRUE(config.s3.bucket_in_host);
  EXPECT_EQ(refusal(databases + s3),
            ": storage.s3_endpoint is set and storage.s3_secret_file is not; S3 needs both");
  EXPECT_EQ(refusal("[storage]\ns3_endpoint = \"s3.example/bucket\"\n"),
            ":2: storage.s3_endpoint is not the address of a server, such as "
            "https://s3.eu-central-1.amazonaws.com");
}

TEST_F(ConfigTest, requires_both_tls_files_or_neither) {
  const std::string databases{kDatabases};
  EXPECT_TRUE(load(databases).tls_certificate.empty());
  const Config config =
      load("[http]\ntls_certificate = \"tls/c.pem\"\ntls_key = \"/k.pem\"\n" + databases);
  EXPECT_EQ(config.tls_certificate, file_.parent_path() / "tls/c.pem");
  EXPECT_EQ(config.tls_key, "/k.pem");
  EXPECT_EQ(refusal("[http]\ntls_certificate = \"c.pem\"\n" + databases),
            ": http.tls_certificate is set and http.tls_key is not; TLS needs both");
  EXPECT_EQ(refusal(databases, {{"SHOPBELL_HTTP_TLS_KEY", "k.pem"}}),
            ": http.tls_key is set and http.tls_certificate is not; TLS needs both");
}

TEST_F(ConfigTest, reads_a_list_as_an_array_or_comma_separated) {
  const std::vector<std::string> ranges{"10.0.0.0/8", "::1"};
  const std::string databases{kDatabases};
  const auto proxies = [&](const std::string& list) {
    return load("[http]\ntrusted_proxies = " + list + "\n" + databases).trusted_proxies;
  };
  EXPECT_EQ(proxies("[\"10.0.0.0/8\", \"::1\"]"), ranges);
  EXPECT_EQ(proxies("\"10.0.0.0/8 , ::1\""), ranges);
  EXPECT_EQ(proxies("[]"), std::vector<std::string>{});
  EXPECT_EQ(proxies("\"\""), std::vector<std::string>{});
  EXPECT_EQ(load("[http]\ntrusted_proxies = [\"192.0.2.7\"]\n" + databases,
                 {{"SHOPBELL_HTTP_TRUSTED_PROXIES", "10.0.0.0/8,::1"}})
                .trusted_proxies,
            ranges);
  for (const char* list : {"[\"nowhere\"]", "\"10.0.0.0/8,\"", "[\"\"]", "[\"\", \"::1\"]", "[1]",
                           "\"10.0.0.0/33\"", "\"1 0.0.0.0/8\"", "[[\"::1\"]]", "5"}) {
    EXPECT_EQ(refusal("[http]\ntrusted_proxies = " + std::string{list} + "\n"),
              ":2: http.trusted_proxies must be a list of addresses and networks, such as "
              "10.0.0.0/8, 192.0.2.7")
        << list;
  }
}

TEST_F(ConfigTest, reads_the_allowed_hosts_of_webhooks) {
  const std::string databases{kDatabases};
  EXPECT_EQ(load(databases).webhooks, net::OutsideRules{});
  const net::OutsideRules rules{.allow_private = {"127.0.0.1:8090", "hooks.internal", "fd00::/8"},
                                .allow_ports = {8443, 9443}};
  EXPECT_EQ(load("[webhooks]\nallow_private = [\"127.0.0.1:8090\", \"hooks.internal\", "
                 "\"fd00::/8\"]\nallow_ports = [8443, 9443]\n" +
                 databases)
                .webhooks,
            rules);
  EXPECT_EQ(load(databases,
                 {{"SHOPBELL_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.1:8090, hooks.internal,fd00::/8"},
                  {"SHOPBELL_WEBHOOKS_ALLOW_PORTS", "8443, 9443"}})
                .webhooks,
            rules);
  for (const char* list : {"[\"\"]", "\"a,\"", "[\"127.1\"]", "[\"*.internal\"]", "[8090]",
                           "\"http://hooks.internal\"", "[\"127.0.0.1:0\"]", "5"}) {
    EXPECT_EQ(refusal("[webhooks]\nallow_private = " + std::string{list} + "\n"),
              ":2: webhooks.allow_private must be a list of hosts, such as 127.0.0.1:8090, "
              "10.0.0.0/8, hooks.internal")
        << list;
  }
  for (const char* list :
       {"[0]", "[65536]", "[-1]", "[\"\"]", "[\"https\"]", "\"8443,\"", "true"}) {
    EXPECT_EQ(refusal("[webhooks]\nallow_ports = " + std::string{list} + "\n"),
              ":2: webhooks.allow_ports must be a list of ports, such as 8443, 9443")
        << list;
  }
}

TEST_F(ConfigTest, never_repeats_a_connection_string) {
  const std::string message = refusal("[database]\napi = \"mysql://user:secret@h/d\"\n");
  EXPECT_FALSE(message.contains("secret")) << message;
}

// Returns a file with this setting only, such as "[http]\nthreads = 0\n".
std::string sample_of(const Setting& setting) {
  const std::size_t dot = setting.name.find('.');
  return std::format("[{}]\n{} = {}\n", setting.name.substr(0, dot), setting.name.substr(dot + 1),
                     setting.sample);
}

TEST_F(ConfigTest, has_the_defaults_of_its_table) {
  std::map<std::string, std::string> databases{{"SHOPBELL_DATABASE_API", "postgresql://a@h/d"},
                                               {"SHOPBELL_DATABASE_WORKER", "postgresql://w@h/d"},
                                               {"SHOPBELL_DATABASE_READER", "postgresql://r@h/d"}};
  const Config untouched = load("", databases);
  for (const auto& setting : settings()) {
    if (!setting.fallback.starts_with('`')) continue;
    std::string written{setting.sample};
    std::erase(written, '"');
    EXPECT_EQ(setting.fallback, std::format("`{}`", written)) << setting.name;
    EXPECT_EQ(load(sample_of(setting), databases), untouched) << setting.name;
  }
}

TEST_F(ConfigTest, reads_its_own_example_file_when_uncommented) {
  std::istringstream lines{example_file()};
  std::string text;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#') && !line.starts_with("# ")) {
      line.erase(0, 1);
      ++count;
    }
    text += line + '\n';
  }
  EXPECT_EQ(count, settings().size());
  const Config config = load(text);
  EXPECT_EQ(config.base_path, "/shop");
  EXPECT_EQ(config.s3.bucket, "shopbell");
  EXPECT_EQ(config.trusted_proxies, (std::vector<std::string>{"10.0.0.0/8", "::1"}));
  EXPECT_EQ(config.connections_per_address, limits::kConnectionsPerAddress);
}

TEST_F(ConfigTest, documents_every_setting_and_its_environment_variable) {
  const std::string table = settings_table();
  for (const auto& setting : settings()) {
    EXPECT_TRUE(table.contains(std::format("| `{}` |", setting.name))) << setting.name;
    EXPECT_TRUE(example_file().contains(environment_name(setting))) << setting.name;
    EXPECT_FALSE(setting.takes.empty() || setting.fallback.empty()) << setting.name;
  }
  EXPECT_TRUE(table.contains("`SHOPBELL_STORAGE_S3_BUCKET_IN_HOST`"));
}

TEST_F(ConfigTest, reports_a_missing_file) {
  std::filesystem::remove(file_);
  EXPECT_THROW(load_config(file_, process_environment()), ConfigError);
}

}  // namespace
}  // namespace shopbell::app
