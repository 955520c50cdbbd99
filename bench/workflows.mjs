// Runs the rounds of bench/workflows. Needs the environment of `tools/try --exec`. A step is an event that starts a run:
// it writes the run, its enrolment, its timer, an event and the changes of counts. A timer ends the run: it moves the run
// to the history, ends the enrolment, and writes an event and the changes of counts.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { fill } from './contacts_data.mjs';
import { PostgreSQL, stopAll } from './engines.mjs';
import { facts, interleave, patienceMs, say, until, wholeNumber } from './rounds.mjs';
import { print, ratio } from './report.mjs';
import { addAccounts, idle, locked, strangers, unasked } from './workflows_cost.mjs';

const checkout = new URL('..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    contacts: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'string', default: `${checkout}build/bench-workflows.json` },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = wholeNumber(options, 'rounds', options.quick ? 2 : 5, 50);
const people = wholeNumber(options, 'contacts', options.quick ? 1_000 : 50_000, 10_000_000);
const page = 500; // inputs that a batch of the lanes has at most

const { SHOPBELL_URL: url, SHOPBELL_KEY: key } = process.env;
const ask = async (method, path, body, { key: by } = { key }) => {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${by}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.json();
};

// Polls in one session: a new session per poll would take CPU time from the service.
const waitFor = (database, what, condition) =>
  database.ask(`DO $$ BEGIN
  FOR i IN 1..${patienceMs / 10} LOOP
    IF ${condition} THEN RETURN; END IF;
    COMMIT;
    PERFORM pg_sleep(0.01);
  END LOOP;
  RAISE EXCEPTION '${what} did not happen';
END $$`);

const settled = (database) =>
  until(
    'an end of the events',
    () =>
      database.ask(`SELECT coalesce(bool_and(p.tick = (SELECT max(tick) FROM log_tick)), false)
                      FROM log_position p WHERE p.reader = 'automation'`) === 't',
  );

const empty = (database) => {
  database.ask(
    'TRUNCATE run, run_history, enrolment, timer, count_delta, bare_run, bare_history, bare_enrolment, bare_timer, bare_event, bare_delta',
  );
  database.ask('CHECKPOINT');
};

// One event for each contact, in the contact's lane.
const insertEvents = (account) => `
  INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
  SELECT ${account}, gen_random_uuid(), c.lane, c.contact_id, 'custom.cart', 1, now(), 'all', 0, 'bench',
         '{"cartId":"c-1"}'::jsonb
    FROM contact c WHERE c.account_id = ${account} AND c.email_key LIKE 'person%'`;

// Measures the time from the commit of the events to the last run that they start.
async function startAll(database, account) {
  await settled(database);
  empty(database);
  database.ask(insertEvents(account));
  const began = performance.now();
  waitFor(database, 'the start of all runs', `(SELECT count(*) FROM run) = ${people}`);
  return people / ((performance.now() - began) / 1000);
}

// Measures the time in which the timers of all runs fire. All are due at a time that is some seconds ahead. The owner of
// lanes has read its timers up to then already, so it gives them up and takes them again.
async function fireAll(database, account) {
  await startAll(database, account);
  await settled(database);
  const due = database.ask(`SELECT clock_timestamp() + (3 + ${people / 10_000}) * interval '1 second'`);
  database.ask(`BEGIN;
    UPDATE run SET due_at = '${due}', timer_at = '${due}';
    DELETE FROM timer;
    INSERT INTO timer (lane_group, due_at, owner_id, account_id, contact_id)
      SELECT lane >> 4, due_at, run_id, account_id, contact_id FROM run;
    COMMIT;
    UPDATE lane_owner SET owner = NULL WHERE reader = 'automation'`);
  waitFor(database, 'the time of the timers', `clock_timestamp() >= '${due}'`);
  const began = performance.now();
  waitFor(database, 'the end of all runs', 'NOT EXISTS (SELECT FROM run)');
  return people / ((performance.now() - began) / 1000);
}

// The baseline writes the same rows inside the server, over one connection, in transactions of the lanes' size.
const paged = (statements) => `DO $$ BEGIN
    FOR i IN 0..${Math.ceil(people / page) - 1} LOOP
      ${statements('place > i * ' + page + ' AND place <= (i + 1) * ' + page)}
      COMMIT;
    END LOOP;
  END $$`;

async function writeStarts(database) {
  empty(database);
  const began = performance.now();
  database.ask(
    paged(
      (some) => `
      INSERT INTO bare_run SELECT (r).* FROM (SELECT r, place FROM started_run) x WHERE ${some};
      INSERT INTO bare_enrolment SELECT (e).* FROM (SELECT e, place FROM started_enrolment) x WHERE ${some};
      INSERT INTO bare_timer SELECT (t).* FROM (SELECT t, place FROM started_timer) x WHERE ${some};
      INSERT INTO bare_event SELECT (v).* FROM (SELECT v, place FROM started_event) x WHERE ${some};
      INSERT INTO bare_delta SELECT (d).* FROM (SELECT d, place FROM started_delta) x WHERE ${some};`,
    ),
  );
  return people / ((performance.now() - began) / 1000);
}

async function writeEnds(database) {
  empty(database);
  database.ask(`INSERT INTO bare_run SELECT (r).* FROM started_run;
    INSERT INTO bare_enrolment SELECT (e).* FROM started_enrolment; CHECKPOINT`);
  const began = performance.now();
  database.ask(
    paged(
      (some) => `
      WITH ended AS (SELECT (r).account_id, (r).contact_id, (r).run_id, (r).workflow_id FROM started_run WHERE ${some}),
           gone AS (DELETE FROM bare_run b USING ended n WHERE b.account_id = n.account_id AND b.contact_id = n.contact_id
                      AND b.run_id = n.run_id RETURNING b.*),
           left_ AS (UPDATE bare_enrolment e SET ended_at = transaction_timestamp() FROM ended n
                      WHERE e.account_id = n.account_id AND e.contact_id = n.contact_id AND e.workflow_id = n.workflow_id)
      INSERT INTO bare_history SELECT account_id, contact_id, run_id, workflow_id, version, node, key, started_at,
                                      transaction_timestamp(), converted, trail, 'completed' FROM gone;
      INSERT INTO bare_event SELECT (v).* FROM (SELECT v, place FROM started_event) x WHERE ${some};
      INSERT INTO bare_delta SELECT (d).* FROM (SELECT d, place FROM started_delta) x WHERE ${some};`,
    ),
  );
  return people / ((performance.now() - began) / 1000);
}

async function steps(database, account) {
  const measured = await interleave(
    'steps',
    rounds,
    () => startAll(database, account),
    () => writeStarts(database),
  );
  return [
    ratio({
      name: 'workflow steps',
      what: `${people} events that each start a run : the same rows in batches of ${page} without an engine`,
      unit: '/s',
      least: 0.45,
      goal: 0.55,
      ...measured,
    }),
  ];
}

async function timers(database, account) {
  const measured = await interleave(
    'timers',
    rounds,
    () => fireAll(database, account),
    () => writeEnds(database),
  );
  return [
    ratio({
      name: 'timer fires',
      what: `${people} timers that each end a run : the same rows in batches of ${page} without an engine`,
      unit: '/s',
      least: 0.45,
      goal: 0.55,
      ...measured,
    }),
  ];
}

// Creates a workflow whose runs change their contact.
async function prepareTags(integration) {
  await ask('POST', `/custom-integrations/${integration}/custom-event-types/`, {
    name: 'Tag',
    direction: 'receive',
    alias: 'tag',
    fields: [],
  });
  const { id } = await ask('POST', '/manage/workflows/', {
    alias: 'tag',
    name: 'Tag',
    trigger: { event: 'custom.tag' },
    reentry: { mode: 'always' },
    nodes: [
      { id: 'change', type: 'updateContact', set: { tags: ['vip'] }, next: 'pause' },
      { id: 'pause', type: 'wait', for: 'P1D' },
    ],
  });
  await ask('POST', `/manage/workflows/${id}/publish`);
}

// Creates an event type in the account that has no workflows.
async function prepareStranger() {
  const asStranger = { key: process.env.SHOPBELL_KEY_2 };
  const { id: integration } = await ask('POST', '/custom-integrations/', { name: 'Bench' }, asStranger);
  const type = {
    name: 'Cart',
    direction: 'receive',
    alias: 'cart',
    fields: [{ id: 'cartId', name: 'Cart', type: 'text' }],
  };
  await ask('POST', `/custom-integrations/${integration}/custom-event-types/`, type, asStranger);
}

// Creates the workflow, and keeps copies of the rows that a round writes, for the baseline.
async function prepare(database, account) {
  fill(database, account, 1, people);
  database.ask(`UPDATE contact SET lane = (get_byte(h, 0) << 2) | (get_byte(h, 1) >> 6)
    FROM (SELECT account_id, contact_id, sha256(int8send(account_id) || uuid_send(contact_id)) AS h FROM contact) x
    WHERE contact.account_id = x.account_id AND contact.contact_id = x.contact_id`);
  const { id: integration } = await ask('POST', '/custom-integrations/', { name: 'Bench' });
  await ask('POST', `/custom-integrations/${integration}/custom-event-types/`, {
    name: 'Cart',
    direction: 'receive',
    alias: 'cart',
    fields: [{ id: 'cartId', name: 'Cart', type: 'text' }],
  });
  const { id } = await ask('POST', '/manage/workflows/', {
    alias: 'bench',
    name: 'Bench',
    trigger: { event: 'custom.cart' },
    reentry: { mode: 'always' },
    nodes: [{ id: 'pause', type: 'wait', for: 'P1D' }],
  });
  await ask('POST', `/manage/workflows/${id}/publish`);
  await prepareTags(integration);
  database.ask(`CREATE TABLE bare_run (LIKE run INCLUDING ALL); CREATE TABLE bare_enrolment (LIKE enrolment INCLUDING ALL);
    CREATE TABLE bare_history (LIKE run_history INCLUDING ALL); CREATE TABLE bare_timer (LIKE timer INCLUDING ALL);
    CREATE TABLE bare_event (LIKE event INCLUDING ALL EXCLUDING IDENTITY);
    CREATE TABLE bare_delta (LIKE count_delta INCLUDING ALL EXCLUDING IDENTITY)`);
  await startAll(database, account);
  await settled(database);
  const kept = (name, from, row, order) =>
    `CREATE TABLE ${name} AS SELECT row_number() OVER (ORDER BY ${order}) AS place, ${row} FROM ${from};
     CREATE INDEX ON ${name} (place); ANALYZE ${name};`;
  database.ask(
    kept('started_run', 'run r', 'r', 'run_id') +
      kept('started_enrolment', 'enrolment e', 'e', 'run_id') +
      kept('started_timer', 'timer t', 't', 'owner_id') +
      kept('started_event', `event v WHERE kind = 'workflow.entered'`, 'v', 'id') +
      kept('started_delta', 'count_delta d', 'd', 'number'),
  );
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  database.ask('UPDATE account SET requests_per_second = 1000000, request_burst = 1000000');
  const { id } = await ask('GET', '/store/');
  const account = database.ask(`SELECT account_id FROM account WHERE id = '${id}'`);
  const quick = options.quick;
  const accounts = quick ? 500 : 10_000;
  const paths = {
    steps: () => steps(database, account),
    timers: () => timers(database, account),
    idle: () => idle(database, { rounds: quick ? 1 : rounds, seconds: quick ? 2 : 20, accounts }),
    strangers: () => strangers(database, process.env.SHOPBELL_KEY_2, { rounds: quick ? 1 : 9, seconds: quick ? 1 : 4 }),
    unasked: () => unasked(database, account, { rounds: quick ? 1 : 9, events: quick ? 2_000 : 200_000 }),
    locked: () => locked(database, account, { rounds: quick ? 1 : rounds, seconds: quick ? 1 : 10 }),
  };
  const chosen = options.only ? options.only.split(',') : Object.keys(paths);
  await prepare(database, account);
  const measured = [];
  let added = false;
  for (const name of chosen) {
    if (!added && ['idle', 'strangers', 'unasked'].includes(name)) {
      added = true;
      await prepareStranger();
      addAccounts(database, account, accounts);
    }
    measured.push(...(await paths[name]()));
  }
  const report = {
    ...facts(database, `${checkout}build/release/shopbell`, { rounds, seconds: 0, quick: options.quick, people }),
    paths: measured,
    process: [],
  };
  print(report);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  say(`\nfigures: ${options.json}`);
} catch (error) {
  say(`bench/workflows: ${error.stack}`);
  process.exitCode = 1;
} finally {
  stopAll();
}
