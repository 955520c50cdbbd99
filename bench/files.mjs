// Runs the rounds of bench/files. Needs the environment of `tools/try --exec`.
import { createReadStream, createWriteStream, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { fill } from './contacts_data.mjs';
import { fillYear } from './objects_data.mjs';
import { PostgreSQL, cpuSeconds, latencyOf, rssMb, stopAll } from './engines.mjs';
import { facts, interleave, pick, say, wholeNumber } from './rounds.mjs';
import { print, ratio } from './report.mjs';

const checkout = new URL('..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    rows: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'string', default: `${checkout}build/bench-files.json` },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = wholeNumber(options, 'rounds', options.quick ? 2 : 5, 50);
const rows = wholeNumber(options, 'rows', options.quick ? 3_000 : 200_000, 10_000_000);
const neighbours = 10_000;
const perSecond = 200;

const { SHOPBELL_URL: url, SHOPBELL_KEY: key, SHOPBELL_KEY_2: otherKey, SHOPBELL_PID: pid } = process.env;
const file = `/tmp/shopbell-bench-${process.pid}.csv`;
const stored = `/tmp/shopbell-bench-${process.pid}.copy`;
const sendAs = async (as, method, path, body, headers = { 'content-type': 'application/json' }) => {
  /** @type {RequestInit & { duplex: 'half' }} */
  const request = { method, headers: { authorization: `Bearer ${as}`, ...headers }, body, duplex: 'half' };
  const answer = await fetch(url + path, request);
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer;
};
const json = async (...request) => (await sendAs(key, ...request)).json();

// Writes a CSV file with twelve standard columns and five custom fields of the store; every hundredth row is invalid.
async function writeFile() {
  const out = createWriteStream(file);
  out.write(
    'externalId,email,firstName,lastName,company,phone,country,postalCode,tags,points,emailSubscription,birthDate,' +
      'fields.note,fields.size,fields.weight,fields.member,fields.since\n',
  );
  for (let i = 0; i < rows; ++i) {
    const fine = out.write(
      `b-${i},Person${i}@example.com,Eva ${i},Bell,"Bell, Book & Co ${i % 100}",+43664${1000000 + (i % 8999999)},AT,${1000 + (i % 9000)},` +
        `t${i % 50}|all,${i % 100 === 99 ? 'many' : i % 1000},${i % 3 === 0 ? 'subscribed' : 'none'},19${50 + (i % 50)}-03-01,` +
        `note ${i},${i % 60},${i % 90}.25,${i % 2 === 0},2024-05-${10 + (i % 18)}\n`,
    );
    if (!fine) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

async function ended(path) {
  while (true) {
    const shown = await json('GET', path);
    if (shown.status !== 'queued' && shown.status !== 'inProgress') {
      if (shown.status !== 'finished') throw new Error(`${path}: ${JSON.stringify(shown)}`);
      return shown;
    }
    await sleep(100);
  }
}

// Runs `work` and returns its duration in seconds and the peak growth of the service's memory.
async function watched(work) {
  const before = rssMb(pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, rssMb(pid))), 50);
  const [started, cpu] = [performance.now(), cpuSeconds(pid)];
  const result = await work();
  const seconds = (performance.now() - started) / 1000;
  clearInterval(watch);
  return { ...result, seconds, rate: rows / seconds, grown: most - before, cpu: cpuSeconds(pid) - cpu };
}

const upload = async () => {
  const { id } = await json('POST', '/imports/?type=contacts', createReadStream(file), {
    'content-type': 'text/csv',
    'content-length': String(statSync(file).size),
  });
  return id;
};
const imported = () => watched(async () => ended(`/imports/${await upload()}`));

const empty = (database) => {
  database.ask('TRUNCATE contact, contact_facet, event CASCADE');
  database.ask('VACUUM ANALYZE');
  database.ask('CHECKPOINT');
};
const counted = ({ created, updated, unchanged, failed }) => `${created} ${updated} ${unchanged} ${failed}`;
const expectCounts = (done, wanted) => {
  if (counted(done) !== wanted) throw new Error(`created, updated, unchanged, failed: ${counted(done)}, not ${wanted}`);
};

async function imports(database, account) {
  const wrong = Math.floor(rows / 100);
  const of = `SELECT * FROM contact WHERE account_id = ${account} ORDER BY contact_id`;
  const events = () => database.ask("SELECT count(*) FROM event WHERE kind LIKE 'contact.%'");
  /** @type {Awaited<ReturnType<typeof imported>>} */
  let again;
  const measured = await interleave(
    'import',
    rounds,
    async () => {
      empty(database);
      const done = await imported();
      expectCounts(done, `${rows - wrong} 0 0 ${wrong}`);
      if (!again) {
        const before = events();
        again = await imported();
        expectCounts(again, `0 0 ${rows - wrong} ${wrong}`);
        if (events() !== before) throw new Error('a second import of the same file wrote events');
        database.ask(`COPY (${of}) TO '${stored}'`);
      }
      return done;
    },
    async () => {
      empty(database);
      const started = performance.now();
      database.ask(`COPY contact FROM '${stored}'`);
      return { rate: (rows - wrong) / ((performance.now() - started) / 1000) };
    },
  );
  return [
    ratio({
      name: 'import',
      what: `${rows} contacts as CSV, from the request to the end : COPY into the same table`,
      unit: '/s',
      least: 0.3,
      goal: 0.45,
      service: pick(measured.service, 'rate'),
      bare: pick(measured.bare, 'rate'),
    }),
    ratio({
      name: 'import, rss',
      what: 'growth of the process meanwhile, at most',
      unit: 'MiB',
      service: pick(measured.service, 'grown'),
    }),
    ratio({
      name: 'import, cpu',
      what: 'processor time of the process',
      unit: 's',
      service: pick(measured.service, 'cpu'),
    }),
    ratio({
      name: 'import again',
      what: 'the same file once more: every row unchanged, no event',
      unit: '/s',
      service: [again.rate],
    }),
  ];
}

async function exported() {
  return watched(async () => {
    const { id } = await json('POST', '/exports/', JSON.stringify({ type: 'contacts' }));
    const done = await ended(`/exports/${id}`);
    await sendAs(key, 'DELETE', `/exports/${id}`);
    return done;
  });
}

async function exports(database, account) {
  if (database.ask(`SELECT count(*) FROM contact WHERE account_id = ${account}`) === '0') await imported();
  database.ask('VACUUM ANALYZE');
  const held = Number(database.ask(`SELECT count(*) FROM contact WHERE account_id = ${account}`));
  const columns = `contact_id, email, external_id, first_name, last_name, company, birth_date, phone, locale, time_zone, country,
    postal_code, currency, tags, points, email_subscription, sms_subscription, email_status, phone_status, purchases, source_updated_at,
    created_at, updated_at, fields`;
  const measured = await interleave('export', rounds, exported, async () => {
    const started = performance.now();
    database.ask(
      `\\copy (SELECT ${columns} FROM contact WHERE account_id = ${account} ORDER BY contact_id) TO '/dev/null' WITH (FORMAT csv)`.replaceAll(
        '\n',
        ' ',
      ),
    );
    return { rate: held / ((performance.now() - started) / 1000) };
  });
  return [
    ratio({
      name: 'export',
      what: `${held} contacts as CSV, from the request to the end : COPY of the rows TO STDOUT`,
      unit: '/s',
      least: 0.7,
      goal: 0.85,
      service: pick(measured.service, 'rate'),
      bare: pick(measured.bare, 'rate'),
    }),
    ratio({
      name: 'export, rss',
      what: 'growth of the process meanwhile, at most',
      unit: 'MiB',
      service: pick(measured.service, 'grown'),
    }),
  ];
}

// Measures another account's reads at a fixed rate, both while two imports run and while none runs.
async function neighbour(database) {
  const { id } = await (await sendAs(otherKey, 'GET', '/store/')).json();
  const account = database.ask(`SELECT account_id FROM account WHERE id = '${id}'`);
  const seconds = options.quick ? 1 : 10;
  const asked = () =>
    latencyOf(
      `${checkout}build/release/open_loop`,
      `${url}/contacts/external-id/x77`,
      `Authorization: Bearer ${otherKey}`,
      perSecond,
      seconds,
    );
  const refill = () => {
    empty(database); // delete the contacts first: importing existing rows would only compare them
    fill(database, account, 1, neighbours);
  };
  const measured = await interleave(
    'neighbour',
    rounds,
    async () => {
      refill();
      const ids = [await upload(), await upload()];
      await sleep(500);
      const p99 = await asked();
      const running = await Promise.all(ids.map((one) => json('GET', `/imports/${one}`)));
      if (!options.quick && running.some(({ status }) => status !== 'inProgress'))
        throw new Error(`two imports were to run: ${JSON.stringify(running)}; more --rows`);
      for (const one of ids) await sendAs(key, 'DELETE', `/imports/${one}`);
      await sleep(1000);
      return p99;
    },
    () => {
      refill();
      return asked();
    },
  );
  return [
    ratio({
      name: 'neighbour p99',
      what: `${perSecond} GETs/s of another account during two imports : without`,
      unit: 'ms',
      most: [3, 25],
      service: measured.service,
      bare: measured.bare,
    }),
  ];
}

// Measures reports from the request to the end of the file: 31 days out of a year with 10 million events and 1 million
// purchases.
async function reports(database, account) {
  const [events, purchases] = options.quick ? [20_000, 2_000] : [10_000_000, 1_000_000];
  empty(database);
  fill(database, account, 1, neighbours);
  fillYear(database, account, neighbours, events, purchases);
  database.ask('VACUUM ANALYZE');
  await json('GET', '/store/').catch(() => {}); // the server has closed the idle keep-alive connection: reconnect
  const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const measured = [];
  for (const report of ['purchases-over-time', 'products-sold', 'contacts-growth', 'events-over-time']) {
    const seconds = [];
    for (let round = 0; round < rounds; ++round) {
      const started = performance.now();
      const { id } = await json(
        'POST',
        '/exports/type/data-explorer',
        JSON.stringify({ report, from: day(40), to: day(9) }),
      );
      await ended(`/exports/${id}`);
      seconds.push((performance.now() - started) / 1000);
      await sendAs(key, 'DELETE', `/exports/${id}`);
    }
    measured.push(
      ratio({
        name: report,
        what: `31 days of ${events} events and ${purchases} purchases, to the end of the file`,
        unit: 's',
        most: 2,
        service: seconds,
      }),
    );
  }
  return measured;
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  database.ask('UPDATE account SET requests_per_second = 1000000, request_burst = 1000000');
  const { id } = await json('GET', '/store/');
  const account = database.ask(`SELECT account_id FROM account WHERE id = '${id}'`);
  for (const [field, type] of [
    ['note', 'text'],
    ['size', 'integer'],
    ['weight', 'decimal'],
    ['member', 'boolean'],
    ['since', 'date'],
  ])
    await json('POST', '/contact-fields/', JSON.stringify({ id: field, name: field, type }));
  await writeFile();
  const paths = {
    import: () => imports(database, account),
    export: () => exports(database, account),
    neighbour: () => neighbour(database),
    report: () => reports(database, account),
  };
  const measured = [];
  for (const name of options.only ? options.only.split(',') : Object.keys(paths))
    measured.push(...(await paths[name]()));
  const report = {
    ...facts(database, `${checkout}build/release/shopbell`, { rounds, seconds: 0, quick: options.quick, rows }),
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
  for (const name of [file, stored]) rmSync(name, { force: true });
  stopAll();
}
