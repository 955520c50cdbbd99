// Published workflows run: messages, coupons, changes and events of runs, in a store's test account.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { newAutomation } from './automation.ts';
import { eventually, psql } from './support.ts';

const shop = newAutomation('Running workflows');
const { live, account, liveKey, done, publish, eventType, person, rows } = shop;
const { contactId, messagesOf, endsOf, openRuns, kindsOf } = shop;
await shop.prepare();

test('a forgotten cart gets a reminder and an offer with a code, a bought one gets none', async () => {
  const cart = await eventType();
  const flow = await publish({
    trigger: { event: cart.kind, key: 'event.data.cartId' },
    reentry: { mode: 'restart', until: 'firstSend', releaseAfter: 'P30D' },
    exitOn: [{ event: 'purchase.created' }],
    nodes: [
      { id: 'pause', type: 'wait', for: 'PT2S', next: 'remind' },
      { id: 'remind', type: 'email', template: 'reminder', class: 'marketing', next: 'day' },
      {
        id: 'day',
        type: 'waitForEvent',
        events: [{ event: 'message.clicked', next: 'done' }],
        timeout: 'PT1S',
        onTimeout: 'gift',
      },
      { id: 'gift', type: 'coupon', couponSet: 'ten', as: 'coupon', next: 'offer', onEmpty: 'done' },
      { id: 'offer', type: 'email', template: 'offer', class: 'marketing', next: 'done' },
      { id: 'done', type: 'exit' },
    ],
  });
  const [forgetful, buyer] = [person(), person()];
  await cart.happen(forgetful, { cartId: 'a' });
  await cart.happen(buyer, { cartId: 'b' });
  await shop.purchase(buyer);
  await eventually(() => endsOf(flow).length === 2, 30);
  assert.deepEqual(endsOf(flow), ['exit', 'completed']);
  assert.deepEqual(messagesOf(forgetful), ['reminder sent', 'offer sent']);
  assert.deepEqual(messagesOf(buyer), []);
  const claimed = rows(`SELECT count(*) FROM coupon_claim WHERE account_id = ${account}
                          AND contact_id = '${contactId(forgetful)}'`);
  assert.deepEqual(claimed, ['1']);
  const kinds = kindsOf(forgetful);
  for (const kind of ['workflow.entered', 'message.planned', 'message.sent', 'coupon.assigned', 'workflow.completed'])
    assert(kinds.includes(kind), `${kind} in ${kinds}`);
});

test('each change of the cart starts the wait again', async () => {
  const cart = await eventType();
  const flow = await publish({
    trigger: { event: cart.kind, key: 'event.data.cartId' },
    reentry: { mode: 'restart', until: 'firstSend', releaseAfter: 'P30D' },
    nodes: [
      { id: 'pause', type: 'wait', for: 'PT3S', next: 'remind' },
      { id: 'remind', type: 'email', template: 'reminder', class: 'marketing' },
    ],
  });
  const email = person();
  const from = Date.now();
  await cart.happen(email, { cartId: 'a' });
  for (let i = 0; i < 3; ++i) {
    await sleep(1000);
    await cart.happen(email, { cartId: 'a' });
  }
  await eventually(() => endsOf(flow).length === 1, 30);
  assert(Date.now() - from >= 6000, 'the reminder came too early');
  assert.deepEqual(messagesOf(email), ['reminder sent']);
});

test('steps change the contact, look up objects and cause events, and other workflows see them', async () => {
  const [first, second] = [await eventType(), await eventType([{ id: 'product', name: 'Product', type: 'text' }])];
  await done('PATCH', '/products/product-id/shirt', {
    name: 'Shirt',
    url: 'https://shop.example/shirt',
    price: '19.90',
  });
  const flow = await publish({
    trigger: { event: first.kind },
    nodes: [
      { id: 'look', type: 'lookup', product: 'trigger.data.cartId', as: 'product', next: 'tag', onMissing: 'tag' },
      { id: 'tag', type: 'updateContact', set: { tags: ['vip'], company: { ref: 'vars.product.name' } }, next: 'tell' },
      { id: 'tell', type: 'event', event: second.kind, payload: { product: { ref: 'vars.product.name' } } },
    ],
  });
  const follower = await publish({
    trigger: { event: second.kind, where: { value: 'event.data.product', op: 'eq', to: 'Shirt' } },
    nodes: [{ id: 'mail', type: 'email', template: 'note', class: 'transactional' }],
  });
  const email = person();
  await first.happen(email, { cartId: 'shirt' });
  await eventually(() => endsOf(follower).length === 1, 30);
  assert.deepEqual(endsOf(flow), ['completed']);
  const contact = await done('GET', `/contacts/email/${email}`);
  assert.deepEqual([contact.tags, contact.company], [['vip'], 'Shirt']);
  assert.deepEqual(messagesOf(email), ['note sent']);
  assert(kindsOf(email).includes('contact.updated'));
});

test('a run that waits for its goal ends when the time of the goal is over', async () => {
  const begin = await eventType();
  const flow = await publish({
    trigger: { event: begin.kind },
    goal: { event: 'purchase.created', within: 'PT2S' },
    nodes: [{ id: 'done', type: 'exit' }],
  });
  const email = person();
  await begin.happen(email);
  await eventually(() => endsOf(flow).length === 1, 30);
  assert.deepEqual(endsOf(flow), ['completed']);
  assert.equal(psql(`SELECT count(*) FROM run WHERE workflow_id = '${flow}'`), '0');
  // The person left the workflow when the run came to its last node.
  const left = psql(`SELECT ended_at < started_at + interval '2 s' FROM enrolment WHERE workflow_id = '${flow}'`);
  assert.equal(left, 't');
});

test('a message without consent is suppressed, and the run goes on', async () => {
  const cart = await eventType();
  const flow = await publish({
    trigger: { event: cart.kind },
    nodes: [{ id: 'mail', type: 'email', template: 'note', class: 'marketing' }],
  });
  const email = person();
  await done('POST', `/custom-events/alias/${cart.alias}?createContact=true`, { contact: { email }, payload: {} });
  await eventually(() => endsOf(flow).length === 1, 30);
  assert.deepEqual(messagesOf(email), ['note suppressed no-consent']);
});

test('in a live account a message waits until it is too late', async () => {
  const alias = 'live-flow';
  await done('POST', '/manage/templates/', { alias: 'note', name: 'note' }, liveKey);
  const made = await done(
    'POST',
    '/manage/workflows/',
    {
      alias,
      name: alias,
      trigger: { event: 'contact.created' },
      nodes: [{ id: 'mail', type: 'email', template: 'note', class: 'transactional' }],
    },
    liveKey,
  );
  await done('POST', `/manage/workflows/${made.id}/publish`, undefined, liveKey);
  await done('PATCH', `/contacts/email/${person()}?createContact=true`, { firstName: 'Ann' }, liveKey);
  await eventually(() => rows(`SELECT state FROM message WHERE account_id = ${live}`).length === 1, 30);
  const waits = `SELECT state FROM message WHERE account_id = ${live} AND due_at > now() + interval '20 hours'`;
  await eventually(() => rows(waits).length === 1, 30);
  psql(`UPDATE message SET planned_at = planned_at - interval '25 hours', due_at = now() WHERE account_id = ${live}`);
  await eventually(() => psql(`SELECT reason FROM message WHERE account_id = ${live}`) === 'late', 30);
});

test('an erased contact leaves no rows, a merged one hands its enrolments over', async () => {
  const cart = await eventType();
  const flow = await publish({
    trigger: { event: cart.kind },
    reentry: { mode: 'once' },
    nodes: [
      { id: 'pause', type: 'wait', for: 'P1D', next: 'mail' },
      { id: 'mail', type: 'email', template: 'note', class: 'marketing' },
    ],
  });
  const [erased, merged, survivor] = [person(), person(), person()];
  for (const email of [erased, merged]) await cart.happen(email, { cartId: 'a' });
  await eventually(() => openRuns(flow) === 2, 30);
  const [erasedId, mergedId] = [contactId(erased), contactId(merged)];
  await done('DELETE', `/contacts/email/${erased}`);
  await done('PATCH', `/contacts/email/${survivor}?createContact=true`, { externalId: randomUUID() });
  const { externalId } = await done('GET', `/contacts/email/${survivor}`);
  await done('PATCH', `/contacts/external-id/${externalId}?mergeContacts=true`, { email: merged });
  await eventually(() => openRuns(flow) === 0, 30);
  const left = (id: string) =>
    rows(`SELECT 'run' FROM run WHERE contact_id = '${id}' UNION ALL SELECT 'enrolment' FROM enrolment
           WHERE contact_id = '${id}'`);
  assert.deepEqual(left(erasedId), []);
  await eventually(() => left(mergedId).length === 0, 30);
  assert.deepEqual(endsOf(flow), ['merged']);
  // The person was in this workflow once.
  await cart.happen(merged, { cartId: 'b' });
  await eventually(
    () =>
      psql(`SELECT sum(delta) FROM (SELECT delta FROM count_delta WHERE workflow_id = '${flow}' AND counter = 'refused.reentry'
            UNION ALL SELECT people FROM node_count WHERE workflow_id = '${flow}' AND counter = 'refused.reentry') c`) ===
      '1',
    30,
  );
  assert.equal(openRuns(flow), 0);
});

test('a workflow that feeds its own trigger is stopped and parked', async () => {
  const loop = await eventType();
  const flow = await publish({
    trigger: { event: loop.kind },
    reentry: { mode: 'always' },
    nodes: [{ id: 'again', type: 'event', event: loop.kind, payload: { cartId: 'x' } }],
  });
  const email = person();
  await loop.happen(email, { cartId: 'a' });
  const parked = () =>
    rows(`SELECT why FROM run WHERE account_id = ${account} AND workflow_id = '${flow}' AND state = 'parked'`);
  await eventually(() => parked().length === 1, 30);
  assert.match(parked()[0]!, /start each other/);
  assert(kindsOf(email).filter((kind) => kind === loop.kind).length <= 9);
});

test('workflows that start each other by their messages and ends are stopped', async () => {
  const begin = await eventType();
  const first = await publish({
    trigger: { event: begin.kind },
    nodes: [{ id: 'mail', type: 'email', template: 'note', class: 'transactional' }],
  });
  const again = await publish({
    trigger: { event: 'message.sent', where: { value: 'event.data.template', op: 'eq', to: 'note' } },
    reentry: { mode: 'always' },
    nodes: [{ id: 'mail', type: 'email', template: 'note', class: 'transactional' }],
  });
  const ping = await publish({
    trigger: { event: 'workflow.completed', where: { value: 'event.data.workflowId', op: 'ne', to: first } },
    reentry: { mode: 'always' },
    nodes: [{ id: 'done', type: 'exit' }],
  });
  const email = person();
  await begin.happen(email);
  const refused = (flow: string) =>
    Number(
      psql(`SELECT coalesce(sum(people), 0) FROM workflow_number WHERE workflow_id = '${flow}'
                   AND counter = 'refused.loop'`),
    );
  await eventually(() => refused(ping) >= 1, 30);
  const isOver = () =>
    refused(again) + rows(`SELECT 1 FROM run WHERE workflow_id = '${again}' AND state = 'parked'`).length >= 1;
  await eventually(isOver, 30);
  assert(messagesOf(email).length <= 9, `${messagesOf(email).length} messages`);
});
