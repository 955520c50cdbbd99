#include "expect.h"
#include "rules.h"

namespace shopbell::house {
namespace {

TEST(ImpureModules, is_seen_red) {
  const Tree tree{
      {"src/engine/a.cc",
       "#include \"pg/pool.h\"\n#include \"base/random.h\"\n#include <boost/asio.hpp>\n"},
      {"src/engine/b.cc", "#include <random>\nstd::random_device device;\n"},
      {"src/engine/c.h", "#pragma once\nvoid step(const Clock& clock);\n"},
      {"src/engine/d.cc", "\nauto now = std::chrono::system_clock::now();\n"},
      {"src/engine/deep/e.cc", "auto now = std::chrono::steady_clock::now();\n"},
      {"src/engine/queries/load.sql", "SELECT 1"},
      {"src/liquid/a.cc", "#include \"engine/run.h\"\n#include <fstream>\n"},
  };
  expect_findings(impure_modules(tree), {
                                            {"src/engine/a.cc:1", "not \"pg/pool.h\""},
                                            {"src/engine/a.cc:2", "base/random.h"},
                                            {"src/engine/a.cc:3", "not \"boost/asio.hpp\""},
                                            {"src/engine/b.cc:1", "random"},
                                            {"src/engine/b.cc:2", "random_device"},
                                            {"src/engine/c.h:2", "Clock"},
                                            {"src/engine/d.cc:2", "system_clock"},
                                            {"src/engine/deep/e.cc:1", "steady_clock"},
                                            {"src/engine/queries/load.sql:1", "no SQL"},
                                            {"src/liquid/a.cc:1", "not \"engine/run.h\""},
                                            {"src/liquid/a.cc:2", "fstream"},
                                        });
}

TEST(ImpureModules, lets_pass_pure_code_and_tests) {
  expect_none(impure_modules({
      {"src/engine/a.cc",
       "#include \"engine/a.h\"\n#include \"base/time.h\"\n#include \"json/writer.h\"\n"
       "#include <vector>\n// not a Clock\nconst char* name = \"system_clock\";\n"},
      {"src/liquid/a.cc", "#include \"liquid/value.h\"\n"},
      {"src/engine/a_test.cc", "#include <filesystem>\n#include \"testing/yaml.h\"\n"},
      {"src/pg/a.cc", "auto now = std::chrono::steady_clock::now();\n"},
      {"src/engine/scenarios/a.yaml", "Clock: 1\n"},
  }));
}

}  // namespace
}  // namespace shopbell::house
