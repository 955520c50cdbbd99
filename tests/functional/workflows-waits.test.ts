// Workflows that wait: for products, for schedules, for messages; and what they look up meanwhile.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';

import { eventually, psql } from './support.ts';
import { newAutomation } from './automation.ts';

const shop = newAutomation('Waiting workflows');
const { done, publish, eventType, person, endsOf, openRuns, messagesOf, contactId, rows, account } = shop;
await shop.prepare();

const product = (id: string, body: object) =>
  done('PATCH', `/products/product-id/${id}`, { name: id, url: `https://shop.example/${id}`, ...body });
const mail = { id: 'mail', type: 'email', template: 'note', class: 'transactional' };

test('people who wait for a product are woken in turn, as many as the stock allows', async () => {
  const wish = await eventType([{ id: 'cartId', name: 'Product', type: 'text' }]);
  await product('sofa', { stock: 0 });
  const flow = await publish({
    trigger: { event: wish.kind },
    nodes: [
      {
        id: 'stock',
        type: 'waitForEvent',
        events: [
          {
            event: 'product.back-in-stock',
            subject: { product: 'trigger.data.cartId' },
            release: { perUnit: 1 },
            next: 'mail',
          },
        ],
        timeout: 'P30D',
      },
      mail,
    ],
  });
  const people = [person(), person(), person()];
  for (const [i, email] of people.entries()) {
    await wish.happen(email, { cartId: 'sofa' });
    await eventually(() => openRuns(flow) === i + 1, 30);
  }
  await product('sofa', { stock: 2 });
  await eventually(() => endsOf(flow).length === 2, 30);
  assert.deepEqual(people.map(messagesOf), [['note sent'], ['note sent'], []]);
  assert.equal(openRuns(flow), 1);
});

test('a schedule starts the contacts for whom its condition holds, once a day', async () => {
  const flow = await publish({
    trigger: {
      schedule: {
        at: '09:00',
        zone: 'contact',
        every: 'day',
        where: { value: 'contact.company', op: 'eq', to: 'Bakery' },
      },
      key: 'schedule.date',
    },
    nodes: [mail],
  });
  const [baker, viennese, butcher] = [person(), person(), person()];
  const create = (email: string, body: object) => done('PATCH', `/contacts/email/${email}?createContact=true`, body);
  await create(baker, { company: 'Bakery' });
  await create(viennese, { company: 'Bakery', timeZone: 'Europe/Vienna' });
  await create(butcher, { company: 'Butcher' });
  const planned = () =>
    rows(
      `SELECT '[' || zone || ']' FROM workflow_schedule WHERE workflow_id = '${flow}' AND next_at > now() ORDER BY zone`,
    );
  // The schedule is planned again every minute; the test does not wait for it.
  const plan = () => psql(`UPDATE workflow_schedule SET next_at = now() WHERE workflow_id = '${flow}' AND zone = '+'`);
  await eventually(() => planned().includes('[+]') && (planned().includes('[Europe/Vienna]') || (plan(), false)), 30);
  assert.deepEqual(planned(), ['[]', '[+]', '[Europe/Vienna]']);
  const walk = () => psql(`UPDATE workflow_schedule SET next_at = now() WHERE workflow_id = '${flow}' AND zone <> '+'`);
  walk();
  await eventually(() => endsOf(flow).length === 2, 30);
  assert.deepEqual([baker, viennese, butcher].map(messagesOf), [['note sent'], ['note sent'], []]);
  walk(); // the date is the key: nobody starts again
  await eventually(() => planned().length === 3, 30);
  await done('POST', `/manage/workflows/${flow}/finish`);
  await eventually(() => rows(`SELECT 1 FROM workflow_schedule WHERE workflow_id = '${flow}'`).length === 0, 30);
  assert.equal(endsOf(flow).length, 2);
});

test('a schedule that waits for its condition to become true leaves out those for whom it is true', async () => {
  const create = (email: string, company: string) =>
    done('PATCH', `/contacts/email/${email}?createContact=true`, { company });
  const [early, late] = [person(), person()];
  await create(early, 'Florist');
  await create(late, 'Nobody');
  const flow = await publish({
    trigger: {
      schedule: {
        at: '09:00',
        zone: 'store',
        every: 'day',
        mode: 'becomesTrue',
        where: { value: 'contact.company', op: 'eq', to: 'Florist' },
      },
      key: 'schedule.date',
    },
    nodes: [mail],
  });
  const held = () =>
    rows(`SELECT 1 FROM enrolment WHERE workflow_id = '${flow}' AND key LIKE '%held' AND ended_at IS NULL`).length;
  await eventually(() => held() === 1, 30);
  await create(late, 'Florist');
  psql(`UPDATE workflow_schedule SET next_at = now() WHERE workflow_id = '${flow}' AND zone = '*'`);
  await eventually(() => held() === 2 && endsOf(flow).length === 1, 30);
  assert.deepEqual([early, late].map(messagesOf), [[], ['note sent']]);
  await create(early, 'Nobody');
  psql(`UPDATE workflow_schedule SET next_at = now() WHERE workflow_id = '${flow}' AND zone = '*'`);
  await eventually(() => held() === 1, 30);
});

test('a planned message is withdrawn when its run ends or restarts, and an unsent coupon goes back', async () => {
  const cart = await eventType();
  const flow = await publish({
    trigger: { event: cart.kind, key: 'event.data.cartId' },
    reentry: { mode: 'restart', until: 'exit' },
    exitOn: [{ event: 'contact.unsubscribed' }],
    quietHours: { from: '00:00', to: '23:59', zone: 'store', skipIfLaterThan: 'P10D' },
    nodes: [
      { id: 'gift', type: 'coupon', couponSet: 'ten', as: 'coupon', releaseIfNotSent: true, next: 'mail' },
      { ...mail, class: 'marketing' },
    ],
  });
  const free = () => Number(psql(`SELECT available FROM shown_coupon_set WHERE account_id = ${account}`));
  const before = free();
  const email = person();
  const states = () => messagesOf(email).join();
  await cart.happen(email, { cartId: 'a' });
  await eventually(() => states() === 'note planned', 30);
  assert.equal(free(), before - 1);
  await cart.happen(email, { cartId: 'a' });
  await eventually(() => states() === 'note skipped restarted,note planned', 30);
  await eventually(() => free() === before - 1, 30);
  await done('PATCH', `/contacts/email/${email}`, { emailSubscription: 'unsubscribed' });
  await eventually(() => states() === 'note skipped restarted,note skipped run-ended', 30);
  await eventually(() => free() === before, 30);
  assert.deepEqual(endsOf(flow), ['exit']);
});

test('a branch sees the history of the contact, and a lookup the purchase as it is now', async () => {
  const [visit, ask] = [await eventType(), await eventType()];
  const purchaseId = randomUUID();
  const flow = await publish({
    trigger: { event: ask.kind },
    nodes: [
      {
        id: 'often',
        type: 'branch',
        cases: [{ when: { did: visit.kind, times: { min: 2 }, within: 'P1D' }, next: 'look' }],
      },
      { id: 'look', type: 'lookup', purchase: 'trigger.data.cartId', as: 'order', next: 'paid' },
      {
        id: 'paid',
        type: 'branch',
        cases: [{ when: { value: 'vars.order.status', op: 'eq', to: 'paid' }, next: 'mail' }],
      },
      mail,
    ],
  });
  const [seldom, often] = [person(), person()];
  for (const email of [seldom, often, often]) await visit.happen(email);
  await shop.purchase(often, { purchaseId, status: 'paid' });
  for (const email of [seldom, often]) await ask.happen(email, { cartId: purchaseId });
  await eventually(() => endsOf(flow).length === 2, 30);
  assert.deepEqual([seldom, often].map(messagesOf), [[], ['note sent']]);
});

test('quiet hours and caps let messages wait, and a higher priority takes the last slot', async () => {
  psql(`UPDATE account SET marketing_per_day = 1 WHERE account_id = ${account}`);
  const trigger = await eventType();
  const flows: string[] = [];
  for (const [priority, template] of [
    [1, 'note'],
    [9, 'offer'],
  ] as const)
    flows.push(
      await publish({
        priority,
        trigger: { event: trigger.kind },
        nodes: [{ id: 'mail', type: 'email', template, class: 'marketing', onCap: 'skip' }],
      }),
    );
  const email = person();
  await trigger.happen(email);
  await eventually(() => flows.every((flow) => endsOf(flow).length === 1), 30);
  assert.deepEqual(messagesOf(email).sort(), ['note skipped cap', 'offer sent']);
  psql(`UPDATE account SET marketing_per_day = NULL WHERE account_id = ${account}`);
  assert.notEqual(contactId(email), '');
});
