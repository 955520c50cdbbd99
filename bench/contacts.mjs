// Runs the rounds of bench/contacts. Needs the environment of `tools/try --exec`.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { buffers } from './contacts_buffers.mjs';
import { fill, idOf } from './contacts_data.mjs';
import { PostgreSQL, latencyOf, pgbench, pgbenchLatency, scriptFile, stopAll, wrk } from './engines.mjs';
import { bestClients, facts, interleave, pick, say, wholeNumber } from './rounds.mjs';
import { median, print, ratio } from './report.mjs';

const checkout = new URL('..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    contacts: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    json: { type: 'string', default: `${checkout}build/bench-contacts.json` },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = wholeNumber(options, 'rounds', options.quick ? 2 : 5, 50);
const seconds = wholeNumber(options, 'seconds', options.quick ? 1 : 5, 60);
const contacts = wholeNumber(options, 'contacts', options.quick ? 20_000 : 1_000_000, 10_000_000);
const few = Math.min(10_000, contacts / 2);

const { SHOPBELL_URL: url, SHOPBELL_KEY: key } = process.env;
const authorization = `Bearer ${key}`;
const header = `Authorization: ${authorization}`;

const wrkScript = (body) =>
  scriptFile(
    'load.lua',
    `
  math.randomseed(os.time() * 1000 + ${Math.floor(Math.random() * 1000)})
  local count = 0
  request = function()
    count = count + 1
    local n = math.random(1, ${contacts})
    ${body}
  end`,
  );
const load = (body) => wrk(url, seconds, header, wrkScript(body));
const readBy = (path) => () => load(`return wrk.format('GET', ${path})`);
const patch = () =>
  load(`
  return wrk.format('PATCH', '/contacts/external-id/x' .. n, {['Authorization'] = '${authorization}',
    ['Content-Type'] = 'application/json', ['Idempotency-Key'] = '${Date.now()}-' .. count},
    '{"points":{"add":1}}')`);

const statementOf = (name) =>
  readFileSync(`${checkout}src/resources/contacts/queries/${name}.sql`, 'utf8').trim().replaceAll('$1', ':account');
const bareRead = (name, value) => ({
  sql: `\\set n random(1, ${contacts})\n${statementOf(name).replaceAll('$2', `${value} || :n`)};\n`,
});
// The writes of a PATCH in one transaction and one round trip: the idempotency claim, the contact's row, the event.
const bareWrite = {
  sql: `\\set n random(1, ${contacts})
\\startpipeline
BEGIN;
INSERT INTO claim (account_id, kind, key_hash, request_hash, answer)
VALUES (:account, 'answer', sha256(gen_random_uuid()::text::bytea), sha256('x'), convert_to(repeat('x', 1200), 'UTF8'));
UPDATE contact SET version = version + 1, points = points + 1, event_seq = event_seq + 1, updated_at = now()
 WHERE account_id = :account AND contact_id = ${idOf(':n::bigint')};
INSERT INTO event (account_id, uid, lane, contact_id, contact_seq, kind, format, occurred_at, trigger, hops, source, payload)
VALUES (:account, gen_random_uuid(), 5, ${idOf(':n::bigint')}, 1, 'contact.updated', 1, now(), 'all', 0, 'api',
        '{"changed":["points"],"before":{"points":1},"after":{"points":2}}');
COMMIT;
\\endpipeline
`,
};

async function compare(database, name, what, least, goal, service, statement) {
  const clients = await bestClients(database, statement, seconds, options.quick);
  const measured = await interleave(name, rounds, service, async () => ({
    rate: await pgbench(database, statement, clients, seconds),
  }));
  return {
    clients,
    row: ratio({
      name,
      what: `${what} : pgbench -M prepared -c ${clients}`,
      unit: '/s',
      least,
      goal,
      service: pick(measured.service, 'rate'),
      bare: pick(measured.bare, 'rate'),
    }),
  };
}

async function page(cursor) {
  const before = performance.now();
  const answer = await fetch(`${url}/manage/contacts/?limit=50${cursor ? `&cursor=${cursor}` : ''}`, {
    headers: { authorization },
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(body));
  return { ms: performance.now() - before, next: body.nextCursor };
}

// Reads the same page of 50 at the start of the list, and after 900,000 contacts (or after 90 % of fewer contacts).
async function depth() {
  const deep = Math.floor(contacts * 0.9);
  let cursor = null;
  for (let seen = 0; seen < deep; seen += 500) {
    const query = `limit=500${cursor ? `&cursor=${cursor}` : ''}`;
    const answer = await fetch(`${url}/manage/contacts/?${query}`, { headers: { authorization } });
    cursor = (await answer.json()).nextCursor;
  }
  const times = async (from) => {
    const all = [];
    for (let i = 0; i < 40; ++i) all.push((await page(from)).ms);
    return { ms: median(all) };
  };
  await times(null);
  const measured = await interleave(
    'depth',
    rounds,
    () => times(cursor),
    () => times(null),
  );
  return ratio({
    name: 'list depth',
    what: `a page of 50 at depth ${deep} : at depth 1`,
    unit: 'ms',
    mostRatio: 1.2,
    service: pick(measured.service, 'ms'),
    bare: pick(measured.bare, 'ms'),
  });
}

function compareBuffers(small, large) {
  say(`\npages read by each query, with ${few} and with ${contacts} contacts`);
  let grown = 0;
  for (const [name, before] of Object.entries(small)) {
    const more = large[name] - before;
    // Pages that a query may read more with many rows: each index may be two levels deeper, and a list reads up to 51
    // rows.
    const allowed = name.startsWith('list_') || name === 'search_contacts' ? 2 * 4 + 51 * 2 : 2 * 8;
    const mark = more > allowed ? ' GROWN' : '';
    if (mark) ++grown;
    say(`  ${name.padEnd(34)} ${String(before).padStart(6)} ${String(large[name]).padStart(6)}${mark}`);
  }
  return grown;
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  database.ask('UPDATE account SET requests_per_second = 1000000, request_burst = 1000000');
  const { id } = await (await fetch(`${url}/store/`, { headers: { authorization } })).json();
  const account = database.ask(`SELECT account_id FROM account WHERE id = '${id}'`);
  const of = (statement) => ({ ...statement, account });
  fill(database, account, 1, few);
  const small = buffers(database, account, Math.floor(few / 2));
  say(`filling ${contacts} contacts`);
  for (let from = few + 1; from <= contacts; from += 250_000)
    fill(database, account, from, Math.min(contacts, from + 249_999));
  const large = buffers(database, account, Math.floor(contacts / 2));
  await sleep(1000);

  const byEmail = of({ sql: bareRead('get_contact_by_email', `'person'`).sql.replace(':n;', `:n || '@example.com';`) });
  const email = () =>
    compare(
      database,
      'by email',
      'GET /contacts/email/',
      0.35,
      0.85,
      readBy(`'/contacts/email/person' .. n .. '@example.com'`),
      byEmail,
    );
  // Measures the latency at half of the rate just measured.
  const reads = async () => {
    const { clients, row } = await email();
    const rate = Math.max(1, Math.floor(median(row.service.all) / 2));
    const latency = await interleave(
      'latency',
      rounds,
      () =>
        latencyOf(
          `${checkout}build/release/open_loop`,
          `${url}/contacts/email/person7@example.com`,
          header,
          rate,
          seconds,
        ),
      () => pgbenchLatency(database, byEmail, clients, rate, seconds),
    );
    return [
      row,
      ratio({
        name: 'by email p99',
        what: `at ${rate} requests/s : pgbench -R ${rate}`,
        unit: 'ms',
        most: [2, 1],
        service: latency.service,
        bare: latency.bare,
      }),
    ];
  };
  const paths = {
    'by-email': reads,
    'by-external-id': async () => [
      (
        await compare(
          database,
          'by external id',
          'GET /contacts/external-id/',
          0.35,
          0.85,
          readBy(`'/contacts/external-id/x' .. n`),
          of(bareRead('get_contact_by_external_id', `'x'`)),
        )
      ).row,
    ],
    patch: async () => [
      (await compare(database, 'patch', 'PATCH with an Idempotency-Key', 0.6, 1.5, patch, of(bareWrite))).row,
    ],
    depth: async () => [await depth()],
  };
  const measured = [];
  for (const name of options.only ? [options.only] : Object.keys(paths)) measured.push(...(await paths[name]()));

  const report = {
    ...facts(database, `${checkout}build/release/shopbell`, { rounds, seconds, quick: options.quick, contacts }),
    paths: measured,
    process: [],
    buffers: { small, large },
  };
  print(report);
  const grown = compareBuffers(small, large);
  say(grown === 0 ? 'no query reads more than its indexes grew' : `${grown} queries read more`);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  say(`\nfigures: ${options.json}`);
} catch (error) {
  say(`bench/contacts: ${error.stack}`);
  process.exitCode = 1;
} finally {
  stopAll();
}
