// What workflows cost those who do not use them: the idle service with many of them, an event that no workflow asks for,
// and groups of lanes beside one whose contact is locked.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

import { cpuSeconds, familyCpuSeconds, pgbenchLatency, scriptFile, wrk } from './engines.mjs';
import { interleave, patienceMs, say } from './rounds.mjs';
import { ratio } from './report.mjs';

const { SHOPBELL_URL: url, SHOPBELL_PID: pid, SHOPBELL_METRICS_URL: metricsUrl } = process.env;
const workflows = 10; // per account
const nobody = '00000000-0000-4000-8000-000000000000'; // a process that holds lanes and does nothing
const readers = `('automation', 'wakes')`;

const serverOf = (database) => Number(database.ask(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)`));

// Waits until these readers have read all events, in one session.
export const settle = (database, of) =>
  database.ask(`DO $$ BEGIN
  FOR i IN 1..${patienceMs / 10} LOOP
    IF (SELECT bool_and(p.tick = (SELECT max(tick) FROM log_tick)) FROM log_position p WHERE p.reader IN ${of})
       AND NOT EXISTS (SELECT FROM event e, (SELECT shows FROM log_tick ORDER BY tick DESC LIMIT 1) t
                        WHERE e.xid >= pg_snapshot_xmin(t.shows) AND NOT pg_visible_in_snapshot(e.xid, t.shows))
    THEN RETURN; END IF;
    COMMIT;
    PERFORM pg_sleep(0.01);
  END LOOP;
  RAISE EXCEPTION 'events remain';
END $$`);

// Adds accounts, each with copies of the account's workflow.
export function addAccounts(database, account, count) {
  database.ask(`
    CREATE TEMP TABLE added AS SELECT ${account}::bigint / 2 + n AS id, n FROM generate_series(1, ${count}) n;
    INSERT INTO account (account_id, id, name, time_zone, currency, locale)
      SELECT id, gen_random_uuid(), 'Store ' || n, 'UTC', 'EUR', 'en' FROM added;
    INSERT INTO store_usage (account_id) SELECT id FROM added;
    INSERT INTO workflow (account_id, workflow_id, alias, name, status, active_version, activated_at, created_at, updated_at)
      SELECT id, gen_random_uuid(), 'flow-' || w, 'Flow', 'active', 1, now(), now(), now()
        FROM added, generate_series(1, ${workflows}) w;
    INSERT INTO workflow_version (account_id, workflow_id, version, definition, created_at, published_at)
      SELECT a.id, f.workflow_id, 1, v.definition, now(), now()
        FROM added a JOIN workflow f ON f.account_id = a.id
        CROSS JOIN (SELECT definition FROM workflow_version WHERE account_id = ${account} ORDER BY workflow_id LIMIT 1) v;
    INSERT INTO engine_interest (account_id, version, kinds)
      SELECT a.id, 1, i.kinds FROM added a, engine_interest i WHERE i.account_id = ${account}`);
  database.ask('VACUUM ANALYZE account, workflow, workflow_version, engine_interest, store_usage');
  database.ask('CHECKPOINT');
}

// Measures the CPU time of the service and of PostgreSQL while nothing happens.
export async function idle(database, { rounds, seconds, accounts }) {
  const server = serverOf(database);
  settle(database, readers);
  await sleep(seconds * 250);
  const [service, postgresql] = [[], []];
  for (let round = 0; round < rounds; ++round) {
    const [began, before, serverBefore] = [performance.now(), cpuSeconds(pid), familyCpuSeconds(server)];
    await sleep(seconds * 1000);
    const share = 100_000 / (performance.now() - began);
    service.push((cpuSeconds(pid) - before) * share);
    postgresql.push((familyCpuSeconds(server) - serverBefore) * share);
    say(`idle, round ${round + 1} of ${rounds}`);
  }
  const what = `of one core, while nothing happens in ${accounts} accounts with ${workflows} workflows`;
  return [
    ratio({ name: 'idle service', what: `${what}: the service`, unit: '%', service }),
    ratio({ name: 'idle PostgreSQL', what: `${what}: PostgreSQL`, unit: '%', service: postgresql }),
    ratio({
      name: 'idle cell',
      what: `${what}: both`,
      unit: '%',
      most: 2,
      service: service.map((value, round) => value + postgresql[round]),
    }),
  ];
}

// Takes the lanes of workflows away from the service, which then reads and writes nothing for them: this is the service
// without the engine.
function stopEngine(database) {
  database.ask(`INSERT INTO heartbeat (at, process)
      SELECT now() + n * interval '1 second', '${nobody}' FROM generate_series(-1, 900) n ON CONFLICT DO NOTHING;
    UPDATE lane_owner SET owner = '${nobody}', generation = generation + 1 WHERE reader IN ${readers}`);
}

function startEngine(database) {
  database.ask(`DELETE FROM heartbeat WHERE process = '${nobody}';
    UPDATE lane_owner SET owner = NULL WHERE owner = '${nobody}'`);
  settle(database, readers);
}

// The number of times that the service has run each query, without those of heartbeats and ticks.
async function statements() {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  const counts = {};
  for (const [, query, count] of text.matchAll(/^shopbell_query_seconds_count\{query="([^"]+)"\} (\S+)/gm))
    counts[query] = Number(count);
  return counts;
}

// Measures CPU time per event, in microseconds, of the service and PostgreSQL together.
async function cpuPerEvent(database, server, events) {
  const before = cpuSeconds(pid) + familyCpuSeconds(server);
  const count = await events();
  settle(database, `('webhooks')`);
  return ((cpuSeconds(pid) + familyCpuSeconds(server) - before) / count) * 1_000_000;
}

let loads = 0; // each load has ids of its own

// Sends single events of the account without workflows.
async function sendEvents(stranger, seconds, connections) {
  const script = scriptFile(
    'cost.lua',
    `local count = 0
    local headers = {['Content-Type'] = 'application/json', ['Authorization'] = 'Bearer ${stranger}'}
    request = function()
      count = count + 1
      return wrk.format('POST', '/custom-events/alias/cart?createContact=true', headers,
        '{"eventId":"${process.pid}-${++loads}-' .. count .. '","contact":{"externalId":"x' .. count % 500 ..
        '"},"payload":{"cartId":"c-1"}}')
    end`,
  );
  return (await wrk(url, seconds, 'Accept: application/json', script, connections)).requests;
}

async function sendEvent(stranger) {
  const answer = await fetch(`${url}/custom-events/alias/cart?createContact=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stranger}`, 'content-type': 'application/json' },
    body: JSON.stringify({ eventId: `single-${++loads}`, contact: { externalId: 'x1' }, payload: { cartId: 'c-1' } }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

// How often each query runs per event. Chores and ticks run less than once per event.
async function statementsPerEvent(stranger) {
  const events = 200;
  await sendEvent(stranger); // creates the contact
  const before = await statements();
  for (let event = 0; event < events; ++event) await sendEvent(stranger);
  const after = await statements();
  const perEvent = {};
  for (const [query, times] of Object.entries(after)) {
    const each = (times - (before[query] ?? 0)) / events;
    if (!/^(event_log|automation|pg)\./.test(query) && each > 0.9) perEvent[query] = Math.round(each);
  }
  return perEvent;
}

// Sends events of an account without workflows, beside accounts that have some; and again without the engine.
export async function strangers(database, stranger, { rounds, seconds }) {
  const server = serverOf(database);
  await sendEvents(stranger, 2, 8); // creates the contacts, and warms up
  const counted = { engine: await statementsPerEvent(stranger), none: {} };
  stopEngine(database);
  counted.none = await statementsPerEvent(stranger);
  if (JSON.stringify(counted.engine) !== JSON.stringify(counted.none))
    throw new Error(`the engine changes the statements of an event: ${JSON.stringify(counted)}`);
  const measure = () => cpuPerEvent(database, server, () => sendEvents(stranger, seconds, 8));
  const measured = await interleave(
    'strangers',
    rounds,
    () => {
      startEngine(database);
      return measure();
    },
    () => {
      stopEngine(database);
      return measure();
    },
  );
  startEngine(database);
  const sum = (counts) => Object.values(counts).reduce((all, count) => all + count, 0);
  return [
    ratio({
      name: 'other account, CPU',
      what: 'POST of an event in an account without workflows, beside others with workflows : without the engine',
      unit: 'µs',
      mostRatio: 1.05,
      ...measured,
    }),
    ratio({
      name: 'other account, statements',
      what: 'of that request : without the engine',
      unit: '',
      mostRatio: 1,
      service: [sum(counted.engine)],
      bare: [sum(counted.none)],
    }),
  ];
}

// Writes events of a kind that no workflow asks for, in an account with workflows.
export async function unasked(database, account, { rounds, events }) {
  const server = serverOf(database);
  const write = async () => {
    database.ask('CHECKPOINT');
    return cpuPerEvent(database, server, async () => {
      database.ask(`INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
        SELECT ${account}, gen_random_uuid(), c.lane, c.contact_id, 'contact.unasked', 1, now(), 'all', 0, 'bench', '{}'
          FROM (SELECT lane, contact_id, row_number() OVER () AS n FROM contact WHERE account_id = ${account} LIMIT 1000) c,
               generate_series(1, ${events / 1000})`);
      return events;
    });
  };
  await write();
  const measured = await interleave(
    'unasked',
    rounds,
    async () => {
      startEngine(database);
      const cpu = await write();
      settle(database, readers);
      return cpu;
    },
    () => {
      stopEngine(database);
      return write();
    },
  );
  startEngine(database);
  return [
    ratio({
      name: 'unasked event',
      what: `CPU time of ${events} events that no workflow asks for : without the engine`,
      unit: 'µs',
      most: [1, 2],
      ...measured,
    }),
  ];
}

// Holds a lock on the contact while `work` runs.
async function withLock(database, contact, work) {
  const held = spawn('psql', [
    '-qAtX',
    database.connection,
    // psql flushes its output after each -c.
    '-c',
    'BEGIN',
    '-c',
    `SELECT 'locked' FROM contact WHERE contact_id = '${contact}' FOR UPDATE`,
    '-c',
    'SELECT pg_sleep(600)',
  ]);
  const ended = new Promise((resolve) => held.once('exit', resolve));
  await new Promise((resolve) => held.stdout.once('data', resolve));
  try {
    return await work();
  } finally {
    database.ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%'
                     AND pid <> pg_backend_pid()`);
    await ended;
  }
}

// Measures the latency of runs that change their contact, while a transaction holds a lock on one of the contacts.
export async function locked(database, account, { rounds, seconds }) {
  const rate = 200;
  const contact = database.ask(
    `SELECT contact_id FROM contact WHERE account_id = ${account} ORDER BY contact_id LIMIT 1`,
  );
  const group = database.ask(`SELECT lane >> 4 FROM contact WHERE contact_id = '${contact}'`);
  const append = (
    condition,
  ) => `INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger,
      hops, source, payload)
    SELECT account_id, gen_random_uuid(), lane, contact_id, 'custom.tag', 1, now(), 'all', 0, 'bench', '{}'::jsonb
      FROM contact WHERE account_id = ${account} AND ${condition};\n`;
  const statement = {
    account,
    sql: `\\set n random(2, 1000)\n${append(`email_key = 'person' || :n || '@example.com' AND lane >> 4 <> ${group}`)}`,
  };
  const p99 = () =>
    Number(
      database.ask(`SELECT percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM made_at - started_at) * 1000)
        FROM run WHERE lane >> 4 <> ${group}`),
    );
  const measure = async () => {
    settle(database, readers);
    database.ask('TRUNCATE run, run_history, enrolment, timer, count_delta');
    database.ask(append(`contact_id = '${contact}'`));
    await pgbenchLatency(database, statement, 4, rate, seconds);
    await sleep(500);
    return p99();
  };
  // A column with its default in one statement would rewrite the table, whose row type the copies of the runs use.
  database.ask(`ALTER TABLE run ADD COLUMN made_at timestamptz;
    ALTER TABLE run ALTER COLUMN made_at SET DEFAULT clock_timestamp()`);
  await measure();
  const measured = await interleave(
    'locked',
    rounds,
    () => withLock(database, contact, measure),
    () => measure(),
  );
  settle(database, readers);
  database.ask('ALTER TABLE run DROP COLUMN made_at');
  return [
    ratio({
      name: 'locked contact',
      what: `p99 from event to run, ${rate} events/s that change contacts of other groups : without a lock`,
      unit: 'ms',
      most: [1.1, 5],
      ...measured,
    }),
  ];
}
