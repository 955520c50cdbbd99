#include "tests/proofs/actors/malformed_json.h"

#include <string_view>

#include "base/limits.h"

namespace shopbell::proofs {

namespace {

using namespace std::string_literals;

using Cases = std::vector<MalformedJson>;

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

const Cases& documents() {
  static const Cases cases{
      {"nothing", ""},
      {"a space", " "},
      {"white space", " \t\r\n"},
      {"two documents", "{}{}"},
      {"two documents on two lines", "{}\n{}"},
      {"a document and a word", "{} x"},
      {"a document and a comma", "{},"},
      {"a document and a bracket", "{}]"},
      {"a document and U+0000", "{}\0"s},
      {"U+0000 alone", "\0"s},
      {"cut after a brace", "{"},
      {"cut inside a name", R"({"a)"},
      {"cut after a name", R"({"a")"},
      {"cut after a colon", R"({"a":)"},
      {"cut inside a text", R"({"a":"b)"},
      {"cut inside an escape", R"({"a":"\)"},
      {"cut inside a \\u", R"({"a":"\u00)"},
      {"cut after a value", R"({"a":1)"},
      {"cut after a comma", R"({"a":1,)"},
      {"cut inside a list", "[1,"},
      {"cut inside a literal", R"({"a":tru)"},
      {"cut after a minus", R"({"a":-)"},
      {"a closing brace", "}"},
      {"brackets that cross", "[{]}"},
      {"a list closed as an object", "[1}"},
      {"a byte order mark", "\xEF\xBB\xBF{}"},
      {"UTF-16, big", "\0{\0}"s},
      {"UTF-16, little, marked", "\xFF\xFE{\0}\0"s},
      {"UTF-32", "\0\0\0{\0\0\0}"s},
      {"a form", "a=1&b=2"},
      {"XML", "<a>1</a>"},
      {"YAML", "a: 1"},
      {"a no-break space outside", "{\xC2\xA0}"},
      {"a form feed outside", "{\f}"},
      {"a vertical tab outside", "{\v}"},
      {"a line separator outside", "{\xE2\x80\xA8}"},
  };
  return cases;
}

const Cases& objects() {
  static const Cases cases{
      {"a line comment", "{} // x"},
      {"a block comment", "{/* x */}"},
      {"a hash comment", "{}\n# x"},
      {"a trailing comma in an object", R"({"a":1,})"},
      {"a trailing comma in a list", R"({"a":[1,]})"},
      {"a leading comma", R"({,"a":1})"},
      {"two commas", R"({"a":1,,"b":2})"},
      {"no comma", R"({"a":1 "b":2})"},
      {"no colon", R"({"a" 1})"},
      {"two colons", R"({"a"::1})"},
      {"an equals sign", R"({"a"=1})"},
      {"a name without quotes", "{a:1}"},
      {"a name in single quotes", "{'a':1}"},
      {"a number for a name", "{1:1}"},
      {"null for a name", "{null:1}"},
      {"a value without a name", R"({"a"})"},
      {"a list with a colon", R"(["a":1])"},
      {"only a comma", "[,]"},
      {"a member twice", R"({"a":1,"a":1})"},
      {"a member twice, with others between", R"({"a":1,"b":2,"a":3})"},
      {"a member twice, one escaped", R"({"a":1,"\u0061":2})"},
      {"a member twice, below", R"({"x":{"a":1,"a":2}})"},
      {"a member twice, in a list", R"({"x":[{"a":1,"a":2}]})"},
      {"a member twice, six levels down", R"({"a":{"a":{"a":{"a":{"a":{"b":1,"b":2}}}}}})"},
      {"the empty name twice", R"({"":1,"":2})"},
  };
  return cases;
}

const Cases& values() {
  static const Cases cases{
      {"NaN", R"({"a":NaN})"},
      {"Infinity", R"({"a":Infinity})"},
      {"-Infinity", R"({"a":-Infinity})"},
      {"a leading zero", R"({"a":01})"},
      {"a negative leading zero", R"({"a":-01})"},
      {"two zeros", R"({"a":00})"},
      {"a plus", R"({"a":+1})"},
      {"a hexadecimal number", R"({"a":0x1F})"},
      {"an octal number", R"({"a":0o7})"},
      {"a number that starts with a point", R"({"a":.5})"},
      {"a number that ends with a point", R"({"a":1.})"},
      {"a number with two points", R"({"a":1.2.3})"},
      {"an empty exponent", R"({"a":1e})"},
      {"an exponent of a sign", R"({"a":1e+})"},
      {"a point in an exponent", R"({"a":1e1.5})"},
      {"two minuses", R"({"a":--1})"},
      {"a minus alone", R"({"a":-})"},
      {"a minus and a space", R"({"a":- 1})"},
      {"underscores in a number", R"({"a":1_000})"},
      {"a number with a letter", R"({"a":1n})"},
      {"a full-width digit", "{\"a\":\xEF\xBC\x91}"},
      {"True", R"({"a":True})"},
      {"TRUE", R"({"a":TRUE})"},
      {"nul", R"({"a":nul})"},
      {"nulll", R"({"a":nulll})"},
      {"undefined", R"({"a":undefined})"},
      {"None", R"({"a":None})"},
      {"a word", R"({"a":x})"},
      {"a text in single quotes", R"({"a":'b'})"},
      {"a text in backticks", R"({"a":`b`})"},
      {"a text without its end", R"({"a":"b})"},
      {"two texts", R"({"a":"b" "c"})"},
  };
  return cases;
}

const Cases& texts() {
  static const Cases cases{
      {"\\x", R"({"a":"\x41"})"},
      {"\\a", R"({"a":"\a"})"},
      {"\\0", R"({"a":"\0"})"},
      {"\\'", R"({"a":"\'"})"},
      {"\\U", R"({"a":"\U0041"})"},
      {"\\u of three digits", R"({"a":"\u041"})"},
      {"\\u of a brace", R"({"a":"\u{41}"})"},
      {"\\u of no hexadecimal", R"({"a":"\u00zz"})"},
      {"an escaped line end", "{\"a\":\"\\\n\"}"},
      {"an escaped U+0000", R"({"a":"\u0000"})"},
      {"an escaped U+0000 in a name", R"({"a\u0000":1})"},
      {"an escaped U+0000 in a list", R"({"a":["b\u0000c"]})"},
      {"a raw U+0000", "{\"a\":\"\0\"}"s},
      {"a raw line feed", "{\"a\":\"b\nc\"}"},
      {"a raw tab", "{\"a\":\"b\tc\"}"},
      {"a raw U+0001", "{\"a\":\"\x01\"}"},
      {"a raw U+001F", "{\"a\":\"\x1F\"}"},
      {"a raw line feed in a name", "{\"a\n\":1}"},
      {"a high surrogate, escaped", R"({"a":"\ud83d"})"},
      {"a low surrogate, escaped", R"({"a":"\ude00"})"},
      {"a high surrogate and a letter", R"({"a":"\ud83dx"})"},
      {"a high surrogate and another escape", R"({"a":"\ud83d\u0041"})"},
      {"two high surrogates", R"({"a":"\ud83d\ud83d"})"},
      {"surrogates in the wrong order", R"({"a":"\ude00\ud83d"})"},
      {"a surrogate in a name", R"({"\ud83d":1})"},
      {"a high surrogate, raw", "{\"a\":\"\xED\xA0\xBD\"}"},
      {"a low surrogate, raw", "{\"a\":\"\xED\xB8\x80\"}"},
      {"a pair of surrogates, raw", "{\"a\":\"\xED\xA0\xBD\xED\xB8\x80\"}"},
      {"an overlong slash, two bytes", "{\"a\":\"\xC0\xAF\"}"},
      {"an overlong slash, three bytes", "{\"a\":\"\xE0\x80\xAF\"}"},
      {"an overlong slash, four bytes", "{\"a\":\"\xF0\x80\x80\xAF\"}"},
      {"an overlong U+0000", "{\"a\":\"\xC0\x80\"}"},
      {"a continuation alone", "{\"a\":\"\x80\"}"},
      {"two bytes cut to one", "{\"a\":\"\xC3\"}"},
      {"three bytes cut to two", "{\"a\":\"\xE2\x82\"}"},
      {"four bytes cut to three", "{\"a\":\"\xF0\x9F\x98\"}"},
      {"0xFF", "{\"a\":\"\xFF\"}"},
      {"0xFE", "{\"a\":\"\xFE\"}"},
      {"past U+10FFFF", "{\"a\":\"\xF4\x90\x80\x80\"}"},
      {"five bytes", "{\"a\":\"\xF8\x88\x80\x80\x80\"}"},
      {"Latin-1", "{\"a\":\"caf\xE9\"}"},
      {"Latin-1 in a name", "{\"caf\xE9\":1}"},
      {"0xFF outside a text", "{\xFF}"},
  };
  return cases;
}

Cases depths() {
  const std::size_t over = limits::kJsonDepth + 1;
  return {
      {"33 lists", repeated("[", over) + repeated("]", over)},
      {"33 objects", repeated(R"({"a":)", over) + "1" + repeated("}", over)},
      {"33 levels below a member",
       R"({"a":)" + repeated("[", over - 1) + repeated("]", over - 1) + "}"},
      {"33 levels of both", repeated(R"([{"a":)", over / 2) + "[]" + repeated("}]", over / 2)},
      {"1,000 lists", repeated("[", 1000) + repeated("]", 1000)},
      {"100,000 lists that never end", repeated("[", 100'000)},
      {"50,000 objects that never end", repeated(R"({"a":)", 50'000)},
  };
}

}  // namespace

const std::vector<MalformedJson>& malformed_json() {
  static const Cases all = [] {
    Cases cases = depths();
    for (const auto* part : {&documents(), &objects(), &values(), &texts()})
      cases.insert(cases.end(), part->begin(), part->end());
    return cases;
  }();
  return all;
}

}  // namespace shopbell::proofs
