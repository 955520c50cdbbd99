#include "expect.h"
#include "rules.h"
#include "scan.h"

namespace shopbell::house {
namespace {

TEST(Scan, includes_are_told_from_comments_and_strings) {
  const auto includes = includes_of(R"cc(#include "base/a.h"
                                         // #include "no/1.h"
                                         /*
                                         #include "no/2.h"
                                         */
                                         const char* text = R"(
#include "no/3.h"
)";
#include <vector>
  )cc");
  ASSERT_EQ(includes.size(), 2U);
  EXPECT_EQ(includes[0].target, "base/a.h");
  EXPECT_TRUE(includes[0].quoted);
  EXPECT_EQ(includes[1].target, "vector");
  EXPECT_EQ(includes[1].line, 9U);
  EXPECT_FALSE(includes[1].quoted);
}

TEST(IncludeLevels, is_seen_red) {
  const Tree tree{
      {"src/base/a.cc", "#include \"base/a.h\"\n#include \"pg/pool.h\"\n"},
      {"src/base/b.cc", "#include <pg/pool.h>\n"},
      {"src/runtime/a.cc", "#include \"observe/log.h\"\n"},
      {"src/compress/a.cc", "#include \"json/document.h\"\n"},
      {"src/http/a.h", "#pragma once\n\n#include \"resources/store/store.h\"\n"},
      {"src/http/a_test.cc", "#include \"app/config.h\"\n"},
      {"src/app/a.cc", "#include \"testing/clock.h\"\n"},
      {"src/main.cc", "#include \"testing/clock.h\"\n"},
      {"src/http/c.cc", "#include \"pg/queries.h\"\n#include \"migrations.h\"\n"},
      {"src/resources/a/b.cc",
       "#include \"resources/store/queries.h\"\n#include \"resources/exports/statements.h\"\n"},
      {"src/pg/pool.h", ""},
      {"src/misc/a.cc", ""},
  };
  expect_findings(include_levels(tree),
                  {
                      {"src/base/a.cc:2", "of pg (level 2) and this is level 0"},
                      {"src/base/b.cc:1", "of pg (level 2) and this is level 0"},
                      {"src/runtime/a.cc:1", "level 1) and this is level 1"},
                      {"src/compress/a.cc:1", "of json (level 1) and this is level 1"},
                      {"src/http/a.h:3", "of resources (level 5)"},
                      {"src/http/a_test.cc:1", "of app (level 7)"},
                      {"src/app/a.cc:1", "is for tests"},
                      {"src/main.cc:1", "is for tests"},
                      {"src/http/c.cc:1", "generated for pg alone"},
                      {"src/http/c.cc:2", "generated for app alone"},
                      {"src/misc/a.cc:1", "src/misc has no level"},
                      {"src/resources/a/b.cc:1", "generated for resources/store alone"},
                      {"src/resources/a/b.cc:2", "generated for resources/exports alone"},
                  });
}

TEST(IncludeLevels, let_pass_what_goes_down) {
  expect_none(include_levels({
      {"src/main.cc", "#include \"app/app.h\"\n"},
      {"src/app/a.cc", "#include \"migrations.h\"\n#include \"resources/all.h\"\n"},
      {"src/http/a.cc",
       "#include \"http/a.h\"\n#include \"pg/pool.h\"\n#include \"base/time.h\"\n"},
      {"src/http/a_pgtest.cc", "#include \"testing/database.h\"\n"},
      {"src/testing/a.cc", "#include \"app/app.h\"\n#include \"pg/queries.h\"\n"},
      {"src/pg/a.cc", "#include \"pg/queries.h\"\n#include <net/if.h>\n"},
      {"tests/load/a.cc", "#include \"testing/client.h\"\n"},
  }));
}

TEST(FolderUses, is_seen_red) {
  const Tree tree{
      {"src/http/wire/a.cc", "#include \"http/server/b.h\"\n#include \"pg/pool.h\"\n"},
      {"src/http/server/a.cc", "#include \"http/wire/b.h\"\n#include \"http/server/b.h\"\n"},
      {"src/app/service/a.cc", "\n#include \"app/commands/b.h\"\n"},
      {"src/app/commands/a.cc", "#include \"app/service/b.h\"\n"},
      {"src/app/odds/a.cc", ""},
      {"tests/proofs/actors/a.cc", "#include \"tests/proofs/edge/b.h\"\n"},
      {"tests/proofs/main.cc", "#include \"tests/proofs/edge/b.h\"\n"},
  };
  expect_findings(folder_uses(tree),
                  {
                      {"src/http/wire/a.cc:1", "src/http/wire may not include src/http/server"},
                      {"src/app/odds/a.cc:1", "src/app/odds is not in the table"},
                      {"src/app/service/a.cc:2", "may not include src/app/commands"},
                      {"tests/proofs/actors/a.cc:1", "may not include tests/proofs/edge"},
                  });
}

TEST(SliceUses, is_seen_red) {
  const Tree tree{
      {"src/resources/all.h", ""},
      {"src/resources/contacts/contact.cc", "#include \"resources/store/store.h\"\n"},
      {"src/resources/coupons/coupon.cc", "\n#include \"resources/contacts/contact.h\"\n"},
      {"src/resources/coupons/USES", "store\n"},
      {"src/resources/store/store.cc", "#include \"resources/all.h\"\n"},
      {"src/resources/a/USES", "# why\nb\n"},
      {"src/resources/b/USES", "c\nghosts\n"},
      {"src/resources/c/USES", "a\n"},
      {"src/resources/d/USES", "d\n"},
  };
  expect_findings(
      slice_uses(tree),
      {
          {"src/resources/contacts/contact.cc:1", "contacts does not say that it uses store"},
          {"src/resources/coupons/coupon.cc:2", "coupons does not say that it uses contacts"},
          {"src/resources/store/store.cc:1", "knows every slice"},
          {"src/resources/b/USES:2", "no slice ghosts"},
          {"src/resources/c/USES:1", "a → b → c → a"},
          {"src/resources/d/USES:1", "d → d"},
      });
}

TEST(SliceUses, let_pass_what_is_declared) {
  expect_none(slice_uses({
      {"src/resources/all.cc", "#include \"resources/store/store.h\"\n"},
      {"src/resources/contacts/USES", "store  # whose contacts they are\n\n"},
      {"src/resources/contacts/contact.cc",
       "#include \"resources/contacts/contact.h\"\n#include \"resources/store/store.h\"\n"},
      {"src/resources/purchases/USES", "contacts\nstore\n"},
      {"src/resources/store/store.cc", "#include \"http/call.h\"\n"},
      {"src/resources/store/store_pgtest.cc", "#include \"resources/all.h\"\n"},
  }));
}

TEST(LibraryFences, is_seen_red) {
  const Tree tree{
      {"src/base/a.cc", "#include <boost/asio/post.hpp>\n#include <boost/beast/core.hpp>\n"},
      {"src/base/b.cc", "#include <phonenumbers/phonenumberutil.h>\n"},
      {"src/http/a.cc",
       "#include <libpq-fe.h>\n#include \"yyjson.h\"\n#include <spdlog/spdlog.h>\n"},
      {"src/http/b.cc", "#include <prometheus/counter.h>\n#include <toml++/toml.hpp>\n"},
      {"src/http/c.cc",
       "#include <CLI/CLI.hpp>\n#include <openssl/sha.h>\n#include <unicode/utf8.h>\n"},
      {"src/http/d.cc", "#include <curl/curl.h>\n#include <librdkafka/rdkafka.h>\n"},
      {"src/http/e.h", "#include <boost/beast/http.hpp>\n"},
      {"src/json/a.cc", "#include <boost/asio.hpp>\n"},
      {"src/keyring/a.cc", "#include <boost/crc.hpp>\n"},
      {"src/observe/a.cc", "#include <gtest/gtest.h>\n#include <rapidcheck.h>\n"},
      {"src/pg/a.h", "#include <benchmark/benchmark.h>\n"},
      {"src/pg/b.cc", "#include <lz4.h>\n#include \"pool.h\"\n"},
      {"src/pg/c.cc", "#include <zlib.h>\n#include <zstd.h>\n#include <zstd_errors.h>\n"},
      {"src/testing/a.h", "#include <boost/beast/http.hpp>\n"},
  };
  expect_findings(
      library_fences(tree),
      {
          {"src/base/a.cc:1", "Boost.Asio is included only in"},
          {"src/base/a.cc:2", "Boost.Beast is included only in"},
          {"src/base/b.cc:1", "libphonenumber is included only in src/base/identity.cc"},
          {"src/http/a.cc:1", "libpq is included only in src/pg/*"},
          {"src/http/a.cc:2", "yyjson is included only in src/json/*"},
          {"src/http/a.cc:3", "spdlog is"},
          {"src/http/b.cc:1", "prometheus-cpp is"},
          {"src/http/b.cc:2", "toml++ is"},
          {"src/http/c.cc:1", "CLI11 is"},
          {"src/http/c.cc:2", "OpenSSL is"},
          {"src/http/c.cc:3", "ICU is"},
          {"src/http/d.cc:1", "libcurl is"},
          {"src/http/d.cc:2", "librdkafka is"},
          {"src/http/e.h:1", "Boost.Beast is"},
          {"src/json/a.cc:1", "Boost.Asio is"},
          {"src/keyring/a.cc:1", "Boost is"},
          {"src/observe/a.cc:1", "a test framework is"},
          {"src/observe/a.cc:2", "a test framework is"},
          {"src/pg/a.h:1", "a test framework is"},
          {"src/pg/b.cc:1", "library with a fence"},
          {"src/pg/b.cc:2", "neither a path below src/"},
          {"src/pg/c.cc:1", "zlib is included only in src/compress/*"},
          {"src/pg/c.cc:2", "zstd is included only in src/compress/*"},
          {"src/pg/c.cc:3", "zstd is"},
          {"src/testing/a.h:1", "Boost.Beast is"},
      });
}

TEST(LibraryFences, a_third_file_with_beast_is_seen_red) {
  const std::string beast = "#include <boost/beast/core.hpp>\n#include <boost/beast/http.hpp>\n";
  const Tree two{{"src/http/a.cc", beast}, {"src/http/b.cc", beast}, {"src/testing/a.cc", beast}};
  expect_none(library_fences(two));
  Tree three = two;
  three["src/http/c.cc"] = "#include <boost/beast/core.hpp>\n";
  expect_findings(library_fences(three), {{"src/http/c.cc:1", "at most 2 files of src/http"}});
}

TEST(LibraryFences, let_pass_what_is_at_home) {
  expect_none(library_fences({
      {"src/app/a.cc",
       "#include <CLI/CLI.hpp>\n#include <toml++/toml.hpp>\n#include \"migrations.h\"\n"},
      {"src/base/a.cc",
       "#include <openssl/sha.h>\n#include <unicode/utf8.h>\n#include <boost/crc.hpp>\n"},
      {"src/base/a_test.cc", "#include <gtest/gtest.h>\n#include <rapidcheck/gtest.h>\n"},
      {"src/base/identity.cc", "#include <phonenumbers/phonenumberutil.h>\n"},
      {"src/compress/a.cc", "#include <zlib.h>\n#include <zstd.h>\n#include <zstd_errors.h>\n"},
      {"src/json/a.cc", "#include <yyjson.h>\n#include <vector>\n#include <sys/stat.h>\n"},
      {"src/json/a_bench.cc", "#include <benchmark/benchmark.h>\n"},
      {"src/keyring/a.cc", "#include <fcntl.h>\n#include <openssl/hmac.h>\n"},
      {"src/observe/a.cc", "#include <prometheus/counter.h>\n#include <spdlog/spdlog.h>\n"},
      {"src/pch.h", "#include <boost/asio/post.hpp>\n"},
      {"src/pg/a.cc", "#include <libpq-fe.h>\n#include \"pg/pool.h\"\n#include \"pch.h\"\n"},
      {"src/pg/a_pgtest.cc", "#include <boost/asio/post.hpp>\n#include <gtest/gtest.h>\n"},
      {"src/resources/keys/a.cc", "#include <boost/crc.hpp>\n"},
      {"tests/load/a.cc", "#include <libpq-fe.h>\n"},
  }));
}

}  // namespace
}  // namespace shopbell::house
