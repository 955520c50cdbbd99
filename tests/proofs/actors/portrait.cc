#include "tests/proofs/actors/portrait.h"

#include <chrono>
#include <format>

#include "base/time.h"

namespace shopbell::proofs {

std::string Portraits::draw_text(std::string_view characters, std::size_t count) {
  std::string text;
  while (text.size() < count) text += characters[random_() % characters.size()];
  return text;
}

// Returns random letters in mixed case that occur nowhere else.
std::string Portraits::draw_mark() {
  std::string text = "Qx" + draw_text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 14);
  needles_.add({text});
  return text;
}

// Draws a phone number. Its needles are the form that the store sends and the form that the service
// stores.
std::string Portraits::draw_phone() {
  const std::string a = draw_text("123456789", 4);
  const std::string b = draw_text("0123456789", 4);
  needles_.add({std::format("664{}{}", a, b), std::format("664 {} {}", a, b)});
  return std::format("+43 664 {} {}", a, b);
}

std::string Portraits::draw_ip() {
  std::string ip;
  for (int i = 0; i < 4; ++i) ip += (i == 0 ? "" : ":") + draw_text("123456789abcdef", 4);
  needles_.add({ip});
  return "2001:db8:0:1:" + ip;
}

std::string Portraits::draw_points() {
  const std::string points = draw_text("123456789", 15);
  needles_.add({points});
  return points;
}

std::string Portraits::draw_birth_date() {
  const std::chrono::sys_days day =
      std::chrono::sys_days{std::chrono::year{1900} / 1 / 1} + std::chrono::days{births_++ * 7};
  const std::string date = to_rfc3339(day).substr(0, 10);
  needles_.add({date});
  return date;
}

Portrait Portraits::draw() {
  Portrait card{.email = draw_mark() + "@Erasure.example",
                .external_id = std::format("id/{} ü", draw_mark())};
  if (random_() % 3 == 0) card.old_email = draw_mark() + "@before.example";
  card.body = std::format(
      R"({{"externalId":"{}","firstName":"Zoë {}","lastName":"{} Müller","company":"{} & Co",)"
      R"("birthDate":"{}","phone":"{}","postalCode":"{}","tags":["{}","Öl {}"],"points":{},)"
      R"("fields":{{"nick":"{}","note":"{}\n","second":"{}@second.example",)"
      R"("site":"https://{}.example/me"}},"consent":[{{"channel":"email","status":"subscribed",)"
      R"("source":"{}","ip":"{}","userAgent":"Mozilla/{}","wording":"Yes,\n{}"}}]}})",
      card.external_id, draw_mark(), draw_mark(), draw_mark(), draw_birth_date(), draw_phone(),
      draw_mark(), draw_mark(), draw_mark(), draw_points(), draw_mark(), draw_mark(), draw_mark(),
      draw_mark(), draw_mark(), draw_ip(), draw_mark(), draw_mark());
  return card;
}

}  // namespace shopbell::proofs
