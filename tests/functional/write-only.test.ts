// A key that may write a resource but not read it gets only what it wrote, from every operation that writes.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { insertParkedRun } from './run-rows.ts';
import { ask, newStore, url } from './support.ts';

interface Operation {
  operationId: string;
  'x-scope'?: string;
  'x-read-scopes'?: string[];
  responses: Record<string, Response>;
}
interface Response {
  $ref?: string;
  content?: unknown;
}
interface Write {
  path: string;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** A body that is not JSON. */
  file?: string;
}

const store = newStore('Write-only');
const served = (await (await fetch(`${url}/openapi.json`)).json()) as {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Response> };
};
const operations = Object.values(served.paths).flatMap((methods) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase() })),
);
const scopes = [
  ...new Set(
    operations
      .flatMap((operation) => [operation['x-scope'] ?? [], (operation as any)['x-further-scopes'] ?? []])
      .flat(),
  ),
] as string[];
const hasContent = ({ $ref, content }: Response): boolean =>
  $ref ? hasContent(served.components.responses[$ref.split('/').at(-1)!]!) : content !== undefined;
const isWrite = ({ method, responses, 'x-scope': scope }: (typeof operations)[number]) =>
  method !== 'GET' &&
  !scope?.endsWith(':read') &&
  Object.entries(responses).some(([status, one]) => status.startsWith('2') && hasContent(one));

async function write(method: string, path: string, body?: object): Promise<any> {
  const response = await store.send(method, path, body);
  assert(response.status < 300, await response.clone().text());
  return response.json();
}

async function keyWithout(...left: string[]): Promise<string> {
  const rest = scopes.filter((scope) => !left.includes(scope));
  return (await write('POST', '/manage/keys/', { name: 'few', scopes: rest })).token;
}

const secret = 'known to readers only';
const contact = async (id: string) =>
  write('PATCH', `/contacts/external-id/${id}?createContact=true`, {
    email: `${id}@shop.example`,
    firstName: secret,
    tags: [secret],
    points: 7,
    consent: [{ channel: 'email', status: 'subscribed', at: '2026-01-01T00:00:00Z', source: secret }],
  });
const integration = await write('POST', '/custom-integrations/', { name: 'Shop', description: secret });
const types = `/custom-integrations/${integration.id}/custom-event-types/`;
const sending = { name: 'Sent', direction: 'send', url: 'https://shop.example/sent' };
const type = await write('POST', types, { ...sending, headers: [{ name: 'X-Known', value: 'x' }] });
const webhook = await write('POST', '/manage/webhooks/', { url: 'https://shop.example/hook', description: secret });
const key = await write('POST', '/manage/keys/', { name: secret, scopes: ['store:read'] });
const set = await write('POST', '/manage/coupon-sets/', { alias: 'ten', name: secret, kind: 'unique' });
const letter = await write('POST', '/manage/templates/', {
  alias: 'letter',
  name: secret,
  content: { class: 'transactional', sender: { name: secret }, locales: { en: { subject: secret, text: secret } } },
});
const flow = async (action?: string) => {
  const alias = `flow-${Math.random().toString(36).slice(2)}`;
  const draft = { alias, name: secret, trigger: { event: 'contact.created' }, nodes: [{ id: 'end', type: 'exit' }] };
  const { id } = await write('POST', '/manage/workflows/', draft);
  if (action) await write('POST', `/manage/workflows/${id}/publish`);
  if (action === 'resume') await write('POST', `/manage/workflows/${id}/pause`);
  return id;
};
const definition = { trigger: { event: 'contact.updated' }, nodes: [{ id: 'end', type: 'exit' }] };
const past = new Date(Date.now() - 60_000);
const period = { from: new Date(past.valueOf() - 1000).toISOString(), to: past.toISOString() };
const product = { name: secret, url: 'https://shop.example/bell', price: '1', brand: secret };
await write('PATCH', '/products/product-id/bell', { ...product, variants: { red: { name: secret, stock: 3 } } });
await contact('eva');
await write('POST', '/contact-fields/', { id: 'size', name: 'Size', type: 'text' });
await write('PATCH', '/contacts/external-id/eva', { fields: { size: secret } });

// One request for each operation.
const writes: Record<string, () => Promise<Write> | Write> = {
  createContactField: () => ({ path: '/contact-fields/', body: { id: 'shoe', name: 'Shoe', type: 'integer' } }),
  changeContactField: () => ({ path: '/manage/contact-fields/size', body: { name: 'Shirt size' } }),
  patchContact: () => ({ path: '/contacts/eva@shop.example', body: { lastName: 'Bell' } }),
  patchContactByEmail: () => ({ path: '/contacts/email/eva@shop.example', body: { lastName: 'Ring' } }),
  patchContactByExternalId: () => ({ path: '/contacts/external-id/eva', body: { company: 'Bell' } }),
  mergeContacts: async () => ({
    path: '/manage/contacts/merge',
    body: { from: (await contact('one')).id, into: (await contact('two')).id },
  }),
  createCustomIntegration: () => ({ path: '/custom-integrations/', body: { name: 'Another' } }),
  patchCustomIntegration: () => ({ path: `/custom-integrations/${integration.id}`, body: { color: '#001122' } }),
  createCustomEventType: () => ({ path: types, body: { ...sending, name: 'Second' } }),
  changeCustomEventType: () => ({ path: `/manage/custom-event-types/${type.id}`, body: { name: 'Third' } }),
  rotateSigningSecret: () => ({ path: `/manage/custom-event-types/${type.id}/rotate-secret` }),
  createExport: () => ({ path: '/exports/', body: { type: 'products' } }),
  createDataExplorerExport: () => ({
    path: '/exports/type/data-explorer',
    body: { report: 'purchases-over-time', from: '2026-01-01', to: '2026-02-01' },
  }),
  createImport: () => ({ path: '/imports/?type=products', file: 'productId,name,url\nx,X,https://shop.example/x\n' }),
  cancelExport: async () => ({
    path: `/manage/exports/${(await write('POST', '/exports/', { type: 'contacts' })).id}/cancel`,
  }),
  cancelImport: async () => {
    const sent = await ask('/imports/?type=contacts', {
      method: 'POST',
      headers: { authorization: `Bearer ${store.key}`, 'content-type': 'text/csv' },
      body: 'email\nx@shop.example\n',
    });
    return { path: `/manage/imports/${((await sent.json()) as { id: string }).id}/cancel` };
  },
  createCouponSet: () => ({ path: '/manage/coupon-sets/', body: { alias: 'five', name: 'Five', kind: 'unique' } }),
  changeCouponSet: () => ({ path: `/manage/coupon-sets/${set.id}`, body: { lowWatermark: 3 } }),
  createKey: () => ({ path: '/manage/keys/', body: { name: 'made', scopes: ['store:read'] } }),
  changeKey: () => ({ path: `/manage/keys/${key.id}`, body: { requestsPerSecond: 10 } }),
  changeStore: () => ({ path: '/manage/store', body: { country: 'AT' } }),
  createTemplate: () => ({ path: '/manage/templates/', body: { alias: 'hello', name: 'Hello' } }),
  saveTemplateContent: () => ({
    path: `/manage/templates/${letter.id}/content`,
    body: { class: 'transactional', locales: { en: { subject: 'Bell', text: 'ring' } } },
  }),
  publishTemplate: () => ({ path: `/manage/templates/${letter.id}/publish` }),
  createWebhook: () => ({ path: '/manage/webhooks/', body: { url: 'https://shop.example/new', kinds: ['product.*'] } }),
  changeWebhook: () => ({ path: `/manage/webhooks/${webhook.id}`, body: { kinds: ['contact.*'] } }),
  rotateWebhookSecret: () => ({ path: `/manage/webhooks/${webhook.id}/rotate-secret` }),
  testWebhook: () => ({ path: `/manage/webhooks/${webhook.id}/test` }),
  redeliverWebhook: async () => {
    const { id } = await write('POST', `/manage/webhooks/${webhook.id}/test`);
    return { path: `/manage/webhooks/${webhook.id}/redeliver`, body: { id } };
  },
  replayWebhook: () => ({ path: `/manage/webhooks/${webhook.id}/replay`, body: period }),
  createWorkflow: () => ({ path: '/manage/workflows/', body: { alias: 'new', name: 'New', ...definition } }),
  saveWorkflowDraft: async () => ({
    path: `/manage/workflows/${await flow()}/draft`,
    body: { name: 'Saved', ...definition },
  }),
  publishWorkflow: async () => ({ path: `/manage/workflows/${await flow()}/publish` }),
  pauseWorkflow: async () => ({ path: `/manage/workflows/${await flow('pause')}/pause` }),
  resumeWorkflow: async () => ({ path: `/manage/workflows/${await flow('resume')}/resume` }),
  finishWorkflow: async () => ({ path: `/manage/workflows/${await flow('finish')}/finish` }),
  retryRun: async () => ({ path: `/manage/runs/${insertParkedRun(store.account, await flow('pause'), 'end')}/retry` }),
  endRun: async () => ({ path: `/manage/runs/${insertParkedRun(store.account, await flow('pause'), 'end')}/end` }),
  patchProductByStoreId: () => ({ path: '/products/product-id/bell', body: { variants: { red: { stock: 4 } } } }),
  createPurchase: () => ({
    path: '/purchases/',
    body: {
      purchaseId: 'p-1',
      contact: { externalId: 'eva' },
      currency: 'EUR',
      total: 10,
      lines: [{ productId: 'bell', quantity: 1 }],
    },
  }),
};
// These return no stored data: an id, a status, and which of the sent values were known already.
const receipts = ['addCouponCodes', 'createCustomEventByAlias', 'createCustomEventById', 'retryRejectedEvent'];
const always = ['id', 'warnings', 'token', 'signingSecret'];

/** Pointers to the members that the answer has and the request does not name. */
function unnamed(answer: any, sent: any, at = ''): string[] {
  if (Array.isArray(answer)) return answer.flatMap((element, i) => unnamed(element, sent?.[i], `${at}/${i}`));
  if (answer === null || typeof answer !== 'object') return [];
  return Object.entries(answer).flatMap(([name, value]) => {
    if (!at && always.includes(name)) return [];
    return name in (sent ?? {}) ? unnamed(value, sent[name], `${at}/${name}`) : [`${at}/${name}`];
  });
}

test('the requests below cover every operation that writes', () => {
  const all = operations.filter(isWrite).map(({ operationId }) => operationId);
  assert.deepEqual(all.sort(), [...Object.keys(writes), ...receipts].sort());
});

for (const [id, request] of Object.entries(writes)) {
  test(`${id} returns only what the caller wrote`, async () => {
    const operation = operations.find(({ operationId }) => operationId === id)!;
    const { path, body, file } = await request();
    const readers = operation['x-read-scopes'] ?? [];
    const response = await ask(path, {
      method: operation.method,
      headers: {
        authorization: `Bearer ${await keyWithout(...readers)}`,
        ...(file ? { 'content-type': 'text/csv' } : body ? { 'content-type': 'application/json' } : {}),
      },
      body: file ?? (body && JSON.stringify(body)),
    });
    const text = await response.text();
    assert(response.status < 300, text);
    assert(!text.includes(secret), text);
    assert.deepEqual(unnamed(JSON.parse(text), body), [], text);
    assert(readers.length > 0, 'no operation reads the resource');
    assert(JSON.parse(text).id, text);
  });
}

test('each of the read scopes gives the whole answer', async () => {
  const path = '/contacts/external-id/eva';
  for (const scope of ['contacts:read', 'manage-contacts:read']) {
    const few = (await write('POST', '/manage/keys/', { name: 'few', scopes: ['contacts:write', scope] })).token;
    const response = await store.send('PATCH', path, { lastName: 'Bell' }, { authorization: `Bearer ${few}` });
    assert.equal(((await response.json()) as any).firstName, secret);
  }
});

test('a secret that is shown once is shown to its creator', async () => {
  const few = { authorization: `Bearer ${await keyWithout('manage-keys:read', 'manage-webhooks:read')}` };
  const made = await store.send('POST', '/manage/keys/', { name: 'made', scopes: ['store:read'] }, few);
  assert.match(((await made.json()) as any).token, /^sb_live_/);
  const rotated = await store.send('POST', `/manage/webhooks/${webhook.id}/rotate-secret`, undefined, few);
  assert.deepEqual(Object.keys((await rotated.json()) as object).sort(), ['id', 'signingSecret']);
});

test('a contact’s stored values are not read by writing', async () => {
  const few = { authorization: `Bearer ${await keyWithout('contacts:read', 'manage-contacts:read')}` };
  const { id } = await contact('ada');
  const path = '/contacts/external-id/ada';
  const patch = async (body: object, headers = {}) => {
    const response = await store.send('PATCH', path, body, { ...few, ...headers });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return { answer: JSON.parse(text), headers: response.headers };
  };
  // Values are shown as stored.
  const { answer } = await patch({ phone: '+43 664 1234567', country: 'AT', lastName: null, tags: ['new'] });
  assert.deepEqual(answer, { id, lastName: null, phone: '+436641234567', country: 'AT', tags: ['new'] });
  // Not written: read-only members, a sum, the consent history, a status that the service keeps.
  const whole = (await (await store.send('GET', path)).json()) as any;
  const back = (await patch({ purchases: whole.purchases, createdAt: whole.createdAt, points: { add: 1 } })).answer;
  assert.deepEqual(back, { id });
  const consent = [{ channel: 'sms', status: 'subscribed', at: '2026-02-01T00:00:00Z', source: 'web' }];
  assert.deepEqual((await patch({ consent })).answer, { id });
  // Skipped values and stale writes keep what is stored.
  const lenient = (await patch({ firstName: 5, phone: 'no', lastName: 'B' }, { prefer: 'handling=lenient' })).answer;
  assert.deepEqual([lenient.firstName, lenient.phone, lenient.lastName], [undefined, undefined, 'B']);
  assert.deepEqual(lenient.warnings.map((warning: any) => warning.pointer).sort(), ['/firstName', '/phone']);
  await write('PATCH', path, { sourceUpdatedAt: '2026-06-01T00:00:00Z', company: secret });
  const stale = await patch({ sourceUpdatedAt: '2026-05-01T00:00:00Z', company: 'guess' });
  assert.equal(stale.headers.get('shopbell-applied'), 'stale');
  assert.deepEqual(stale.answer, { id });
});

test('a repeated request is reduced for the caller at hand', async () => {
  const few = { authorization: `Bearer ${await keyWithout('contacts:read', 'manage-contacts:read')}` };
  const body = { lastName: 'Again' };
  const again = { 'idempotency-key': 'write-only-1' };
  const path = '/contacts/external-id/eva';
  const whole = await store.send('PATCH', path, body, again);
  assert.equal(((await whole.json()) as any).firstName, secret);
  const reduced = await store.send('PATCH', path, body, { ...again, ...few });
  assert.equal(reduced.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(Object.keys((await reduced.json()) as object), ['id', 'lastName']);
  const once = { 'idempotency-key': 'write-only-2' };
  assert.equal((await store.send('PATCH', path, body, { ...once, ...few })).status, 200);
  const replayed = await store.send('PATCH', path, body, once);
  assert.equal(((await replayed.json()) as any).firstName, secret);
});
