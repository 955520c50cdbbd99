// Runs the rounds of bench/objects. Needs the environment of `tools/try --exec`.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { fill, idOf } from './contacts_data.mjs';
import { fillEvents, fillProducts, fillPurchases, purchase } from './objects_data.mjs';
import {
  PostgreSQL,
  familyCpuSeconds,
  latencyOf,
  pgbench,
  pgbenchLatency,
  scriptFile,
  stopAll,
  wrk,
} from './engines.mjs';
import { bestClients, facts, interleave, pick, say, wholeNumber } from './rounds.mjs';
import { median, print, ratio } from './report.mjs';

const checkout = new URL('..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    rows: { type: 'string' },
    events: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'string', default: `${checkout}build/bench-objects.json` },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = wholeNumber(options, 'rounds', options.quick ? 2 : 5, 50);
const seconds = wholeNumber(options, 'seconds', options.quick ? 1 : 5, 60);
const rows = wholeNumber(options, 'rows', options.quick ? 5_000 : 200_000, 10_000_000);
const held = wholeNumber(options, 'events', options.quick ? 10_000 : 2_000_000, 100_000_000);

const { SHOPBELL_URL: url, SHOPBELL_KEY: key } = process.env;
const authorization = `Bearer ${key}`;
const header = `Authorization: ${authorization}`;
const send = async (method, path, body) => {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.json();
};

const load = (body, connections) =>
  wrk(
    url,
    seconds,
    header,
    scriptFile(
      'load.lua',
      `
  math.randomseed(os.time() * 1000 + ${Math.floor(Math.random() * 1000)})
  local headers = {['Authorization'] = '${authorization}', ['Content-Type'] = 'application/json'}
  local run = '${Date.now().toString(36)}'
  local count = 0
  request = function()
    count = count + 1
    local n = math.random(1, ${rows})
    ${body}
  end`,
    ),
    connections,
  );

const dozen = 'sha256(gen_random_uuid()::text::bytea)';
const appended = (kind, payload) => `INSERT INTO event (account_id, uid, lane, contact_id, contact_seq, kind, format,
 occurred_at, trigger, hops, source, payload) VALUES (:account, gen_random_uuid(), 5, ${idOf(':n::bigint')}, 1, '${kind}', 1,
 now(), 'all', 0, 'api', '${payload}');`;
const inOne = (...statements) => ({
  sql: `\\set n random(1, ${rows})\n\\startpipeline\nBEGIN;\n${statements.join('\n')}\nCOMMIT;\n\\endpipeline\n`,
});
const claim = `INSERT INTO claim (account_id, kind, key_hash, request_hash, answer)
 VALUES (:account, 'answer', ${dozen}, sha256('x'), convert_to(repeat('x', 1200), 'UTF8'));`;

const bare = {
  product: {
    sql: `\\set n random(1, ${rows})\n${readFileSync(
      `${checkout}src/resources/products/queries/get_product_by_store_id.sql`,
      'utf8',
    )
      .trim()
      .replaceAll('$1', ':account')
      .replaceAll('$2', "'p' || :n")};\n`,
  },
  patchProduct: inOne(
    claim,
    `UPDATE product SET version = version + 1, data = data || '{"stock":1}', updated_at = now()
 WHERE account_id = :account AND store_id = 'p' || :n;`,
    appended('product.updated', '{"changed":["stock"]}'),
  ),
  purchase: inOne(
    claim,
    `UPDATE contact SET version = version + 1, purchases = '{"count":1}', event_seq = event_seq + 1, updated_at = now()
 WHERE account_id = :account AND contact_id = ${idOf(':n::bigint')};`,
    `INSERT INTO purchase (account_id, purchase_id, store_id, contact_id, lane, purchased_at, status, currency, net_total, store_amount,
 data, content_hash, created_at, updated_at) VALUES (:account, gen_random_uuid(), gen_random_uuid()::text, ${idOf(':n::bigint')}, 5, now(),
 'placed', 'EUR', 39.8, 39.8, '${purchase}', sha256('x'), now(), now());`,
    appended('purchase.created', purchase),
  ),
  event: inOne(
    `INSERT INTO event_claim (account_id, key_hash, content_hash, uid, contact_id)
 VALUES (:account, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), ${idOf(':n::bigint')});`,
    appended('custom.cart', '{"cartId":"c-1","total":"39.80"}'),
  ),
};

// Compares the service with the bare statement, and reports the database's CPU time per 1,000 operations.
async function compare(database, account, name, what, least, goal, service, statement) {
  const of = { ...statement, account };
  const clients = await bestClients(database, of, seconds, options.quick);
  const server = Number(database.ask("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"));
  const counted = (measure) => async () => {
    const before = familyCpuSeconds(server);
    const { rate } = await measure();
    return { rate, cpu: (((familyCpuSeconds(server) - before) * 1000) / (rate * seconds)) * 1000 };
  };
  const measured = await interleave(
    name,
    rounds,
    counted(service),
    counted(async () => ({ rate: await pgbench(database, of, clients, seconds) })),
  );
  return {
    clients,
    rows: [
      ratio({
        name,
        what: `${what} : pgbench -M prepared -c ${clients}`,
        unit: '/s',
        least,
        goal,
        service: pick(measured.service, 'rate'),
        bare: pick(measured.bare, 'rate'),
      }),
      ratio({
        name: `${name} db cpu`,
        what: 'processor time of PostgreSQL for 1,000 of them',
        unit: 'ms',
        mostRatio: name === 'event' ? 0.4 : undefined,
        service: pick(measured.service, 'cpu'),
        bare: pick(measured.bare, 'cpu'),
      }),
    ],
  };
}

const eventJson = (id, n) =>
  `{"eventId":"${id}","contact":{"externalId":"x${n}"},"payload":{"cartId":"c-1","total":"39.80"}}`;

// Measures requests with one event each; their latency is measured at half of the rate just found.
async function singleEvents(database, account) {
  const { clients, rows: measured } = await compare(
    database,
    account,
    'event',
    'POST of one event, 512 connections',
    1.2,
    2,
    () =>
      load(
        `return wrk.format('POST', '/custom-events/alias/cart', headers, '${eventJson("' .. run .. count .. '", "' .. n .. '")}')`,
        512,
      ),
    bare.event,
  );
  const rate = Math.max(1, Math.floor(median(measured[0].service.all) / 2)); // 0 on a busy machine
  let round = 0;
  const latency = await interleave(
    'event p99',
    rounds,
    () =>
      latencyOf(
        `${checkout}build/release/open_loop`,
        `${url}/custom-events/alias/cart`,
        header,
        rate,
        seconds,
        eventJson(`l-${Date.now()}-${++round}-%n`, 1 + Math.floor(Math.random() * rows)),
      ),
    () => pgbenchLatency(database, { ...bare.event, account }, clients, rate, seconds),
  );
  return [
    ...measured,
    ratio({
      name: 'event p99',
      what: `at ${rate} events/s : pgbench -R ${rate}`,
      unit: 'ms',
      most: [0, 15],
      service: latency.service,
      bare: latency.bare,
    }),
  ];
}

// Sends two requests at a time, each with 1,000 NDJSON lines. The baseline is COPY of the same rows into the same
// tables.
async function bulk(database, account) {
  let sent = 0;
  const body = () =>
    Array.from({ length: 1000 }, () =>
      JSON.stringify({
        eventId: `b-${process.pid}-${++sent}`,
        contact: { externalId: `x${1 + Math.floor(Math.random() * rows)}` },
        payload: { cartId: 'c-1', total: '39.80' },
      }),
    ).join('\n');
  const service = async () => {
    const until = performance.now() + seconds * 1000;
    let accepted = 0;
    const started = performance.now();
    const one = async () => {
      while (performance.now() < until) {
        const answer = await fetch(`${url}/custom-events/alias/cart`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/x-ndjson' },
          body: body(),
        });
        accepted += (await answer.json()).accepted;
      }
    };
    await Promise.all([one(), one()]);
    return { rate: accepted / ((performance.now() - started) / 1000) };
  };
  // Baseline: the rows are generated beforehand, so that only COPY is measured, into both tables in one transaction.
  const count = 50_000;
  const files = ['claims', 'events'].map((name) => `/tmp/shopbell-bench-${process.pid}-${name}`);
  const columns = [
    'event_claim (account_id, key_hash, content_hash, uid, contact_id)',
    'event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)',
  ];
  const made = [
    `SELECT ${account}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), ${idOf(`(1 + n * 7919 % ${rows})::bigint`)}`,
    `SELECT ${account}, gen_random_uuid(), 5, ${idOf(`(1 + n * 7919 % ${rows})::bigint`)}, 'custom.cart', 1, now(), 'all', 0, 'api',
      '{"cartId":"c-1","total":"39.80"}'`,
  ];
  const copy = async () => {
    files.forEach((file, i) =>
      database.ask(`COPY (${made[i]} FROM generate_series(1::bigint, ${count}) n) TO '${file}'`),
    );
    const started = performance.now();
    database.ask(`BEGIN; ${files.map((file, i) => `COPY ${columns[i]} FROM '${file}'`).join('; ')}; COMMIT`);
    return { rate: count / ((performance.now() - started) / 1000) };
  };
  const measured = await interleave('bulk', rounds, service, copy);
  for (const file of files) rmSync(file, { force: true });
  return ratio({
    name: 'events, bulk',
    what: 'NDJSON of 1,000 lines, two at a time : COPY of the same rows',
    unit: '/s',
    least: 0.35,
    goal: 0.5,
    service: pick(measured.service, 'rate'),
    bare: pick(measured.bare, 'rate'),
  });
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  database.ask('UPDATE account SET requests_per_second = 1000000, request_burst = 1000000');
  const { id } = await (await fetch(`${url}/store/`, { headers: { authorization } })).json();
  const account = database.ask(`SELECT account_id FROM account WHERE id = '${id}'`);
  const integration = await send('POST', '/custom-integrations/', { name: 'Bench' });
  await send('POST', `/custom-integrations/${integration.id}/custom-event-types/`, {
    name: 'Cart',
    direction: 'receive',
    alias: 'cart',
    fields: [
      { id: 'cartId', name: 'Cart', type: 'text', required: true },
      { id: 'total', name: 'Total', type: 'decimal' },
    ],
  });
  fill(database, account, 1, rows);
  say(`filling ${rows} products and purchases, ${held} events`);
  fillProducts(database, account, 1, rows);
  fillPurchases(database, account, 1, rows);
  fillEvents(database, account, rows, held);
  database.ask('ANALYZE');
  const paths = {
    product: async () =>
      (
        await compare(
          database,
          account,
          'product',
          'GET /products/product-id/',
          0.35,
          0.85,
          () => load(`return wrk.format('GET', '/products/product-id/p' .. n)`),
          bare.product,
        )
      ).rows,
    'patch-product': async () =>
      (
        await compare(
          database,
          account,
          'patch product',
          'PATCH with an Idempotency-Key',
          0.6,
          1.5,
          () =>
            load(`headers['Idempotency-Key'] = run .. count
        return wrk.format('PATCH', '/products/product-id/p' .. n, headers, '{"stock":' .. count .. '}')`),
          bare.patchProduct,
        )
      ).rows,
    purchase: async () =>
      (
        await compare(
          database,
          account,
          'purchase',
          'POST with an Idempotency-Key',
          0.6,
          1.5,
          () =>
            load(`headers['Idempotency-Key'] = run .. count
        return wrk.format('POST', '/purchases/', headers, '{"purchaseId":"' .. run .. count .. '","contact":{"externalId":"x' .. n ..
          '"},"currency":"EUR","total":"39.80","lines":[{"productId":"bell-1","quantity":"2","unitPrice":"19.90"}]}')`),
          bare.purchase,
        )
      ).rows,
    event: () => singleEvents(database, account),
    bulk: async () => [await bulk(database, account)],
  };
  const measured = [];
  for (const name of options.only ? options.only.split(',') : Object.keys(paths))
    measured.push(...(await paths[name]()));
  const report = {
    ...facts(database, `${checkout}build/release/shopbell`, { rounds, seconds, quick: options.quick, rows, held }),
    paths: measured,
    process: [],
  };
  print(report);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  say(`\nfigures: ${options.json}`);
} catch (error) {
  say(error.stack);
  process.exitCode = 1;
} finally {
  stopAll();
}
