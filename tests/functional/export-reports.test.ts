// Reports over the API: random data around the days of daylight-saving changes, recounted here.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { as, newExporter, reports, rowsOf } from './exporter.ts';
import { seeded } from './random.ts';
import { dayOf, digits, exact, periodOf, shownDecimal, someDays, unit, zone } from './recount.ts';
import { expectProblem, faults, newStore, psql, shopbell } from './support.ts';

const random = seeded('reports');
const { below, between, one, chance } = random;
const { send, account, report, write, keyFor } = newExporter('Reports');
await write('PATCH', '/manage/store', { timeZone: zone });

const { from, to, moment, inside, periods } = someDays(random);

interface Line {
  lineId: string;
  productId?: string;
  name: string;
  quantity: string;
  unitPrice: string;
  total?: string;
}
interface Bought {
  at: number;
  contact?: string;
  currency: string;
  total: string;
  status: string;
  channel?: string;
  lines: Line[];
  refunds: { amount: string; lines: { lineId: string; quantity: string; amount: string }[] }[];
}
const bought: Bought[] = [];
const amountOf = (line: Line) =>
  line.total === undefined ? (exact(line.unitPrice) * exact(line.quantity)) / unit : exact(line.total);
const refundedOf = (p: Bought) =>
  p.status === 'refunded' && p.refunds.length === 0
    ? exact(p.total)
    : p.refunds.reduce((sum, { amount }) => sum + exact(amount), 0n);

for (let i = 0; i < 160; ++i) {
  const lines = [...Array(between(1, 3)).keys()].map((n): Line => {
    const price = `${below(50)}.${between(0, 99)}`;
    const product = chance(80) ? { productId: `p-${below(4)}` } : {};
    const total = chance(70) ? { total: `${below(90)}.${String(below(1e6)).padStart(6, '0')}` } : {};
    const quantity = one(['1', '2', '0.5', '3.125']);
    return { lineId: `${n}`, name: `n-${below(2)}`, quantity, unitPrice: price, ...product, ...total };
  });
  const made: Bought = {
    at: moment(),
    currency: one(['EUR', 'EUR', 'USD', 'JPY']),
    total: `${between(100, 900)}.${below(100)}`,
    status: one(['placed', 'paid', 'cancelled', 'delivered', 'refunded']),
    lines,
    refunds: [],
  };
  if (chance(60)) made.channel = one(['web', '=shop']);
  if (chance(90)) made.contact = `c-${below(12)}`;
  if (chance(20)) {
    const of = one(lines);
    const part = { lineId: of.lineId, quantity: '0.25', amount: '1.5' };
    made.refunds.push({ amount: '2.75', lines: chance(50) ? [part] : [] });
  }
  bought.push(made);
  const { at, contact, refunds, ...rest } = made;
  await write('POST', '/purchases/?createContact=true', {
    purchaseId: `o-${i}`,
    purchasedAt: new Date(at).toISOString(),
    ...rest,
    contact: contact ? { externalId: contact } : null,
    refunds: refunds.map((refund, n) => ({ refundId: `r-${n}`, ...refund })),
  });
}
await write('PATCH', '/products/product-id/p-1', { name: 'Bell', url: 'https://bell.example/' });

const expected = { from, to };
const csv = (header: string, rows: string[]) => [header, ...rows, ''].join('\n');

function purchaseRow(of: Bought[], period: string, currency: string, group: string[] = []) {
  const counted = of.filter(({ status }) => status !== 'cancelled');
  const sum = (value: (p: Bought) => bigint) => counted.reduce((total, p) => total + value(p), 0n);
  const revenue = sum((p) => exact(p.total) - refundedOf(p));
  const quantity = sum((p) => p.lines.reduce((n, line) => n + exact(line.quantity), 0n));
  const people = new Set(counted.flatMap(({ contact }) => contact ?? []));
  const money = (value: bigint) => shownDecimal(value, digits[currency]!);
  return [
    period,
    ...group,
    currency,
    counted.length,
    people.size,
    shownDecimal(quantity, 0),
    money(revenue),
    money(sum(refundedOf)),
    counted.length ? shownDecimal(revenue, digits[currency]!, counted.length) : '',
    of.length - counted.length,
  ].join(',');
}

test('purchases over time are grouped by local days, weeks and months', async () => {
  for (const granularity of ['day', 'week', 'month']) {
    const { made, text } = await report({ report: 'purchases-over-time', ...expected, granularity });
    const of = bought.filter(({ at }) => inside(at));
    const currencies = [...new Set(['EUR', ...of.map(({ currency }) => currency)])].sort();
    const rows = periods(granularity).flatMap((period) =>
      currencies.map((currency) =>
        purchaseRow(
          of.filter((p) => periodOf(dayOf(p.at), granularity) === period && p.currency === currency),
          period,
          currency,
        ),
      ),
    );
    const header = 'period,currency,purchases,customers,quantity,revenue,refunded,averageAmount,cancelled';
    assert.equal(text, csv(header, rows), granularity);
    assert.deepEqual(
      [made.type, made.report, made.granularity, made.timeZone, made.from, made.to, made.groupBy, made.rows],
      ['data-explorer', 'purchases-over-time', granularity, zone, from, to, [], rows.length],
    );
    assert.match(made.fileName, /^purchases-over-time-\d{8}-\d{6}\.csv$/);
  }
});

test('purchases are grouped and filtered, and cells are escaped like any text', async () => {
  const filters = { status: ['paid', 'delivered', 'cancelled'], currencies: ['EUR'] };
  const { text } = await report({
    report: 'purchases-over-time',
    ...expected,
    groupBy: ['channel', 'status'],
    filters,
  });
  const of = bought.filter((p) => inside(p.at) && filters.status.includes(p.status) && p.currency === 'EUR');
  const keys = new Map<string, Bought[]>();
  for (const p of of) {
    const key = JSON.stringify([dayOf(p.at), p.channel ?? '', p.status]);
    keys.set(key, [...(keys.get(key) ?? []), p]);
  }
  const rows = [...keys].map(([key, some]) => {
    const [period, channel, status] = JSON.parse(key) as [string, string, string];
    return purchaseRow(some, period, 'EUR', [channel.replace(/^=/, "'="), status]);
  });
  assert.deepEqual(rowsOf(text).sort(), rows.sort());
});

test('products sold, with refunds', async () => {
  const { text } = await report({ report: 'products-sold', ...expected, granularity: 'week' });
  const sums = new Map<
    string,
    { q: bigint; bq: bigint; ids: Set<Bought>; net: bigint; back: bigint; names: string[] }
  >();
  for (const p of bought) {
    if (!inside(p.at) || p.status === 'cancelled') continue;
    const whole = p.status === 'refunded' && p.refunds.length === 0;
    for (const line of p.lines) {
      const period = periodOf(dayOf(p.at), 'week');
      const key = JSON.stringify([period, line.productId ?? '', line.productId ? '' : line.name, p.currency]);
      const sum = sums.get(key) ?? { q: 0n, bq: 0n, ids: new Set(), net: 0n, back: 0n, names: [] };
      const parts = p.refunds.flatMap(({ lines }) => lines).filter(({ lineId }) => lineId === line.lineId);
      const back = whole ? amountOf(line) : parts.reduce((n, { amount }) => n + exact(amount), 0n);
      sum.q += exact(line.quantity);
      sum.bq += whole ? exact(line.quantity) : parts.reduce((n, { quantity }) => n + exact(quantity), 0n);
      sum.ids.add(p);
      sum.net += amountOf(line) - back;
      sum.back += back;
      sum.names.push(line.name);
      sums.set(key, sum);
    }
  }
  const rows = [...sums].map(([key, { q, bq, ids, net, back, names }]) => {
    const [period, product, , currency] = JSON.parse(key) as [string, string, string, string];
    const name = product === 'p-1' ? 'Bell' : names.sort().at(-1);
    const money = (value: bigint) => shownDecimal(value, digits[currency]!);
    const counts = [shownDecimal(q, 0), shownDecimal(bq, 0), ids.size];
    return [period, product, name, currency, ...counts, money(net), money(back)].join(',');
  });
  assert.deepEqual(rowsOf(text).sort(), rows.sort());
  const some = { productIds: ['p-1'] };
  const { text: bells } = await report({ report: 'products-sold', ...expected, filters: some, columns: ['name'] });
  assert(rowsOf(bells).length > 0 && rowsOf(bells).every((name) => name === 'Bell'));
});

test('events over time are counted by when they occurred, and merged contacts once', async () => {
  await write('PATCH', '/contacts/external-id/c-0?createContact=true', { email: 'zero@example.com' });
  await write('PATCH', '/contacts/external-id/c-1?createContact=true&mergeContacts=true', {
    email: 'zero@example.com',
  });
  const told = JSON.parse(
    psql(`SELECT json_agg(json_build_array(e.kind, extract(epoch FROM e.occurred_at) * 1000,
                 coalesce(m.into_id, e.contact_id), e.source))
            FROM event e LEFT JOIN merged_contact m USING (account_id, contact_id)
           WHERE e.account_id = ${account} AND e.kind <> 'handover'`),
  ) as [string, number, string | null, string][];
  const counts = (granularity: string, kinds?: string[]) => {
    const found = new Map<string, { events: number; people: Set<string> }>();
    for (const period of kinds ? periods(granularity) : [])
      for (const kind of kinds!) found.set(`${period},${kind}`, { events: 0, people: new Set() });
    for (const [kind, at, contact] of told) {
      if (!inside(at) || (kinds && !kinds.includes(kind))) continue;
      const key = `${periodOf(dayOf(at), granularity)},${kind}`;
      const counted = found.get(key) ?? { events: 0, people: new Set() };
      counted.events += 1;
      if (contact) counted.people.add(contact);
      found.set(key, counted);
    }
    return [...found].map(([key, { events, people }]) => `${key},${events},${people.size}`).sort();
  };
  const { text } = await report({ report: 'events-over-time', ...expected });
  assert.equal(text.split('\n')[0], 'period,kind,events,contacts');
  assert.deepEqual(rowsOf(text), counts('day'));
  assert(rowsOf(text).length > 5);
  const kinds = ['purchase.created', 'custom.none'];
  const { text: named } = await report({
    report: 'events-over-time',
    ...expected,
    granularity: 'week',
    filters: { kinds },
  });
  assert.deepEqual(rowsOf(named), counts('week', kinds));
  const mine = { contact: { externalId: 'c-1' }, kinds: ['purchase.created'] };
  const { text: person } = await report({
    report: 'events-over-time',
    ...expected,
    granularity: 'month',
    filters: mine,
  });
  const of = bought.filter(({ at, contact }) => inside(at) && (contact === 'c-0' || contact === 'c-1'));
  assert.equal(
    rowsOf(person).reduce((sum, row) => sum + Number(row.split(',')[2]), 0),
    of.length,
  );
});

test('days are those of the given time zone, and instants are used as they are', async () => {
  const other = newExporter('Zones');
  const at = '2026-03-29T00:30:00Z'; // this time is 01:30 in Vienna, and the evening before in New York
  const line = { name: 'x', quantity: 1 };
  await other.write('POST', '/purchases/', {
    purchaseId: '1',
    currency: 'EUR',
    total: 7,
    purchasedAt: at,
    contact: null,
    lines: [line],
  });
  const days = async (body: object) =>
    rowsOf(
      (await other.report({ report: 'purchases-over-time', columns: ['period', 'purchases'], ...body })).text,
    ).filter((row) => row.endsWith(',1'));
  const march = { from: '2026-03-01', to: '2026-04-01' };
  assert.deepEqual(await days({ ...march, timeZone: 'America/New_York' }), ['2026-03-28,1']);
  assert.deepEqual(await days({ ...march, timeZone: zone }), ['2026-03-29,1']);
  const exactly = { from: at, to: '2026-03-29T00:30:00.001Z', timeZone: zone };
  assert.deepEqual(await days({ ...exactly, granularity: 'month' }), ['2026-03-01,1']);
  assert.deepEqual(await days({ ...exactly, from: '2026-03-28T00:00:00Z', to: at }), []);
  const { text } = await other.report({
    report: 'purchases-over-time',
    from: '2026-03-29',
    to: '2026-03-30',
    format: 'ndjson',
  });
  assert.deepEqual(JSON.parse(text), {
    period: '2026-03-29',
    currency: 'EUR',
    purchases: 1,
    customers: 0,
    quantity: '1',
    revenue: '7.00',
    refunded: '0.00',
    averageAmount: '7.00',
    cancelled: 0,
  });
});

test('all faults of a report are reported at once', async () => {
  const told = async (body: object) => faults(await send('POST', reports, body));
  assert.deepEqual(await told({}), ['/report required', '/from required', '/to required']);
  const wrong = {
    report: 'people',
    from: 'x',
    to: '2026-13-01',
    granularity: 'hour',
    timeZone: 'Mars',
    groupBy: ['age'],
    x: 1,
  };
  assert.deepEqual((await told({ ...wrong, format: 'xml' })).sort(), [
    '/format not-an-option',
    '/from invalid-format',
    '/granularity not-an-option',
    '/groupBy/0 not-an-option',
    '/report not-an-option',
    '/timeZone invalid-format',
    '/to invalid-format',
    '/x unknown-member',
  ]);
  const sound = { report: 'products-sold', from: '2026-01-01', to: '2026-02-01' };
  assert.deepEqual(await told({ ...sound, groupBy: ['status'], filters: { tags: ['vip'], kinds: ['x'] } }), [
    '/groupBy/0 not-an-option',
    '/filters/tags unknown-member',
    '/filters/kinds unknown-member',
  ]);
  assert.deepEqual(await told({ ...sound, to: '2026-01-01' }), ['/to conflicts-with']);
  assert.deepEqual(await told({ ...sound, to: '2026-02-01T00:00:00Z' }), ['/to conflicts-with']);
  assert.deepEqual(await told({ ...sound, to: '2027-01-03' }), ['/to out-of-range']);
  assert.deepEqual(await told({ ...sound, from: '2016-01-01', granularity: 'month' }), ['/to out-of-range']);
  assert.deepEqual(await told({ ...sound, columns: ['period', 'created'] }), ['/columns/1 not-an-option']);
  assert.deepEqual(await told({ ...sound, report: 'events-over-time', from: '2020-01-01', to: '2020-02-01' }), [
    '/from out-of-range',
  ]);
  const nobody = { ...sound, filters: { contact: { externalId: 'nobody' } } };
  await expectProblem(await send('POST', reports, nobody), 422, 'contact-not-found');
  assert.deepEqual(await faults(await send('POST', '/exports/', { type: 'data-explorer' })), ['/type not-an-option']);
});

test('a report needs the scope to read its data, and another store cannot see it', async () => {
  const key = keyFor('exports:write,exports:read,purchases:read');
  for (const name of ['products-sold', 'contacts-growth', 'events-over-time'])
    await expectProblem(await send('POST', reports, { report: name, ...expected }, as(key)), 403, 'scope-missing');
  const answer = await send('POST', reports, { report: 'purchases-over-time', ...expected }, as(key));
  assert.equal(answer.status, 201);
  const { id } = (await answer.json()) as { id: string };
  assert.equal(answer.headers.get('location'), `/exports/${id}`);
  const stranger = newStore('No reports');
  assert.equal((await stranger.send('GET', `/exports/${id}`)).status, 404);
  const listed = (await (await send('GET', '/exports/?type=data-explorer&limit=500')).json()) as {
    data: { type: string; report: string }[];
  };
  assert(listed.data.length > 3 && listed.data.every(({ type, report }) => type === 'data-explorer' && report));
  assert.equal((await send('POST', `/manage/exports/${id}/cancel`)).status, 200);
  assert.equal((await send('DELETE', `/exports/${id}`)).status, 204);
  const other = newExporter('Nothing sold');
  const { text } = await other.report({ report: 'purchases-over-time', ...expected, granularity: 'month' });
  assert(rowsOf(text).every((row) => row.endsWith(',EUR,0,0,0,0.00,0.00,,0')));
});

test('the command writes the same report', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'report-'));
  try {
    const target = join(directory, 'weeks.csv');
    const wish = ['--report', 'purchases-over-time', '--from', from, '--to', to, '--granularity', 'week'];
    const ran = shopbell(['export', 'report', '-o', target, '--account', account, ...wish, '--group-by', 'status']);
    assert.equal(ran.status, 0, ran.stderr);
    const body = { report: 'purchases-over-time', ...expected, granularity: 'week', groupBy: ['status'] };
    assert.equal(readFileSync(target, 'utf8'), (await report(body)).text);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
