// Revenue of workflows: which purchases are attributed to them, and the sums of their amounts.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { newAutomation } from './automation.ts';
import { eventually, psql } from './support.ts';

const shop = newAutomation('Revenue');
const { account, done, publish, eventType, person, rows, contactId } = shop;
await shop.prepare();
await done('POST', '/manage/coupon-sets/', { alias: 'gifts', name: 'Gifts', kind: 'unique' });
const codes = Array.from({ length: 50 }, (_, i) => `GIFT-${i}`);
await done('POST', '/manage/coupon-sets/gifts/codes', { codes });
await done('POST', '/manage/coupon-sets/', { alias: 'shared', name: 'Shared', kind: 'shared', code: 'WELCOME' });

const start = await eventType();
const goal = { event: 'purchase.created', within: 'P7D' };
const gift = (couponSet = 'gifts') => ({ id: 'gift', type: 'coupon', couponSet, as: 'gift' });
const end = { id: 'end', type: 'exit' };

let orders = 0;
const newId = () => `revenue-${++orders}`;
const lines = [{ lineId: '1', productId: 'p', quantity: '1', total: '10' }];
/** Sends the purchase, or replaces it. */
const buy = (email: string | null, purchaseId: string, body: object = {}) =>
  done('POST', '/purchases/?ifExists=replace', {
    purchaseId,
    contact: email === null ? null : { email },
    currency: 'EUR',
    total: '10',
    lines,
    ...body,
  });
const refund = (amount: string) => ({ refunds: [{ refundId: 'r', amount }], status: 'partiallyRefunded' });
const shown = async (purchaseId: string) => (await done('GET', `/purchases/purchase-id/${purchaseId}`)).attributedTo;
const rule = async (purchaseId: string) => (await shown(purchaseId))?.rule ?? null;
const revenue = async (flow: string) => (await done('GET', `/workflows/${flow}`)).stats.revenue.amount as string;
const earns = (flow: string, amount: string) => eventually(async () => (await revenue(flow)) === amount, 30);
const codesOf = (email: string) =>
  rows(`SELECT c.code FROM coupon_claim k JOIN coupon c USING (account_id, code_key)
         WHERE account_id = ${account} AND contact_id = '${contactId(email)}' ORDER BY claimed_at`);
/** Starts the workflows of the event type for a contact. Returns the code that a coupon node then gives. */
const give = async (type: { happen: (email: string) => Promise<unknown> }, email: string) => {
  const before = rows(`SELECT 1 FROM contact WHERE account_id = ${account} AND email = '${email}'`).length;
  const had = before ? codesOf(email).length : 0;
  await type.happen(email);
  return eventually(() => codesOf(email)[had], 30);
};

const marker = await eventType();
const marks = await publish({ trigger: { event: marker.kind }, reentry: { mode: 'always' }, nodes: [end] });
/** Waits until the lanes have processed everything that happened to the contact. */
const settled = async (email: string) => {
  const passed = () =>
    rows(`SELECT 1 FROM run_history WHERE workflow_id = '${marks}' AND contact_id = '${contactId(email)}'`).length;
  const before = passed();
  await marker.happen(email);
  await eventually(() => passed() > before, 30);
};
const started = async (flow: string, email: string) =>
  eventually(
    () => rows(`SELECT 1 FROM run WHERE workflow_id = '${flow}' AND contact_id = '${contactId(email)}'`).length > 0,
    30,
  );

test('a purchase with the code of a run is attributed to the node that gave it, before any goal', async () => {
  const giver = await publish({ trigger: { event: start.kind }, nodes: [gift()] });
  const aimer = await publish({ trigger: { event: start.kind }, goal, nodes: [end] });
  const [email, id] = [person(), newId()];
  const code = await give(start, email);
  await started(aimer, email);
  await buy(email, id, { couponCodes: [code] });
  await earns(giver, '10.00');
  assert.deepEqual(await shown(id), { workflowId: giver, nodeId: 'gift', messageId: null, rule: 'coupon' });
  assert.equal(await revenue(aimer), '0.00');
  const listed = (await done('GET', '/workflows/')).data.find((one: any) => one.id === giver);
  assert.deepEqual(listed.stats.revenue, { amount: '10.00', currency: 'EUR' });
  const numbers = await done('GET', `/manage/workflows/${giver}/numbers`);
  assert.deepEqual(numbers.revenue, { amount: '10.00', currency: 'EUR' });
  assert.deepEqual(
    numbers.nodes.map((one: any) => [one.node, one.revenue.amount]),
    [['gift', '10.00']],
  );
  const page = await done('GET', `/manage/purchases/?contactId=${contactId(email)}`);
  assert.deepEqual(
    page.data.map((one: any) => one.attributedTo.workflowId),
    [giver],
  );
  for (const one of [giver, aimer]) await done('POST', `/manage/workflows/${one}/finish?mode=stop`);
});

test('a goal attributes a purchase within its time only, to the run that started last', async () => {
  const [first, last] = [await eventType(), await eventType()];
  const early = await publish({ trigger: { event: first.kind }, goal, nodes: [end] });
  const late = await publish({ trigger: { event: last.kind }, goal: { ...goal, within: 'PT4S' }, nodes: [end] });
  const [one, two] = [person(), person()];
  const [inTime, tooLate, other] = [newId(), newId(), newId()];
  await first.happen(one);
  await started(early, one);
  await last.happen(one);
  await started(late, one);
  await buy(one, inTime);
  await earns(late, '10.00');
  assert.deepEqual(await shown(inTime), { workflowId: late, nodeId: null, messageId: null, rule: 'goal' });
  await buy(one, other);
  await last.happen(two);
  await started(late, two);
  await sleep(4500);
  await buy(two, tooLate);
  await settled(one);
  await settled(two);
  assert.deepEqual([await rule(other), await rule(tooLate)], [null, null]);
  assert.deepEqual([await revenue(early), await revenue(late)], ['0.00', '10.00']);
});

test('the amount follows refunds, replacements, cancellation and deletion', async () => {
  const type = await eventType();
  const flow = await publish({ trigger: { event: type.kind }, goal, nodes: [end] });
  const [email, id] = [person(), newId()];
  await type.happen(email);
  await started(flow, email);
  await buy(email, id);
  await earns(flow, '10.00');
  await buy(email, id, refund('4'));
  await earns(flow, '6.00');
  const answer = await buy(email, id, { total: '25.5', lines: [{ ...lines[0], total: '25.5' }] });
  assert.equal(answer.attributedTo.workflowId, flow);
  await earns(flow, '25.50');
  await buy(email, id, { status: 'cancelled' });
  await earns(flow, '0.00');
  assert.equal(await rule(id), 'goal');
  await buy(email, id);
  await earns(flow, '10.00');
  await done('DELETE', `/purchases/purchase-id/${id}`);
  await earns(flow, '0.00');
  assert.deepEqual(rows(`SELECT 1 FROM purchase_attribution WHERE account_id = ${account} AND store_id = '${id}'`), []);
  // A new purchase of the same id is another one.
  await buy(email, id);
  await settled(email);
  assert.equal(await rule(id), null);
});

test('a code takes a purchase over from a goal, and from the code of another workflow', async () => {
  const [aims, gives, givesToo] = [await eventType(), await eventType(), await eventType()];
  const aimer = await publish({ trigger: { event: aims.kind }, goal, nodes: [end] });
  const giver = await publish({ trigger: { event: gives.kind }, nodes: [gift()] });
  const other = await publish({ trigger: { event: givesToo.kind }, nodes: [gift()] });
  const [email, id] = [person(), newId()];
  await aims.happen(email);
  await started(aimer, email);
  const [code, second] = [await give(gives, email), await give(givesToo, email)];
  await buy(email, id);
  await earns(aimer, '10.00');
  await buy(email, id, { couponCodes: [code] });
  await earns(giver, '10.00');
  assert.equal(await revenue(aimer), '0.00');
  await buy(email, id, { couponCodes: [second] });
  await earns(other, '10.00');
  assert.equal(await revenue(giver), '0.00');
  // Without a code it stays.
  await buy(email, id, { total: '11' });
  await earns(other, '11.00');
});

test('foreign purchases count in the currency of the store', async () => {
  const type = await eventType();
  const flow = await publish({ trigger: { event: type.kind }, nodes: [gift()] });
  const [email, id, unknown] = [person(), newId(), newId()];
  const [code, second] = [await give(type, email), await give(type, email)];
  const dollars = { currency: 'USD', total: '20', lines: [{ ...lines[0], total: '20' }] };
  await buy(email, id, { ...dollars, storeTotal: '18', couponCodes: [code], ...refund('5') });
  await earns(flow, '13.50');
  await buy(email, unknown, { ...dollars, couponCodes: [second] });
  await eventually(async () => (await rule(unknown)) === 'coupon', 30);
  assert.equal(await revenue(flow), '13.50');
});

test('codes of a set with one code for all count only after a run gave it', async () => {
  const type = await eventType();
  const flow = await publish({ trigger: { event: type.kind }, nodes: [gift('shared')] });
  const [email, before, after, stranger] = [person(), newId(), newId(), newId()];
  await marker.happen(email);
  await buy(email, before, { couponCodes: ['WELCOME'] });
  const code = await give(type, email);
  await buy(email, before, { couponCodes: ['WELCOME'], ...refund('1') });
  await buy(email, after, { couponCodes: [code.toLowerCase()] });
  const other = person();
  await marker.happen(other);
  await buy(other, stranger, { couponCodes: ['WELCOME'] });
  await earns(flow, '10.00');
  await settled(email);
  await settled(other);
  assert.deepEqual(await Promise.all([before, after, stranger].map(rule)), [null, 'coupon', null]);
});

test('codes count whoever redeems them: friends, unknown people, and after an erasure', async () => {
  const type = await eventType();
  const flow = await publish({ trigger: { event: type.kind }, reentry: { mode: 'always' }, nodes: [gift()] });
  const [email, friend] = [person(), person()];
  const [byFriend, unknown] = [newId(), newId()];
  const [code, second] = [await give(type, email), await give(type, email)];
  await marker.happen(friend);
  await buy(friend, byFriend, { couponCodes: [code] });
  await earns(flow, '10.00');
  await buy(null, unknown, { couponCodes: [second] });
  await earns(flow, '20.00');
  await buy(null, unknown, { couponCodes: [second], ...refund('2.5') });
  await earns(flow, '17.50');
  for (const one of [email, friend]) await done('DELETE', `/contacts/email/${one}`);
  await buy(null, byFriend, { couponCodes: [code], ...refund('10') });
  await earns(flow, '7.50');
  assert.equal(await rule(byFriend), 'coupon');
});

test('an attribution survives the merge of its contact', async () => {
  const type = await eventType();
  const flow = await publish({ trigger: { event: type.kind }, goal, nodes: [gift()] });
  const [email, survivor] = [person(), person()];
  const [byGoal, byCode] = [newId(), newId()];
  const code = await give(type, email);
  await started(flow, email);
  await buy(email, byGoal);
  await earns(flow, '10.00');
  const externalId = randomUUID();
  await done('PATCH', `/contacts/email/${survivor}?createContact=true`, { externalId });
  await done('PATCH', `/contacts/external-id/${externalId}?mergeContacts=true`, { email });
  const buyer = { contact: { externalId } };
  await buy(null, byGoal, { ...buyer, ...refund('1') });
  await earns(flow, '9.00');
  await buy(null, byCode, { ...buyer, couponCodes: [code] });
  await earns(flow, '19.00');
  assert.deepEqual([await rule(byGoal), await rule(byCode)], ['goal', 'coupon']);
});

test('an event of a contact that is merged meanwhile converts a run of the other', async () => {
  const type = await eventType();
  const flow = await publish({ trigger: { event: type.kind }, goal, nodes: [end] });
  const [email, id] = [person(), newId()];
  await type.happen(email);
  await started(flow, email);
  await buy(null, id);
  // As the lane of a merged contact passes it on.
  const event = JSON.stringify({
    id: randomUUID(),
    kind: 'purchase.created',
    occurredAt: new Date().toISOString(),
    receivedAt: new Date().toISOString(),
    contactId: contactId(email),
    data: {},
  });
  psql(`INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
        SELECT account_id, gen_random_uuid(), lane, contact_id, 'forward', 1, now(), 'all', 0, 'workflow',
               '{"event": ${event}, "purchase": "${id}"}'
          FROM contact WHERE account_id = ${account} AND contact_id = '${contactId(email)}'`);
  await earns(flow, '10.00');
});

test('events that come twice change nothing', async () => {
  const type = await eventType();
  const flow = await publish({ trigger: { event: type.kind }, goal, nodes: [gift()] });
  const [email, id] = [person(), newId()];
  await give(type, email);
  await started(flow, email);
  await buy(email, id);
  await earns(flow, '10.00');
  const numbers = `SELECT count(*), sum(amount), sum(people) FROM workflow_number WHERE workflow_id = '${flow}'`;
  await eventually(() => rows(`SELECT 1 FROM count_delta WHERE workflow_id = '${flow}'`).length === 0, 30);
  const before = psql(numbers);
  psql(`INSERT INTO event (account_id, uid, lane, contact_id, contact_seq, subject, kind, format, occurred_at, trigger, hops,
                           source, payload)
        SELECT account_id, gen_random_uuid(), lane, contact_id, contact_seq, subject, kind, format, occurred_at, trigger, hops,
               source, payload
          FROM event WHERE account_id = ${account} AND subject = '${id}'`);
  await settled(email);
  assert.equal(psql(numbers), before);
});

test('another account sees nothing of it', async () => {
  const other = newAutomation('Other revenue');
  await other.prepare();
  const type = await eventType();
  const theirs = await other.eventType();
  const flow = await publish({ trigger: { event: type.kind }, goal, nodes: [end] });
  const empty = await other.publish({ trigger: { event: theirs.kind }, goal, nodes: [end] });
  const [email, id] = [person(), newId()];
  await type.happen(email);
  await started(flow, email);
  await theirs.happen('somebody@else.example');
  await other.purchase('somebody@else.example', { purchaseId: `not-${id}` });
  await eventually(async () => (await other.done('GET', `/workflows/${empty}`)).stats.revenue.amount === '10.00', 30);
  await other.purchase('anybody@else.example', { purchaseId: id, contact: null });
  await buy(email, id);
  await earns(flow, '10.00');
  assert.equal((await other.done('GET', `/purchases/purchase-id/${id}`)).attributedTo, null);
  assert.equal((await other.done('GET', `/workflows/${empty}`)).stats.revenue.amount, '10.00');
});

test('the sums are those of the purchases', () => {
  const sums = (sql: string) =>
    rows(`SELECT workflow_id, sum(amount) ${sql} GROUP BY 1 HAVING sum(amount) <> 0 ORDER BY 1`);
  const attributed = sums(`FROM purchase_attribution WHERE account_id = ${account}`);
  assert.deepEqual(sums(`FROM workflow_number WHERE account_id = ${account} AND node = ''`), attributed);
  assert(attributed.length >= 6);
});
