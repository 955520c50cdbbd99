// Workflows as files: `shopbell workflow apply` over the database and over HTTP, its recipes, and the published schema.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { binary, configFile, createKey, newStore, psql, shopbell, url } from './support.ts';

type Workflow = Schemas['Workflow'];

const dir = mkdtempSync(join(tmpdir(), 'shopbell-files.'));
after(() => rmSync(dir, { recursive: true }));
const recipeNames = [
  'abandoned-cart',
  'back-in-stock',
  'birthday',
  'browse-abandonment',
  'replenishment',
  'review-after-purchase',
  'welcome',
  'win-back',
];

let files = 0;
const written = (text: string, ending = 'yaml') => {
  const path = join(dir, `flow-${++files}.${ending}`);
  writeFileSync(path, text);
  return path;
};
const cart = readFileSync('src/app/recipes/abandoned_cart.yaml', 'utf8');

/** Runs `shopbell workflow …` without blocking the event loop, which must notice that the service closes connections. */
const workflow = (args: string[], settings = {}) =>
  new Promise<{ status: number; stdout: string; stderr: string }>((resolve) =>
    execFile(
      binary,
      ['--config', configFile, 'workflow', ...args],
      { encoding: 'utf8', env: { ...process.env, ...settings } },
      (error, stdout, stderr) => resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  );

/** A new store, and the commands about it over the database. */
function storeWithFiles(name: string) {
  const store = newStore(name);
  const run = (...args: string[]) => workflow([...args, '--account', store.account]);
  const apply = async (...args: string[]) => {
    const { status, stdout, stderr } = await run('apply', ...args);
    return { status, lines: stdout.trimEnd().split('\n'), stderr };
  };
  const shown = async (alias: string) => (await (await store.send('GET', `/workflows/${alias}`)).json()) as Workflow;
  const count = (table: string) => Number(psql(`SELECT count(*) FROM ${table} WHERE account_id = ${store.account}`));
  return { ...store, run, apply, shown, count };
}
const remote = (key: string, ...args: string[]) => workflow(args, { SHOPBELL_URL: url, SHOPBELL_KEY: key });

test('apply creates a workflow and what it needs; applied again, it changes nothing', async () => {
  const store = storeWithFiles('Created by file');
  const file = written(cart);
  const expected = [
    '+ integration Shop events',
    '+ event type cart-updated',
    '+ template cart-reminder',
    '+ template cart-offer',
    '+ coupon set ten-percent',
    '+ workflow abandoned-cart',
    '    + node hour (wait)',
    '    + node remind (email)',
    '    + node day (waitForEvent)',
    '    + node gift (coupon)',
    '    + node offer (email)',
    '    + node done (exit)',
  ];
  const dry = await store.apply(file, '--dry-run');
  assert.deepEqual([dry.status, dry.lines], [2, [...expected, 'dry run: nothing was changed']], dry.stderr);
  for (const table of ['workflow', 'template', 'coupon_set', 'integration', 'event_type'])
    assert.equal(store.count(table), 0, table);

  const made = await store.apply(file);
  assert.deepEqual([made.status, made.lines], [0, [...expected, 'published version 1 of abandoned-cart']], made.stderr);
  const flow = await store.shown('abandoned-cart');
  assert.deepEqual([flow.status, flow.version, flow.draftVersion], ['active', 1, null]);
  const set = await store.client.GET('/coupon-sets/{id}', { params: { path: { id: 'ten-percent' } } });
  assert.deepEqual([set.data!.kind, set.data!.lowWatermark], ['unique', 100]);

  for (const option of [[], ['--dry-run'], ['--draft']]) {
    const again = await store.apply(file, ...option);
    assert.deepEqual([again.status, again.lines], [0, ['abandoned-cart: nothing to change']], again.stderr);
  }
  assert.equal(store.count('workflow_version'), 1);
  assert.deepEqual(await store.shown('abandoned-cart'), flow);
});

test('apply publishes the templates of a file; with --draft, they stay drafts', async () => {
  const store = storeWithFiles('With mails');
  const template = async (path: string) => (await (await store.send('GET', `/manage/templates/${path}`)).json()) as any;
  const versions = async (alias: string) => {
    const { publishedVersion, draftVersion } = await template(alias);
    return [publishedVersion, draftVersion];
  };
  assert.equal((await store.apply(written(cart))).status, 0);
  assert.deepEqual(await versions('cart-reminder'), [1, null]);
  assert.match((await template('cart-offer/content')).locales.en.html, /vars\.coupon\.code/);
  assert.equal((await store.apply('recipe:welcome', '--draft')).status, 0);
  assert.deepEqual(await versions('welcome-hello'), [null, 1]);

  const faulty = cart.replace('data.total | money', 'data.total | mony').replace('vars.coupon.code', 'cupon');
  for (const command of ['apply', 'check']) {
    const { status, stderr } = await store.run(command, written(faulty));
    assert.equal(status, 3, stderr);
    const start = (number: number) => `/needs/templates/${number}/content/locales/en/html invalid-liquid`;
    assert(stderr.includes(`${start(0)}: 8:`) && stderr.includes(`${start(1)}: 3:`), stderr);
  }
  const hidden = await store.run('check', written(cart.replaceAll('{{ unsubscribe_url }}', '#')));
  assert.equal(hidden.status, 3, hidden.stdout);
  assert.match(hidden.stderr, /:\d+: \/needs\/templates\/0\/content\/locales\/en\/html no-unsubscribe-link/);
});

test('apply publishes what changes, and shows it', async () => {
  const store = storeWithFiles('Changed by file');
  assert.equal((await store.apply(written(cart))).status, 0);
  const changed = written(
    cart
      .replace('for: PT1H', 'for: PT2H')
      .replace('name: Abandoned cart\n', 'name: Cart\n')
      .replace('maxAge: P1D', 'maxAge: P2D')
      .replace(
        '  - {id: done, type: exit}',
        '  - {id: done, type: wait, for: P1D, next: end}\n  - {id: end, type: exit}',
      ),
  );
  const lines = [
    '~ workflow abandoned-cart, version 1',
    '    ~ name: "Abandoned cart" -> "Cart"',
    /^ {4}~ trigger: \{.*"maxAge":"P1D"\} -> \{.*"maxAge":"P2D"\}$/,
    '    ~ node hour (wait)',
    '        ~ for: "PT1H" -> "PT2H"',
    '    ~ node done (wait)',
    '        ~ type: "exit" -> "wait"',
    '        + for: "P1D"',
    '        + next: "end"',
    '    + node end (exit)',
  ];
  const matches = (found: string[], last: string) => {
    [...lines, last].forEach((line, i) =>
      typeof line === 'string' ? assert.equal(found[i], line) : assert.match(found[i]!, line),
    );
    assert.equal(found.length, lines.length + 1);
  };
  const dry = await store.apply(changed, '--dry-run');
  assert.equal(dry.status, 2);
  matches(dry.lines, 'dry run: nothing was changed');
  assert.equal(store.count('workflow_version'), 1);

  // With --draft, the published version stays; without it, the saved draft is published as it is.
  const draft = await store.apply(changed, '--draft');
  assert.equal(draft.status, 0, draft.stderr);
  matches(draft.lines, 'saved the draft of abandoned-cart; `shopbell workflow publish` publishes it');
  assert.deepEqual((await store.apply(changed, '--draft')).lines, ['abandoned-cart: nothing to change']);
  assert.deepEqual([(await store.shown('abandoned-cart')).version, store.count('workflow_version')], [1, 2]);
  const published = await store.apply(changed);
  assert.equal(published.status, 0);
  matches(published.lines, 'published version 2 of abandoned-cart');
  assert.deepEqual([(await store.shown('abandoned-cart')).name, store.count('workflow_version')], ['Cart', 2]);

  await store.send('POST', '/manage/workflows/abandoned-cart/pause');
  assert.equal(
    (await store.apply(written(cart))).lines.at(-1),
    'published version 3 of abandoned-cart; the workflow is paused',
  );
  await store.send('POST', '/manage/workflows/abandoned-cart/finish');
  const finished = await store.apply(changed);
  assert.deepEqual([finished.status, finished.lines], [1, ['']]);
  assert.match(finished.stderr, /is finished/);
});

test('a draft that somebody else saved is named before it is replaced', async () => {
  const store = storeWithFiles('Drafts');
  const file = written(cart);
  await store.apply(file);
  const { id, ...body } = await store.shown('abandoned-cart');
  await store.send('PUT', `/manage/workflows/${id}/draft`, { ...body, name: 'By hand' });
  const kept = await store.apply(file);
  assert.deepEqual(kept.lines, [
    '! the draft of version 2 stays as it is; it is not published',
    'abandoned-cart: nothing to change',
  ]);
  const replaced = await store.apply(written(cart.replace('PT1H', 'PT3H')));
  assert(replaced.lines.includes('! the draft of version 2 is replaced'), replaced.lines.join('\n'));
  assert.deepEqual((await store.shown('abandoned-cart')).name, 'Abandoned cart');
});

test('what exists already is used and never changed', async () => {
  const store = storeWithFiles('Had it before');
  await store.send('POST', '/manage/templates/', { alias: 'cart-offer', name: 'Our own offer' });
  await store.send('POST', '/manage/coupon-sets/', { alias: 'ten-percent', name: 'Ten', kind: 'shared', code: 'TEN' });
  const integration = (await (await store.send('POST', '/custom-integrations/', { name: 'Shop' })).json()) as any;
  const fields = [
    { id: 'cartId', name: 'Cart', type: 'text' },
    { id: 'total', name: 'Total', type: 'decimal' },
  ];
  const types = `/custom-integrations/${integration.id}/custom-event-types/`;
  const type = { name: 'Cart updated', direction: 'receive', alias: 'cart-updated', fields };
  assert.equal((await store.send('POST', types, type)).status, 201);
  const file = written(cart);
  const made = await store.apply(file);
  assert.equal(made.status, 0, made.stderr);
  assert.deepEqual(
    made.lines.filter((line) => line.startsWith('!')),
    [
      '! event type cart-updated stays as it is: integration is Shop, in the file Shop events',
      '! template cart-offer stays as it is: name is "Our own offer", in the file "Cart 2: offer with a code"',
      '! coupon set ten-percent stays as it is: name is "Ten", in the file "Ten percent off"; ' +
        'kind is "shared", in the file "unique"; lowWatermark is null, in the file 100',
    ],
  );
  assert(!made.lines.includes('+ event type cart-updated'));
  const template = (await (await store.send('GET', '/manage/templates/cart-offer')).json()) as any;
  assert.equal(template.name, 'Our own offer');
  assert.equal(store.count('event_type'), 1);
});

test('every fault is reported with its line, and nothing is created', async () => {
  const store = storeWithFiles('Faults');
  const cases: [string, string[]][] = [
    ['name: [\n', ['2: Is not YAML']],
    ['name: A\nname: B\n', ['2: The member name is repeated.']],
    ['- a\n', ['1: Is not a workflow']],
    [
      [
        'name: Faults',
        'needs:',
        '  templates:',
        '    - {alias: ok, name: Fine}',
        '    - {alias: Not an alias, name: x}',
        '    - {alias: ok, name: Again}',
        '  couponSets:',
        '    - {alias: set, name: Set, kind: shared}',
        '  other: []',
        '  integrations:',
        '    - name: Shop',
        '      eventTypes:',
        '        - {alias: seen, name: Seen, fields: [{id: a, name: A, type: nothing}]}',
        '        - {name: Sent, direction: send, url: "https://a.example"}',
        'trigger: {event: custom.seen}',
        'nodes:',
        '  - {id: mail, type: email, template: ok, class: marketing, next: nowhere}',
        '  - id: gift',
        '    type: coupon',
        '    couponSet: none',
        '    as: c',
        'priority: high',
      ].join('\n'),
      [
        '1: /alias required',
        '5: /needs/templates/1/alias invalid-format',
        '6: /needs/templates/2/alias duplicate',
        '8: /needs/couponSets/0/code required',
        '9: /needs/other unknown-member',
        '13: /needs/integrations/0/eventTypes/0/fields/0/type not-an-option',
        '14: /needs/integrations/0/eventTypes/1/direction conflicts-with',
        '15: /trigger/event unknown-reference',
        '17: /nodes/0/next unknown-reference',
        '18: /nodes/1 unreachable',
        '20: /nodes/1/couponSet unknown-reference',
        '22: /priority wrong-type',
      ],
    ],
  ];
  for (const [text, expected] of cases) {
    const file = written(text);
    for (const command of expected.length > 1 ? ['apply', 'check'] : ['apply']) {
      const refused = await store.run(command, file);
      assert.deepEqual([refused.status, refused.stdout], [3, ''], refused.stderr);
      const lines = refused.stderr.trimEnd().split('\n');
      assert.equal(lines.length, expected.length, refused.stderr);
      expected.forEach((start, i) => assert(lines[i]!.startsWith(`${file}:${start}`), `${lines[i]} / ${start}`));
    }
  }
  const invalid = written(
    '{\n  "name": "A", "alias": "a",\n  "trigger": {"event": "nothing"},\n  "nodes": []\n}',
    'json',
  );
  assert.match((await store.run('check', invalid)).stderr, /:3: \/trigger\/event unknown-reference/);
  for (const table of ['workflow', 'template', 'coupon_set', 'integration', 'event_type'])
    assert.equal(store.count(table), 0, table);
  for (const missing of [join(dir, 'nothing'), dir, 'recipe:nothing'])
    assert.equal((await store.run('apply', missing)).status, 1);
});

test('a workflow as the API shows it is a file, and check says that it is valid', async () => {
  const store = storeWithFiles('Round trip');
  assert.equal((await store.run('check', written(cart))).stdout, 'abandoned-cart is valid\n');
  assert.equal(store.count('workflow'), 0);
  await store.apply(written(cart));
  const shown = written((await store.run('show', 'abandoned-cart')).stdout, 'json');
  assert.deepEqual((await store.apply(shown)).lines, ['abandoned-cart: nothing to change']);
});

test('every recipe can be applied over HTTP, with the same results as over the database', async () => {
  const near = storeWithFiles('Near');
  const far = storeWithFiles('Far');
  for (const name of recipeNames) {
    const [applied, local] = await Promise.all([
      remote(far.key, 'apply', `recipe:${name}`),
      near.run('apply', `recipe:${name}`),
    ]);
    assert.equal(applied.status, 0, applied.stderr);
    assert.equal(applied.stdout, local.stdout, local.stderr);
    const again = await remote(far.key, 'apply', `recipe:${name}`);
    assert.deepEqual([again.status, again.stdout], [0, `${name}: nothing to change\n`], again.stderr);
  }
  assert.equal((await remote(far.key, 'list')).stdout, (await near.run('list')).stdout);
  assert.equal(JSON.parse((await remote(far.key, 'show', 'welcome')).stdout).status, 'active');
  assert.equal((await remote(far.key, 'check', 'recipe:birthday')).stdout, 'birthday is valid\n');
  const file = written(readFileSync('src/app/recipes/birthday.yaml', 'utf8').replace('P10D', 'P20D'));
  assert.equal((await remote(far.key, 'apply', file, '--draft')).status, 0);
  assert.equal((await remote(far.key, 'publish', 'birthday')).stdout, 'version 2 of birthday is published\n');
  const faulty = await remote(far.key, 'apply', written(cart.replace('next: remind', 'next: nowhere')));
  assert.deepEqual([faulty.status, faulty.stdout], [3, '']);
  assert.match(faulty.stderr, /:\d+: \/nodes\/0\/next unknown-reference/);
});

test('a failure over HTTP says what is wrong', async () => {
  const store = storeWithFiles('Failures');
  const failed = async (settings: object, expected: RegExp, ...args: string[]) => {
    const ran = await workflow(args, settings);
    assert.equal(ran.status, 1, ran.stdout);
    assert.match(ran.stderr, expected);
  };
  const wrongKey = `${store.key.slice(0, -1)}${store.key.endsWith('A') ? 'B' : 'A'}`;
  await failed({ SHOPBELL_URL: url, SHOPBELL_KEY: wrongKey }, /^shopbell: .*key/i, 'list');
  await failed({ SHOPBELL_URL: 'http://127.0.0.1:1', SHOPBELL_KEY: store.key }, /cannot be reached/, 'list');
  await failed({ SHOPBELL_URL: 'no url', SHOPBELL_KEY: store.key }, /SHOPBELL_URL/, 'list');
  await failed({ SHOPBELL_URL: `${url}/docs`, SHOPBELL_KEY: store.key }, /^shopbell: /, 'list');
  await failed({ SHOPBELL_URL: undefined, SHOPBELL_KEY: store.key }, /--account/, 'list');
  await failed({ SHOPBELL_URL: url, SHOPBELL_KEY: store.key }, /^shopbell: There is no workflow/, 'show', 'a b/c');
  const reader = shopbell(['key', 'create', '--account', store.account, '--name', 'r', '--scopes', 'workflows:read']);
  const key = /^key=(\w+)$/m.exec(reader.stdout)![1]!;
  await failed({ SHOPBELL_URL: url, SHOPBELL_KEY: key }, /scope/, 'apply', 'recipe:welcome');
  // An account on the command line is the account of the database, whatever the environment has.
  const key2 = createKey(store.account, 'second');
  const own = await workflow(['list', '--account', store.account], { SHOPBELL_URL: 'x', SHOPBELL_KEY: key2 });
  assert.equal(own.status, 0, own.stderr);
});

test('recipes are listed and printed', () => {
  const list = shopbell(['workflow', 'recipes']).stdout.trimEnd().split('\n').slice(1);
  assert.deepEqual(
    list.map((line) => line.split(' ')[0]),
    recipeNames,
  );
  assert(list.every((line) => /^[a-z-]+ +[A-Z].*\.$/.test(line)));
  for (const name of ['back-in-stock', 'welcome'])
    assert.equal(
      shopbell(['workflow', 'recipe', name]).stdout,
      readFileSync(`src/app/recipes/${name.replaceAll('-', '_')}.yaml`, 'utf8'),
    );
  assert.equal(shopbell(['workflow', 'recipe', 'nothing']).status, 1);
});

// The checker of the service and the published schema are made from the same tables; this validator is not.
test('recipes and the definitions of all scenarios match the published JSON Schema', () => {
  const require = createRequire(import.meta.url);
  const { load, CORE_SCHEMA } = require('js-yaml');
  const Ajv = require('@redocly/ajv/dist/2020.js').default;
  const validate = new Ajv({ allErrors: true, strict: false }).compile(
    JSON.parse(readFileSync('docs/api/workflow.json', 'utf8')),
  );
  const read = (path: string) => load(readFileSync(path, 'utf8'), { schema: CORE_SCHEMA });
  let definitions = 0;
  const check = (from: string, definition: any) => {
    const { needs, ...rest } = definition;
    ++definitions;
    assert(
      validate({ name: 'Without a name', ...rest }),
      `${from}: ${JSON.stringify([rest, validate.errors], null, 1)}`,
    );
  };
  for (const file of readdirSync('src/app/recipes').filter((name) => name.endsWith('.yaml')))
    check(file, read(`src/app/recipes/${file}`));
  assert.equal(definitions, recipeNames.length);
  const walk = (from: string, source: any) => {
    for (const definition of [source.workflow, source.publish, ...(source.workflows ?? [])])
      if (definition && !definition.recipe) check(from, definition);
    for (const inner of [...(source.scenarios ?? []), ...(source.when ?? [])]) walk(from, inner);
  };
  for (const file of readdirSync('src/engine/scenarios').filter((name) => name.endsWith('.yaml')))
    walk(file, read(`src/engine/scenarios/${file}`));
  assert(definitions > 200);
  const { trigger, ...without } = read('src/app/recipes/welcome.yaml');
  assert(!validate(without));
});
