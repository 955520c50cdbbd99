// Managing webhooks: valid and invalid settings, and the responses.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createKey, expectProblem, faults, newStore, psql, shopbell, url } from './support.ts';

const all = '/manage/webhooks/';
const address = 'https://shop.example/hooks/shopbell';
const store = newStore('webhooks');

async function made(body: Record<string, unknown> = {}, from = store) {
  const response = await from.send('POST', all, { url: address, status: 'disabled', ...body });
  const webhook = (await response.json()) as any;
  assert.equal(response.status, 201, JSON.stringify(webhook));
  assert.equal(response.headers.get('location'), `${all}${webhook.id}`);
  return { webhook, path: `${all}${webhook.id}`, etag: response.headers.get('etag')! };
}

test('a webhook is created, shown, changed and deleted', async () => {
  const kinds = ['contact.*', 'purchase.created', 'custom.points-redeemed', 'custom.*', 'coupon-set.low'];
  const headers = [
    { name: 'X-Token', value: 'open sesame' },
    { name: 'X-Shop', value: '1' },
  ];
  const { webhook, path, etag } = await made({ kinds, headers, description: 'Two\nlines' });
  const { signingSecret, ...shown } = webhook;
  assert.match(signingSecret, /^whsec_[0-9A-Za-z]{44}$/);
  assert.deepEqual(shown, {
    id: webhook.id,
    url: address,
    description: 'Two\nlines',
    kinds,
    headers: [{ name: 'X-Token' }, { name: 'X-Shop' }],
    status: 'disabled',
    reason: 'requested',
    failingSince: null,
    replay: null,
    createdAt: webhook.createdAt,
    updatedAt: webhook.createdAt,
  });
  const got = await store.send('GET', path);
  assert.deepEqual([got.status, got.headers.get('etag'), await got.json()], [200, etag, shown]);

  // A webhook that is sent back unchanged stays the same; its header values stay too.
  const same = await store.send('PATCH', path, shown);
  assert.deepEqual([same.status, same.headers.get('etag')], [200, etag]);
  const changed = await store.send('PATCH', path, {
    kinds: [],
    description: null,
    status: 'paused',
    headers: [{ name: 'x-token' }],
  });
  const after = (await changed.json()) as any;
  assert.deepEqual(
    [after.kinds, after.description, after.status, after.reason, after.headers, after.url],
    [[], null, 'paused', 'requested', [{ name: 'X-Token' }], address],
  );
  await expectProblem(
    await store.send('PATCH', path, { url: address }, { 'if-match': etag }),
    412,
    'precondition-failed',
  );
  const enabled = (await (await store.send('PATCH', path, { status: 'enabled' })).json()) as any;
  assert.deepEqual([enabled.status, enabled.reason], ['enabled', null]);

  // No secret is readable in the database.
  const row = psql(`SELECT w.*::text FROM webhook w WHERE webhook_id = '${webhook.id}'`);
  for (const secret of [signingSecret, 'open sesame']) assert.ok(!row.includes(secret));

  assert.equal((await store.send('DELETE', path)).status, 204);
  await expectProblem(await store.send('GET', path), 404, 'not-found');
  await expectProblem(await store.send('DELETE', path), 404, 'not-found');
  assert.equal(psql(`SELECT count(*) FROM dropped_webhook WHERE webhook_id = '${webhook.id}'`), '1');
});

test('all faults of a body are reported at once', async () => {
  const post = async (body: unknown) => faults(await store.send('POST', all, body));
  assert.deepEqual(await post({}), ['/url required']);
  assert.deepEqual(await post([]), [' wrong-type']);
  assert.deepEqual(
    await post({
      url: 'ftp://shop.example/',
      description: 'a\u0007',
      kinds: ['contact.gone', 'contact', 'custom.Points', '*', 'contact.created', 'contact.created', 7],
      headers: [{ name: 'Host', value: 'a' }, { name: 'X-A' }, { name: 'b', value: 'a\nb' }, { value: 'x' }],
      status: 'off',
      reason: 'because',
      secret: 'mine',
    }),
    [
      '/url invalid-format',
      '/description invalid-format',
      '/kinds/0 invalid-format',
      '/kinds/1 invalid-format',
      '/kinds/2 invalid-format',
      '/kinds/3 invalid-format',
      '/kinds/5 duplicate',
      '/kinds/6 wrong-type',
      '/headers/0/name invalid-format',
      '/headers/2/value invalid-format',
      '/headers/3/name required',
      '/status not-an-option',
      '/secret unknown-member',
    ],
  );
  assert.deepEqual(
    await post({ url: address, headers: [{ name: 'X-A', value: '1' }, { name: 'x-a', value: '2' }, { name: 'X-B' }] }),
    ['/headers/1/name duplicate', '/headers/2/value required'],
  );
  const many = (count: number) => Array.from({ length: count }, (_, i) => `custom.a${i}`);
  assert.deepEqual(await post({ url: address, kinds: many(101) }), ['/kinds too-long']);
  const headers = Array.from({ length: 21 }, (_, i) => ({ name: `X-${i}`, value: '1' }));
  assert.deepEqual(await post({ url: address, headers }), ['/headers too-long']);
  assert.deepEqual(await post({ url: `https://shop.example/${'a'.repeat(2048)}` }), ['/url too-long']);

  const { path } = await made({ kinds: many(100), headers: headers.slice(1) });
  const patch = async (body: unknown) => faults(await store.send('PATCH', path, body));
  assert.deepEqual(await patch({ url: null, kinds: null, status: null }), [
    '/url required',
    '/kinds required',
    '/status required',
  ]);
  assert.deepEqual(await patch({ headers: [{ name: 'X-0' }] }), ['/headers/0/value required']);
  const send = async (what: string, body: unknown) => faults(await store.send('POST', `${path}/${what}`, body));
  assert.deepEqual(await send('redeliver', {}), ['/id required']);
  assert.deepEqual(await send('redeliver', { id: 7 }), ['/id wrong-type']);
  assert.deepEqual(await send('replay', { from: 'yesterday' }), ['/from invalid-format', '/to required']);
  const [past, future] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)];
  assert.deepEqual(await send('replay', { from: past, to: past }), ['/to conflicts-with']);
  assert.deepEqual(await send('replay', { from: past, to: future }), ['/to out-of-range']);
  await expectProblem(await store.send('POST', `${path}/redeliver`, { id: 'zz' }), 404, 'not-found');
  await expectProblem(await store.send('POST', `${path}/test`), 409, 'webhook-not-enabled');
  await expectProblem(await store.send('GET', `${path}/deliveries?status=lost`), 422, 'invalid-parameter');
});

test('an internal address is rejected', async () => {
  const inside = [
    'http://127.0.0.1/',
    'http://127.0.0.1:8090/',
    'http://[::1]/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0x7f000001/',
    'https://shop.example:8443/',
  ];
  const { path } = await made();
  const integration = await store.send('POST', '/custom-integrations/', { name: 'Inside' });
  const { id } = (await integration.json()) as { id: string };
  const types = `/custom-integrations/${id}/custom-event-types/`;
  const sent = await store.send('POST', types, { name: 'Sent', direction: 'send', url: address });
  const type = (await sent.json()) as { id: string };
  for (const one of inside) {
    assert.deepEqual(await faults(await store.send('POST', all, { url: one })), ['/url invalid-format'], one);
    assert.deepEqual(await faults(await store.send('PATCH', path, { url: one })), ['/url invalid-format'], one);
    const sending = { name: 'In', direction: 'send', url: one };
    assert.deepEqual(await faults(await store.send('POST', types, sending)), ['/url invalid-format'], one);
    const moving = await store.send('PATCH', `/manage/custom-event-types/${type.id}`, { url: one });
    assert.deepEqual(await faults(moving), ['/url invalid-format'], one);
  }
});

test('a URL on another server needs the header values again', async () => {
  const headers = [{ name: 'X-Token', value: 'open sesame' }];
  const integration = await store.send('POST', '/custom-integrations/', { name: 'Moving' });
  const { id } = (await integration.json()) as { id: string };
  const types = `/custom-integrations/${id}/custom-event-types/`;
  const sent = await store.send('POST', types, { name: 'Sent', direction: 'send', url: address, headers });
  const type = (await sent.json()) as { id: string };
  for (const path of [(await made({ headers })).path, `/manage/custom-event-types/${type.id}`]) {
    const patch = (body: object) => store.send('PATCH', path, body);
    for (const url of [
      'https://evil.example/hooks/shopbell',
      'http://shop.example/hooks/shopbell',
      'https://shop.example:80/hooks/shopbell',
      'https://shop.example.evil.example/hooks/shopbell',
    ]) {
      assert.deepEqual(await faults(await patch({ url })), ['/headers required'], url);
      assert.deepEqual(await faults(await patch({ url, headers: [{ name: 'x-token' }] })), [
        '/headers/0/value required',
      ]);
    }
    // The same server, however it is written.
    for (const url of ['https://SHOP.example:443/other', 'https://shop.example/?a=b', address])
      assert.equal((await patch({ url })).status, 200, url);
    const moved = await patch({ url: 'https://new.example/', headers: [{ name: 'X-Token', value: 'other' }] });
    assert.equal(moved.status, 200);
    assert.deepEqual(await faults(await patch({ url: address })), ['/headers required']);
    assert.equal((await patch({ url: address, headers: [] })).status, 200);
    assert.equal((await patch({ url: 'https://new.example/' })).status, 200);
  }
});

test('setting a URL needs its own scope', async () => {
  const scopes = 'manage-webhooks:read,manage-webhooks:write';
  const created = shopbell(['key', 'create', '--account', store.account, '--name', 'few', '--scopes', scopes]);
  const authorization = `Bearer ${/^key=(\w+)$/m.exec(created.stdout)![1]}`;
  const { path } = await made({ headers: [{ name: 'X-A', value: '1' }] });
  const refused = [
    store.send('POST', all, { url: address }, { authorization }),
    store.send('PATCH', path, { url: 'https://other.example/' }, { authorization }),
    store.send('PATCH', path, { headers: [] }, { authorization }),
    store.send('POST', `${path}/rotate-secret`, undefined, { authorization }),
    store.send('DELETE', path, undefined, { authorization }),
  ];
  for (const response of refused) await expectProblem(await response, 403, 'scope-missing');
  const described = await store.send('PATCH', path, { description: 'Ours', url: address }, { authorization });
  assert.equal(described.status, 200);
});

test('another account’s webhook is not found', async () => {
  const { path, webhook } = await made();
  const other = newStore('another');
  const to = new Date(Date.now() - 60_000);
  const period = { from: new Date(to.valueOf() - 1000), to };
  const asked: [string, string, unknown?][] = [
    ['GET', ''],
    ['PATCH', '', { status: 'paused' }],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', '/redeliver', { id: webhook.id }],
    ['POST', '/replay', period],
  ];
  for (const [method, rest, body] of asked) {
    await expectProblem(await other.send(method, path + rest, body), 404, 'not-found');
    await expectProblem(await store.send(method, `${all}nothing${rest}`, body), 404, 'not-found');
  }
  assert.deepEqual(((await (await other.send('GET', all)).json()) as any).data, []);
  const { signingSecret: _, ...shown } = webhook;
  assert.deepEqual(await (await store.send('GET', path)).json(), shown);
});

test('the limit of an account is exact, and the list has pages', async () => {
  const many = newStore('many');
  for (let i = 0; i < 95; ++i) await made({}, many);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => many.send('POST', all, { url: address, status: 'disabled' })),
  );
  const refused = answers.filter(({ status }) => status !== 201);
  assert.equal(refused.length, 7);
  for (const answer of refused) await expectProblem(answer, 409, 'limit-reached');
  const seen: string[] = [];
  for (let next: string | null = `${all}?limit=40`; next;) {
    const page = (await (await many.send('GET', next)).json()) as { data: { id: string }[]; nextCursor: string | null };
    seen.push(...page.data.map(({ id }) => id));
    next = page.nextCursor && `${all}?limit=40&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  assert.deepEqual(seen, [...new Set(seen)].sort().reverse());
  assert.equal(seen.length, 100);
  const oldest = (await (await many.send('GET', `${all}?limit=1&order=asc`)).json()) as { data: { id: string }[] };
  assert.equal(oldest.data[0]!.id, seen.at(-1));
});

test('a retried request creates one webhook, and returns the same secret', async () => {
  const shop = newStore('repeated');
  const key = createKey(shop.account, 'second');
  const again = { 'idempotency-key': 'one', authorization: `Bearer ${key}` };
  const send = async () => (await shop.send('POST', all, { url: address, status: 'paused' }, again, url)).json();
  const first = await send();
  assert.deepEqual(await send(), first);
  assert.equal(psql(`SELECT count(*) FROM webhook WHERE account_id = ${shop.account}`), '1');
});
