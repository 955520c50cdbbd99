// tests/liquid/cases.mjs: writes the cases that compare our Liquid with LiquidJS, one JSON object a line:
// {template, data, expected}, or {template, data, error: true} if LiquidJS refuses the template or fails.
// Templates in which ours differs on purpose are not here; src/liquid has C++ tests of them.
import { Liquid } from 'liquidjs';

const liquid = new Liquid({ outputEscape: 'escape', strictFilters: true, locale: 'en-US', timezoneOffset: 0 });

const shop = {
  contact: {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
    language: 'en',
    tags: ['vip', 'bell'],
    fields: { level: 3, city: 'Zürich', note: '<b>"Hi" & \'bye\'</b>' },
  },
  purchase: {
    purchaseId: 'order-77',
    currency: 'EUR',
    total: '53.70',
    lines: [
      { productId: 'bell-1', name: 'Bell, brass', quantity: 2, unitPrice: '17.90', brand: 'Ring', gift: false },
      { productId: 'rope-2', name: 'Rope & hook', quantity: 1, unitPrice: '17.90', brand: 'Tie', gift: true },
      { productId: 'lamp-3', name: 'lamp <small>', quantity: 5, unitPrice: '4.50', brand: null, gift: true },
    ],
    none: [],
  },
};

const values = {
  nothing: null,
  yes: true,
  no: false,
  zero: 0,
  one: 1,
  seven: 7,
  minus: -7,
  half: 0.5,
  price: 19.99,
  big: 123456,
  empty_text: '',
  blanks: ' \n\t ',
  word: 'hello',
  upper: 'HELLO World',
  sentence: 'The quick brown fox jumps over the lazy dog',
  padded: '  a b  ',
  umlaut: 'äÖß straße',
  greek: 'ΟΔΟΣ',
  html: '<p>a &amp; b</p><script>x < y</script><!-- c --><br/>',
  quotes: `"a" & 'b' <c>`,
  lines_of_text: 'one\ntwo\r\nthree',
  csv: 'a,b,,c,,',
  digits: '42',
  decimal_text: '3.75',
  url: 'a b&c=d/e?ä',
  encoded: 'a+b%26c%C3%A4',
  numbers: [3, 1, 2],
  words: ['pear', 'Apple', 'fig', 'apple', 'Fig'],
  mixed: ['b', null, 'a', null],
  doubles: ['a', 'b', 'a', 1, '1', 1],
  nested: [1, [2, [3, 4]], 5],
  empty_list: [],
  empty_object: {},
  object: { a: 1, b: { c: 'deep' }, size: 9, 'x-y': 'dash', first: 'f' },
  people: [
    { name: 'Bo', age: 30, active: true, home: { city: 'Bern' } },
    { name: 'al', age: 25, active: false, home: { city: 'Wien' } },
    { name: 'Cy', age: null, active: true, home: null },
    { name: 'di', age: 25, home: { city: 'Bern' } },
  ],
};

const cases = [];
const add = (data, ...templates) => templates.forEach((template) => cases.push({ template, data }));

// Every list of templates below is rendered with `values`, or with `shop`.
const filtersOf = {
  append: [": 'x'", ': one', ': nothing', ': words'],
  prepend: [": 'x'", ': seven'],
  capitalize: [''],
  upcase: [''],
  downcase: [''],
  strip: [''],
  lstrip: [''],
  rstrip: [''],
  strip_newlines: [''],
  newline_to_br: ['', ' | raw'],
  strip_html: [''],
  escape_once: [' | raw'],
  url_encode: [''],
  truncate: [': 5', ": 5, ''", ": 8, '…'", ': 0', ': 2', ''],
  truncatewords: [': 2', ": 1, '--'", ': 0', ''],
  remove: [": 'l'", ": ''", ": 'lo'"],
  remove_first: [": 'l'", ": 'zz'"],
  replace: [": 'l', 'L'", ": '', '-'", ": ' '", ": 'hello', '$&'"],
  replace_first: [": 'l', '[$&]'", ": '', '-'"],
  size: [''],
  split: [": ',' | join: '|'", ": '' | join: '.'", ": ' ' | size"],
  slice: [': 1', ': 1, 3', ': -3, 2', ': -99', ': 2, -1', ': 99'],
  first: [''],
  last: [''],
  default: [": 'x'", ": 'x', allow_false: true", ': 0'],
  json: [' | raw'],
};
const inputsOf = {
  text: ['word', 'sentence', 'umlaut', 'nothing', 'big', 'quotes'],
  truncate: ['word', 'sentence', 'umlaut', 'nothing', 'padded'],
  strip: ['padded', 'blanks', 'lines_of_text'],
  lstrip: ['padded', 'blanks'],
  rstrip: ['padded', 'lines_of_text'],
  strip_newlines: ['lines_of_text', 'nothing'],
  newline_to_br: ['lines_of_text', 'word'],
  strip_html: ['html', 'quotes', 'word'],
  escape_once: ['html', 'quotes', 'nothing'],
  url_encode: ['url', 'word', 'nothing', 'quotes'],
  split: ['csv', 'sentence', 'empty_text'],
  slice: ['word', 'numbers', 'empty_list', 'nothing', 'umlaut'],
  first: ['word', 'numbers', 'empty_list', 'nothing', 'empty_text', 'nested'],
  last: ['word', 'numbers', 'empty_list', 'nothing', 'umlaut'],
  size: ['word', 'umlaut', 'numbers', 'empty_list', 'nothing', 'object', 'big'],
  default: ['nothing', 'no', 'yes', 'zero', 'empty_text', 'empty_list', 'empty_object | size', 'word'],
  json: ['words', 'people', 'quotes', 'yes', 'nothing', 'big', 'nested', 'lines_of_text'],
  upcase: ['word', 'umlaut', 'greek', 'nothing', 'yes', 'numbers'],
  downcase: ['upper', 'umlaut', 'greek', 'nothing'],
  capitalize: ['upper', 'umlaut', 'word', 'empty_text', 'nothing'],
};
for (const [filter, variants] of Object.entries(filtersOf))
  for (const input of inputsOf[filter] ?? inputsOf.text)
    for (const variant of variants) add(values, `{{ ${input} | ${filter}${variant} }}`);

// Arithmetic whose result is exact in both.
for (const number of ['seven', 'minus', 'zero', 'half', 'digits', 'decimal_text', 'nothing', 'word', 'yes'])
  for (const filter of [
    'plus: 3',
    'minus: 0.5',
    'times: 4',
    'abs',
    'ceil',
    'floor',
    'round',
    'at_least: 5',
    'at_most: 5',
    'modulo: 4',
  ])
    add(values, `{{ ${number} | ${filter} }}`);
add(
  values,
  '{{ 7 | modulo: -4 }}',
  '{{ 2.5 | round }} {{ -2.5 | round }} {{ 1.255 | round: 2 }} {{ 1234 | round: -2 }}',
);
add(
  values,
  "{{ 8 | divided_by: 4 }} {{ 9 | divided_by: 2.0 }} {{ '10' | divided_by: 4.0 }}",
  '{{ price | times: 100 | round }}',
);
add(values, "{{ 5 | plus: 'x' }} {{ 'x' | minus: 2 }} {{ nothing | plus: nothing }}");

// Lists.
add(
  values,
  "{{ numbers | sort | join: ',' }} {{ numbers | sort | reverse | join }}",
  "{{ words | sort | join: ',' }}",
  "{{ words | sort_natural | join: ',' }}",
  "{{ mixed | sort | join: ',' }}",
  '{{ mixed | sort_natural | json | raw }}',
  "{{ mixed | compact | join: ',' }}",
  "{{ mixed | join: '-' }}",
  "{{ doubles | uniq | join: ',' }}",
  '{{ nested | join }} {{ nested }}',
  "{{ numbers | concat: words | join: ' ' }}",
  "{{ numbers | concat: nothing | join: ' ' }} {{ nothing | concat: numbers | size }} {{ numbers | concat: 9 | join }}",
  '{{ numbers | reverse | first }} {{ numbers.last }} {{ numbers.first }} {{ numbers.size }}',
  "{{ people | map: 'name' | join: ',' }}",
  "{{ people | map: 'home.city' | join: ',' }}",
  "{{ people | map: 'none' | join: ',' }}",
  "{{ people | sort: 'age' | map: 'name' | join: ',' }}",
  "{{ people | sort: 'name' | map: 'name' | join: ',' }}",
  "{{ people | sort_natural: 'name' | map: 'name' | join: ',' }}",
  "{{ people | sort: 'home.city' | map: 'name' | join: ',' }}",
  "{{ people | where: 'active' | map: 'name' | join: ',' }}",
  "{{ people | where: 'active', true | map: 'name' | join: ',' }}",
  "{{ people | where: 'active', false | map: 'name' | join: ',' }}",
  "{{ people | where: 'age', 25 | map: 'name' | join: ',' }}",
  "{{ people | where: 'age', '25' | size }}",
  "{{ people | where: 'home.city', 'Bern' | map: 'name' | join: ',' }}",
  "{{ people | where: 'zzz' | size }} {{ nothing | where: 'x' | size }}",
  "{{ people | sum: 'age' }} {{ numbers | sum }} {{ empty_list | sum }}",
  "{{ numbers | slice: 1, 2 | join: ',' }} {{ numbers | slice: -2 | join: ',' }}",
  "{{ word | reverse | join }} {{ word | join: ',' }} {{ nothing | join }}|",
  "{{ word | sort | join }} {{ word | map: 'x' | size }} {{ word | uniq | first }}",
  "{{ csv | split: ',' | size }} {{ csv | split: ',' | last }} {{ csv | split: 'zz' | first }}",
  "{{ empty_text | split: ',' | size }} {{ 'a' | split: nothing | size }}",
  "{{ encoded | url_decode }} {{ 'a%20b' | url_decode }}",
);

// Output and paths.
add(
  values,
  '',
  'plain',
  '{{ word }}',
  '{{word}}',
  '{{ word}} and {{seven }}',
  '{{ nothing }}|{{ yes }}|{{ no }}|{{ zero }}',
  '{{ quotes }}',
  '{{ quotes | raw }}',
  '{{ quotes | upcase | raw }}',
  '{{ quotes | raw | upcase }}',
  '{{ numbers }}',
  '{{ words }}',
  '{{ mixed }}',
  '{{ empty_list }}|',
  '{{ price }} {{ half }} {{ minus }} {{ big }}',
  "{{ object.a }} {{ object.b.c }} {{ object['b']['c'] }} {{ object.b['c'] }} {{ object.x-y }} {{ object['x-y'] }}",
  '{{ object.size }} {{ object.first }} {{ object.last }}| {{ empty_object.size }} {{ people[0].size }}',
  '{{ numbers[0] }}{{ numbers[1] }}{{ numbers[-1] }}{{ numbers[9] }}{{ numbers[-9] }}|',
  '{{ word[0] }}{{ word[4] }}{{ word[9] }}| {{ word.size }} {{ word.first }}| {{ word.zzz }}|',
  '{{ people[0].name }} {{ people.first.name }} {{ people.last.home.city }} {{ people[2].home.city }}|',
  "{% assign i = 1 %}{{ numbers[i] }} {% assign k = 'b' %}{{ object[k].c }} {{ people[numbers[1]].name }}",
  '{{ nothing.a.b }}|{{ word.a.b }}|{{ seven.a }}|{{ object.zzz.y }}|{{ object[nothing] }}|',
  "{{ 'a' }}{{ \"b\" }}{{ 'it\\'s' }}{{ \"q\\\"q\" }}{{ 'a\\nb' }}{{ 'tab\\tx' }}{{ '\\u00e9\\x' }}{{ '\\101' }}",
  '{{ 1 }} {{ -1 }} {{ 1.5 }} {{ +2 }} {{ 007 }} {{ 12. }}',
  '{{ true }} {{ false }} {{ nil }} {{ null }}|',
  '{{ empty }}|{{ blank }}|',
  "{{ (1..3) }} {{ (1..3) | join: ',' }} {{ (3..1) | size }} {{ (1..seven).size }} {{ (1..3)[1] }}",
  "{{ 'abc'.size }} {{ 'abc'[1] }}",
  "{{ '{{' }} {{ '}}' }} {{ \"%}\" }}",
  'a { b } { {c} } %} }}',
  '{ { word } } {word}',
  "{{ word | append: '}}' }}",
  '{{ word\n|\nupcase\n}}',
  '{{- word -}}',
  "{{ 'ä€😀' }}",
  "{{ word | upcase | append: '!' | prepend: '¡' | append: word }}",
  "{{ word |upcase|append:'x'|append :'y' }}",
);

// White space control.
add(
  values,
  'a {{- word }} b',
  'a {{ word -}} b',
  'a \n\t {{- word -}} \n\n b',
  '  {%- if yes -%}  x  {%- endif -%}  y',
  'a {% if yes -%} b {%- endif %} c',
  'x\n{%- assign a = 1 -%}\ny',
  'a\u00a0{{- word -}}\u00a0b',
  '{%- comment -%} x {%- endcomment -%} y',
  '<p>\n  {%- for n in numbers -%}\n  {{ n }}\n  {%- endfor -%}\n</p>',
  "a {{- ' x ' -}} b",
  'a {%- raw %} {{x}} {% endraw -%} b',
  'a {% raw -%} x {% endraw %} b',
  '{{-word-}}',
  'a{%-if yes-%} b {%-endif-%}c',
);

// Conditions.
const operands = [
  'nothing',
  'yes',
  'no',
  'zero',
  'seven',
  'word',
  'empty_text',
  'digits',
  'numbers',
  'empty_list',
  'blanks',
];
for (const operand of operands)
  add(values, `{% if ${operand} %}y{% else %}n{% endif %}`, `{% unless ${operand} %}y{% else %}n{% endunless %}`);
const literals = ['nil', 'true', 'false', '0', '7', "'hello'", "''", 'empty', 'blank', '42'];
for (const operand of operands) {
  const compared = literals.map(
    (literal) =>
      `{% if ${operand} == ${literal} %}y{% else %}n{% endif %}{% if ${operand} != ${literal} %}y{% else %}n{% endif %}`,
  );
  add(values, compared.join(' '));
}
for (const operator of ['<', '<=', '>', '>='])
  add(
    values,
    [
      'seven ? 7',
      'seven ? 8',
      'seven ? 6.5',
      'minus ? 0',
      "word ? 'hello'",
      "word ? 'hellp'",
      "'B' ? 'a'",
      "'a' ? 'ab'",
      'half ? 0.50',
      'word ? nil',
      'nil ? 3',
      'seven ? empty',
    ]
      .map((test) => `{% if ${test.replace('?', operator)} %}y{% else %}n{% endif %}`)
      .join(''),
  );
add(
  values,
  "{% if word contains 'ell' %}y{% endif %}{% if word contains 'x' %}n{% endif %}{% if word contains '' %}y{% endif %}",
  "{% if numbers contains 2 %}y{% endif %}{% if numbers contains '2' %}n{% endif %}{% if words contains 'fig' %}y{% endif %}",
  "{% if nothing contains 'x' %}n{% endif %}{% if seven contains 7 %}n{% endif %}{% if object contains 'a' %}n{% endif %}{% if digits contains 4 %}y{% endif %}",
  '{% if yes and no or yes %}y{% else %}n{% endif %}',
  '{% if no and no or yes %}y{% else %}n{% endif %}',
  '{% if yes or no and no %}y{% else %}n{% endif %}',
  '{% if no or yes and yes %}y{% else %}n{% endif %}',
  '{% if no and yes or yes and yes %}y{% else %}n{% endif %}',
  '{% if yes and no or no %}y{% else %}n{% endif %}',
  '{% if not no %}y{% endif %}{% if not yes %}n{% endif %}{% if not seven == 7 %}n{% endif %}{% if not no and yes %}y{% endif %}',
  "{% if seven > 3 and seven < 9 and word == 'hello' %}y{% endif %}",
  '{% if seven==7 and yes %}y{% endif %}',
  "{% if numbers == numbers %}y{% endif %}{% assign a = '3,1' | split: ',' %}{% assign b = '3,1' | split: ',' %}{% if a == b %}y{% endif %}{% if a == numbers %}n{% endif %}",
  '{% if word | size == 5 %}y{% endif %}',
  '{% if no %}a{% elsif zero %}b{% else %}c{% endif %}',
  '{% if no %}a{% elsif nothing %}b{% else %}c{% endif %}',
  '{% if no %}a{% elsif no %}b{% endif %}|',
  '{% unless yes %}a{% elsif seven == 7 %}b{% else %}c{% endunless %}',
  '{% unless no %}{% if yes %}x{% endif %}{% endunless %}',
  "{{ seven > 3 }} {{ yes and no }} {{ nothing == nil }} {{ word == 'x' }}",
  '{% if empty_list == empty %}y{% endif %}{% if empty == empty_text %}y{% endif %}{% if nothing == empty %}n{% endif %}',
  '{% if blank == nothing %}y{% endif %}{% if blanks == blank %}y{% endif %}{% if no == blank %}y{% endif %}{% if zero == blank %}n{% endif %}{% if empty_object == empty %}y{% endif %}',
  '{% if people[0].active %}y{% endif %}{% if people[3].active == nil %}y{% endif %}',
  '{% if nothing %}{% else %}{% endif %}',
  '{% if yes %}{% endif %}|',
);

// case
add(
  values,
  '{% case seven %}{% when 6 %}a{% when 7 %}b{% else %}c{% endcase %}',
  '{% case seven %}{% when 1, 7 %}a{% endcase %}',
  '{% case seven %}{% when 1 or 7 or 8 %}a{% endcase %}',
  "{% case word %}{% when 'x' %}a{% else %}c{% endcase %}",
  "{% case word %} text {% when 'hello' %}a{% when 'hello' %}b{% else %}c{% endcase %}",
  "{% case digits %}{% when 42 %}n{% when '42' %}t{% endcase %}",
  '{% case nothing %}{% when nil %}nil{% endcase %}',
  '{% case empty_text %}{% when empty %}e{% endcase %}',
  '{% case word | size %}{% when 5 %}five{% endcase %}',
  '{% case numbers.size %}{% when 3 %}{% for n in numbers %}{{ n }}{% endfor %}{% endcase %}',
  "{% case people[0].name %}{% when word, 'Bo' %}y{% endcase %}",
  '{% case seven %}{% endcase %}|',
  '{% case seven %}{% else %}c{% endcase %}',
  '{% case yes %}{% when true %}t{% when false %}f{% endcase %}',
);

// for
add(
  values,
  '{% for n in numbers %}{{ n }},{% endfor %}',
  '{% for n in numbers reversed %}{{ n }},{% endfor %}',
  '{% for n in (1..5) %}{{ n }}{% endfor %}',
  '{% for n in (1..seven) limit: 2 offset: 3 %}{{ n }}{% endfor %}',
  '{% for n in numbers limit: 2 %}{{ n }}{% endfor %}',
  '{% for n in numbers offset: 1 %}{{ n }}{% endfor %}',
  '{% for n in numbers limit:1, offset:1 reversed %}{{ n }}{% endfor %}',
  '{% for n in (1..9) reversed limit: 3 offset: 2 %}{{ n }}{% endfor %}',
  '{% for n in numbers limit: 0 %}x{% else %}e{% endfor %}|',
  '{% for n in numbers offset: 9 %}x{% else %}e{% endfor %}|',
  '{% for n in numbers limit: -1 %}{{ n }}{% endfor %}',
  '{% for n in numbers offset: -1 %}{{ n }}{% endfor %}',
  '{% for n in empty_list %}x{% else %}e{% endfor %}',
  '{% for n in nothing %}x{% else %}e{% endfor %}',
  '{% for n in seven %}x{% else %}e{% endfor %}',
  '{% for n in word %}[{{ n }}]{% endfor %}',
  '{% for n in empty_text %}x{% else %}e{% endfor %}',
  '{% for p in object %}{{ p[0] }}={{ p[1] }};{% endfor %}'.replace('object', 'object.b'),
  '{% for p in people %}{{ forloop.index }}/{{ forloop.length }} {{ p.name }}{% unless forloop.last %}, {% endunless %}{% endfor %}',
  '{% for n in numbers %}{{ forloop.index }}{{ forloop.index0 }}{{ forloop.rindex }}{{ forloop.rindex0 }}{{ forloop.first }}{{ forloop.last }} {% endfor %}',
  '{% for n in (1..5) %}{% if n == 2 %}{% continue %}{% endif %}{% if n == 4 %}{% break %}{% endif %}{{ n }}{% endfor %}.',
  '{% for a in numbers %}{% for b in numbers %}{% if b == 1 %}{% break %}{% endif %}{{ a }}{{ b }} {% endfor %}{% endfor %}',
  '{% for a in (1..2) %}{% for b in (1..3) %}{{ a }}{{ b }}{{ forloop.last }} {% endfor %}{{ forloop.last }}{% endfor %}',
  '{% for n in numbers %}{% assign s = s | append: n %}{% endfor %}{{ s }}',
  "{% assign n = 'out' %}{% for n in numbers %}{{ n }}{% endfor %}{{ n }}",
  '{% for word in numbers %}{{ word }}{% endfor %}{{ word }}',
  '{% for n in numbers %}{% assign n = 9 %}{{ n }}{% endfor %}{{ n }}',
  '{% for p in people %}{% for n in (1..2) %}{{ p.name }}{{ n }}{% endfor %}{% endfor %}',
  '{% for n in (1..3) %}{% case n %}{% when 2 %}{% continue %}{% endcase %}{{ n }}{% endfor %}',
  '{% for n in (1..3) %}{% capture c %}{{ n }}{% if n == 2 %}{% break %}{% endif %}!{% endcapture %}{% endfor %}{{ c }}',
  "{% for n in ('1'..'3') %}{{ n }}{% endfor %}",
  '{% for n in (minus..-5) %}{{ n }}{% endfor %}',
  '{% for n in (5..1) %}x{% else %}e{% endfor %}',
  '{% for t in csv %}{{ t }}{% endfor %}',
  "{% assign l = csv | split: ',' %}{% for t in l %}[{{ t }}]{% endfor %}",
  '{% for n in numbers limit: one %}{{ n }}{% endfor %}',
  "{% for n in numbers limit: '2' %}{{ n }}{% endfor %}",
  '{% for p in people %}{% if p.active %}{{ p.name }}{% else %}-{% endif %}{% endfor %}',
  '{% for x in nested %}{{ x }};{% endfor %}',
  '{% for x in mixed %}[{{ x }}]{% endfor %}',
);

// assign, capture, cycle, comment, raw
add(
  values,
  '{% assign x = word %}{{ x }}',
  "{% assign x = word | upcase | append: '!' %}{{ x }}",
  '{% assign x = 1 %}{% assign x = x | plus: 1 %}{{ x }}',
  "{% assign word = 'new' %}{{ word }}",
  '{% assign x=5%}{{x}}',
  '{% assign x = numbers %}{{ x[0] }}{{ x.size }}',
  '{% assign x = yes and no %}{{ x }}',
  '{% assign x = seven > 3 %}{{ x }}',
  '{% assign x = nothing %}{{ x }}|',
  "{% assign x = (1..3) %}{{ x | join: '-' }}",
  '{% if no %}{% assign x = 1 %}{% endif %}{{ x }}|',
  '{% capture x %}a{{ word }}b{% endcapture %}{{ x }}{{ x | upcase }}',
  '{% capture x %}<b>{{ quotes }}</b>{% endcapture %}{{ x | raw }}',
  '{% capture x %}<b>{% endcapture %}{{ x }}',
  "{% capture 'x' %}q{% endcapture %}{{ x }}",
  '{% capture x %}{% endcapture %}[{{ x }}]',
  '{% capture x %}{% for n in numbers %}{{ n }}{% endfor %}{% endcapture %}{{ x | size }}',
  '{% capture x %}{% capture y %}in{% endcapture %}{{ y }}out{% endcapture %}{{ x }}{{ y }}',
  "{% for n in (1..5) %}{% cycle 'a', 'b' %}{% endfor %}",
  "{% for n in (1..4) %}{% cycle 'g': 'a', 'b', 'c' %}{% cycle 'h': 'a', 'b', 'c' %}{% endfor %}",
  '{% cycle 1, 2 %}{% cycle 1, 2 %}{% cycle 1, 2 %}',
  '{% cycle word, quotes %}{% cycle word, quotes %}',
  "{% for n in (1..2) %}{% cycle '<', '>' %}{% endfor %}",
  "{% cycle 'a', 'b' %}{% cycle 'a', 'b', 'c' %}{% cycle 'a', 'b' %}",
  "{% for n in (1..3) %}{% cycle n: 'a', 'b' %}{% endfor %}",
  "{% cycle 'x' | upcase, 'y' %}{% cycle 'x' | upcase, 'y' %}",
  'a{% comment %} {{ word }} {% if %} {% endcomment %}b',
  '{% # a note %}x',
  '{% # one\n # two %}x',
  '{% raw %}{{ word }} {% if %}{% endraw %}',
  '{% raw %}{% endraw %}|',
  "{% raw %} {{ '{% endraw' }} {% endraw %}x",
  '{% raw %}a{% endraw %}{% raw %}b{% endraw %}',
  '{% comment %}{% raw %}{% endcomment %}{% endraw %}{% endcomment %}x',
  '{%if yes%}a{%endif%}',
  '{% if yes %}{% if yes %}{% if no %}{% else %}deep{% endif %}{% endif %}{% endif %}',
  '{% for p in people %}{% assign last = p.name %}{% endfor %}{{ last }}',
);

// date, with English names in UTC
const times = {
  at: '2026-11-05T04:07:09.123Z',
  evening: '2026-02-28T23:59:59+02:00',
  day: '2027-01-01',
  epoch: 1795000000,
  epoch_text: '1795000000',
  noon: '2026-07-04T12:00:00Z',
  other: 'soon',
  none: null,
};
for (const format of [
  '%Y-%m-%d %H:%M:%S',
  '%d.%m.%y',
  '%A, %e %B %Y',
  '%a %-d %b',
  '%I:%M %p',
  '%l:%M|%k|%-H|%-I|%-l|%-k',
  '%j %-j',
  '%-m/%-d/%-y',
  '%z',
  '100%%',
  '%Y%%%m',
  '',
])
  for (const time of ['at', 'evening', 'day', 'noon']) add(times, `{{ ${time} | date: '${format}' }}`);
add(
  times,
  "{{ epoch | date: '%Y-%m-%d %H' }} {{ epoch_text | date: '%F' }}".replace('%F', '%Y'),
  "{{ other | date: '%Y' }}|{{ none | date: '%Y' }}|",
  "{{ '2026-12-24' | date: '%d.%m.' }}",
  "{{ day | date: '%Y' | plus: 1 }}",
  "{{ other | date: '%Y' | upcase }}",
);

// A mail
add(
  shop,
  'Dear {{ contact.firstName }} {{ contact.lastName | upcase }},',
  '{{ contact.fields.note }} {{ contact.fields.note | raw }} {{ contact.fields.note | escape_once | raw }}',
  "{{ contact.fields.city }} {{ contact.fields['city'] | size }} {{ contact.tags | join: ', ' }}",
  '<ul>{% for line in purchase.lines %}\n<li>{{ line.quantity }} × {{ line.name }}: {{ line.unitPrice }} {{ purchase.currency }}</li>{% endfor %}</ul>',
  "{{ purchase.lines | map: 'name' | join: ', ' }}",
  "{{ purchase.lines | where: 'gift' | size }} of {{ purchase.lines.size }}",
  "{{ purchase.lines | sum: 'quantity' }}",
  "{% assign gifts = purchase.lines | where: 'gift', true %}{% for g in gifts %}{{ forloop.index }}. {{ g.name }}{% endfor %}",
  '{% for line in purchase.none %}x{% else %}The cart is empty.{% endfor %}',
  "{% assign best = purchase.lines | sort: 'quantity' | last %}{{ best.name }}",
  "{{ contact.phone | default: 'no phone' }} {{ contact.firstName | default: 'friend' }}",
  '{% if purchase.lines.size > 2 %}many{% elsif purchase.lines.size == 2 %}two{% else %}few{% endif %}',
  '<a href="https://shop.example/?q={{ contact.fields.city | url_encode }}&amp;m={{ contact.email | url_encode }}">x</a>',
  "{% for line in purchase.lines %}{{ line.brand | default: 'no brand' }}{% unless forloop.last %} | {% endunless %}{% endfor %}",
  "{% assign names = '' %}{% for line in purchase.lines limit: 2 %}{% assign names = names | append: line.name | append: ';' %}{% endfor %}{{ names }}",
  "{% case contact.language %}{% when 'de' %}Hallo{% when 'en', 'us' %}Hello{% endcase %} {{ contact.firstName }}",
);

// Errors
add(
  values,
  '{{ word',
  '{% if yes',
  '{% if yes %}',
  '{% for n in numbers %}',
  '{% endif %}',
  '{% zzz %}',
  '{{ word | zzz }}',
  '{{ word | append }}',
  '{{ }}',
  '{{ | upcase }}',
  '{% if %}x{% endif %}',
  '{% for n numbers %}{% endfor %}',
  '{% for in numbers %}{% endfor %}',
  '{% assign x %}',
  '{% assign = 1 %}',
  '{% assign x 1 %}',
  '{% capture %}x{% endcapture %}',
  '{% capture x %}',
  '{% case seven %}{% when 7 %}',
  '{% comment %}',
  '{% raw %}',
  '{% cycle %}',
  '{{ word | truncate 5 }}',
  '{{ word upcase }}'.replace('upcase', '% upcase'),
  "{{ word | append: 'x' 'y' }}",
  '{% if yes %}{% else %}{% else %}{% endif %}',
  '{% if yes %}{% else %}{% elsif no %}{% endif %}',
  '{% if yes %}{% endfor %}',
  '{% for n in numbers %}{% endif %}{% endfor %}',
  '{{ (1..) }}',
  '{{ (1 }}',
  '{{ (1..3 }}',
  "{{ 'a }}",
  '{% if seven = 7 %}{% endif %}',
  '{% if yes && no %}{% endif %}',
  '{% if (yes) %}{% endif %}',
  "{{ '%' | url_decode }}",
  '{% %}',
  '{{ word | upcase | }}x{{ word | zzz }}',
  '{% unless yes %}',
  '{% # a\n b %}',
  '{{ numbers[0 }}',
  '{% else %}',
  '{% when 1 %}',
  '{% endraw %}',
);

for (const { template, data } of cases) {
  let outcome;
  try {
    outcome = { expected: liquid.parseAndRenderSync(template, structuredClone(data)) };
  } catch {
    outcome = { error: true };
  }
  // A case carries only the data that it names.
  const used = Object.fromEntries(Object.entries(data).filter(([name]) => template.includes(name)));
  console.log(JSON.stringify({ template, data: used, ...outcome }));
}
