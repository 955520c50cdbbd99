// Reports about workflows and coupons over the API.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';

import { as, newExporter, reports, rowsOf, withEventsOf } from './exporter.ts';
import { expectProblem, newStore, psql } from './support.ts';

const { send, account, report, write, keyFor } = newExporter('Workflow reports');
await write('PATCH', '/manage/store', { timeZone: 'Europe/Vienna' });
const day = (n: number) => new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10);
const [from, to] = [day(20), day(17)];
const periods = [day(20), day(19), day(18)];
withEventsOf([day(21), ...periods, to]);

const newWorkflow = async (alias: string) => {
  const nodes = [{ id: 'end', type: 'exit' }];
  const flow = await write('POST', '/manage/workflows/', {
    alias,
    name: `=Name of ${alias}`,
    trigger: { event: 'purchase.deleted' },
    nodes,
  });
  await write('POST', `/manage/workflows/${flow!.id}/publish`);
  return flow!.id;
};
/** An event at noon of that day. */
const insertEvent = (date: string, kind: string, workflow: string, of = account) =>
  psql(`INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, received_at, trigger, hops, source,
      payload)
    VALUES (${of}, gen_random_uuid(), 1, gen_random_uuid(), '${kind}', 1, now(), '${date} 12:00+00', 'none', 0, 'test',
      '{"workflowId":"${workflow}"}')`);

test('workflow-performance counts runs by workflow and period', async () => {
  const [one, two] = [await newWorkflow('one'), await newWorkflow('two')];
  await newWorkflow('idle');
  for (const kind of ['entered', 'entered', 'exited', 'converted']) insertEvent(periods[0]!, `workflow.${kind}`, one);
  insertEvent(periods[2]!, 'workflow.completed', one);
  insertEvent(periods[2]!, 'message.sent', one);
  insertEvent(periods[2]!, 'message.unsubscribed', one);
  insertEvent(periods[1]!, 'workflow.entered', two);
  insertEvent(day(21), 'workflow.entered', one);
  insertEvent(to, 'workflow.entered', one);
  insertEvent(periods[1]!, 'workflow.entered', one, newStore('Other reports').account);
  const { text } = await report({ report: 'workflow-performance', from, to });
  const [header] = text.split('\n');
  assert.equal(header, 'period,workflow,name,entered,completed,exited,converted,sent,unsubscribed,revenue');
  assert.deepEqual(rowsOf(text), [
    `${periods[0]},one,'=Name of one,2,0,1,1,0,0,0.00`,
    `${periods[0]},two,'=Name of two,0,0,0,0,0,0,0.00`,
    `${periods[1]},one,'=Name of one,0,0,0,0,0,0,0.00`,
    `${periods[1]},two,'=Name of two,1,0,0,0,0,0,0.00`,
    `${periods[2]},one,'=Name of one,0,1,0,0,1,1,0.00`,
    `${periods[2]},two,'=Name of two,0,0,0,0,0,0,0.00`,
  ]);
});

test('workflow-performance sums up the revenue by the time of the purchase', async () => {
  const [earns, other] = [await newWorkflow('earns'), await newWorkflow('earns-too')];
  const attribute = (workflow: string, date: string, amount: string) =>
    psql(`WITH bought AS (
        INSERT INTO purchase (account_id, purchase_id, store_id, lane, purchased_at, status, currency, net_total,
            store_amount, data, content_hash, created_at, updated_at)
          VALUES (${account}, gen_random_uuid(), '${randomUUID()}', 1, '${date} 12:00+00', 'paid', 'EUR', ${amount},
            ${amount}, '{}', 'x', now(), now())
          RETURNING account_id, store_id, purchase_id, version, store_amount)
      INSERT INTO purchase_attribution (account_id, store_id, purchase_id, version, rule, workflow_id, run_id, amount)
        SELECT account_id, store_id, purchase_id, version, 'goal', '${workflow}', gen_random_uuid(), store_amount
          FROM bought`);
  attribute(earns, periods[0]!, '10.5');
  attribute(earns, periods[0]!, '0.25');
  attribute(earns, periods[2]!, '3');
  attribute(earns, to, '99');
  attribute(other, day(21), '99');
  const { text } = await report({ report: 'workflow-performance', from, to });
  const rows = rowsOf(text).filter((row) => row.includes('earns'));
  assert.deepEqual(
    rows.map((row) => [row.split(',')[0], row.split(',')[1], row.split(',').at(-1)]),
    [
      [periods[0], 'earns', '10.75'],
      [periods[1], 'earns', '0.00'],
      [periods[2], 'earns', '3.00'],
    ],
  );
});

test('coupon-usage counts assigned and redeemed codes', async () => {
  const sets = new Map<string, string>();
  for (const alias of ['ten', 'twenty']) {
    const set = await write('POST', '/manage/coupon-sets/', { alias, name: `Set ${alias}`, kind: 'unique' });
    sets.set(alias, set!.id);
  }
  const ten = sets.get('ten');
  const claim = (date: string) =>
    psql(`INSERT INTO coupon_claim (account_id, claim_id, coupon_set_id, code_key, claimed_at)
      VALUES (${account}, gen_random_uuid(), '${ten}', '${randomUUID()}', '${date} 12:00+00')`);
  for (const date of [periods[0]!, periods[0]!, periods[1]!, day(21), to]) claim(date);
  const sold = {
    purchaseId: 'p-1',
    contact: { email: 'eva@bell.example' },
    currency: 'EUR',
    total: '5',
    lines: [{ name: 'Bell', quantity: 1 }],
  };
  const { id: purchaseId } = (await write('POST', '/purchases/?createContact=true', sold))!;
  psql(`INSERT INTO coupon_redemption (account_id, purchase_id, code_key, coupon_set_id, by_other, redeemed_at)
    VALUES (${account}, '${purchaseId}', 'a', '${ten}', false, '${periods[1]} 12:00+00'),
           (${account}, '${purchaseId}', 'b', '${ten}', true, '${periods[1]} 12:00+00')`);
  const { text } = await report({ report: 'coupon-usage', from, to });
  assert.equal(text.split('\n')[0], 'period,couponSet,name,assigned,redeemed,byOther');
  const zero = (period: string, set: string) => `${period},${set},Set ${set},0,0,0`;
  assert.deepEqual(rowsOf(text), [
    `${periods[0]},ten,Set ten,2,0,0`,
    zero(periods[0]!, 'twenty'),
    `${periods[1]},ten,Set ten,1,2,1`,
    zero(periods[1]!, 'twenty'),
    zero(periods[2]!, 'ten'),
    zero(periods[2]!, 'twenty'),
  ]);
  const only = await report({ report: 'coupon-usage', from, to, filters: { couponSet: 'twenty' } });
  assert.deepEqual(
    rowsOf(only.text),
    periods.map((period) => zero(period, 'twenty')),
  );
});

test('the reports need the scope of their data', async () => {
  const key = keyFor('exports:write,exports:read,purchases:read');
  for (const name of ['workflow-performance', 'coupon-usage'])
    await expectProblem(await send('POST', reports, { report: name, from, to }, as(key)), 403, 'scope-missing');
});
