// Shared by the tests of running workflows: a store whose test account has templates, coupons and event types.
import assert from 'node:assert/strict';

import { ask, createAccount, createKey, psql, shopbell } from './support.ts';

export function newAutomation(name: string) {
  const live = createAccount(name);
  const account = psql(`SELECT account_id FROM account WHERE live_account_id = ${live}`);
  for (const one of [live, account])
    assert.equal(shopbell(['account', 'rate', one, '--per-second', '100000']).status, 0);
  const testKey = createKey(account, 'test');
  const liveKey = createKey(live, 'live');

  const send = (method: string, path: string, body?: unknown, key = testKey) =>
    ask(path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    } as RequestInit);
  async function done(method: string, path: string, body?: unknown, key = testKey): Promise<any> {
    const response = await send(method, path, body, key);
    const text = await response.text();
    assert(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  let names = 0;
  let integration: { id: string };
  /** Creates what the definitions name. */
  async function prepare() {
    integration = await done('POST', '/custom-integrations/', { name: 'Shop' });
    for (const alias of ['reminder', 'offer', 'note']) await done('POST', '/manage/templates/', { alias, name: alias });
    await done('POST', '/manage/coupon-sets/', { alias: 'ten', name: 'Ten percent', kind: 'unique' });
    await done('POST', '/manage/coupon-sets/ten/codes', { codes: ['TEN-1', 'TEN-2', 'TEN-3'] });
  }
  /** Creates an event type and returns its kind, and a function that sends such an event. */
  async function eventType(fields: object[] = [{ id: 'cartId', name: 'Cart', type: 'text' }]) {
    const alias = `thing-${++names}`;
    const types = `/custom-integrations/${integration.id}/custom-event-types/`;
    await done('POST', types, { name: alias, direction: 'receive', alias, fields });
    const happen = (email: string, payload: object = {}) =>
      done('POST', `/custom-events/alias/${alias}?createContact=true`, {
        contact: { email, emailSubscription: 'subscribed', consent: [{ channel: 'email', status: 'subscribed' }] },
        payload,
      });
    return { alias, kind: `custom.${alias}`, happen };
  }
  /** Creates and publishes a workflow; returns its id. */
  async function publish(definition: object): Promise<string> {
    const alias = `flow-${++names}`;
    const made = await done('POST', '/manage/workflows/', { alias, name: alias, ...definition });
    await done('POST', `/manage/workflows/${made.id}/publish`);
    return made.id;
  }
  const person = () => `person-${++names}@example.com`;
  const rows = (sql: string) => psql(sql).split('\n').filter(Boolean);
  const contactId = (email: string) =>
    psql(`SELECT contact_id FROM contact WHERE account_id = ${account} AND email = '${email}'`);
  const messagesOf = (email: string) =>
    rows(`SELECT template || ' ' || state || coalesce(' ' || reason, '') FROM message
           WHERE account_id = ${account} AND contact_id = '${contactId(email)}' ORDER BY planned_at`);
  const endsOf = (workflow: string) =>
    rows(`SELECT why FROM run_history WHERE account_id = ${account} AND workflow_id = '${workflow}' ORDER BY ended_at`);
  const openRuns = (workflow: string) =>
    Number(
      psql(`SELECT count(*) FROM run WHERE account_id = ${account} AND workflow_id = '${workflow}'
                   AND state <> 'done'`),
    );
  const kindsOf = (email: string) =>
    rows(`SELECT kind FROM event WHERE account_id = ${account} AND contact_id = '${contactId(email)}' ORDER BY id`);
  const purchase = (email: string, body: object = {}) =>
    done('POST', '/purchases/', {
      purchaseId: `order-${++names}`,
      contact: { email },
      currency: 'EUR',
      total: '10',
      lines: [{ lineId: '1', productId: 'p', name: 'p', quantity: '1', unitPrice: '10', total: '10' }],
      ...body,
    });
  return {
    live,
    account,
    liveKey,
    testKey,
    send,
    done,
    prepare,
    eventType,
    publish,
    person,
    rows,
    contactId,
    messagesOf,
    endsOf,
    openRuns,
    kindsOf,
    purchase,
  };
}
