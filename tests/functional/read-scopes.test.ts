// Links to files and webhooks need the scopes to read the data that they deliver.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Schemas } from '../../console/client/index.ts';
import { as, newExporter, type Export } from './exporter.ts';
import { newImporter } from './importer.ts';
import { expectProblem, psql, url } from './support.ts';

const { store, send, account, file, write, keyFor } = newExporter('Read scopes');
await write('PATCH', '/contacts/external-id/c-1?createContact=true', { email: 'eva@example.com' });
await write('POST', '/manage/coupon-sets/', { alias: 'ten', name: 'Ten', kind: 'unique' });
await write('POST', '/purchases/', {
  purchaseId: 'p-1',
  contact: { externalId: 'c-1' },
  currency: 'EUR',
  total: '5',
  lines: [{ productId: 'bell', quantity: 1 }],
});

// The scopes that the data of each type needs.
const exports: [object, string][] = [
  [{ type: 'contacts' }, 'contacts:read'],
  [{ type: 'products' }, 'products:read'],
  [{ type: 'purchases' }, 'contacts:read,purchases:read'],
  [{ type: 'purchases', columns: ['purchaseId', 'contactId'] }, 'purchases:read'],
  [{ type: 'purchases', columns: ['contact.email'] }, 'contacts:read,purchases:read'],
  [{ type: 'coupons', filters: { couponSet: 'ten' } }, 'coupon-sets:read'],
  [
    { type: 'activities' },
    'contacts:read,coupon-sets:read,exports:read,imports:read,products:read,purchases:read,workflows:read',
  ],
  [{ type: 'activities', filters: { kinds: ['purchase.created'] } }, 'contacts:read,purchases:read'],
  [{ type: 'person', filters: { contact: { externalId: 'c-1' } } }, 'contacts:read,coupon-sets:read,purchases:read'],
];

for (const [request, scopes] of exports) {
  test(`a link to an export needs the scopes of its data: ${JSON.stringify(request)}`, async () => {
    const { made } = await file(request);
    const linkFor = async (key: string) => {
      const one = (await (await send('GET', `/exports/${made.id}`, undefined, as(key))).json()) as Export;
      const page = (await (await send('GET', '/exports/?limit=1', undefined, as(key))).json()) as Schemas['ExportPage'];
      assert.deepEqual([page.data[0]!.id, !page.data[0]!.fileUrl], [made.id, !one.fileUrl]);
      return one.fileUrl;
    };
    const needed = ['exports:read', ...scopes.split(',').filter((scope) => scope !== 'exports:read')];
    const link = await linkFor(keyFor(needed.join()));
    assert.equal((await fetch(url + link!)).status, 200);
    for (const scope of needed.slice(1)) {
      const few = needed.filter((other) => other !== scope);
      assert.equal(await linkFor(keyFor(few.join())), null, scope);
      // An export of purchases leaves the buyers out instead.
      const asks = keyFor([...few, 'exports:write'].join());
      const created = await send('POST', '/exports/', request, as(asks));
      const leaves = made.type === 'purchases' && made.columns.length === 0 && scope === 'contacts:read';
      assert.equal(created.status, leaves ? 201 : 403, scope);
      if (leaves) await send('DELETE', `/exports/${((await created.json()) as Export).id}`);
    }
    await send('DELETE', `/exports/${made.id}`);
  });
}

test('a link ends when its key loses a scope', async () => {
  const { made } = await file({ type: 'products' });
  const scopes = ['exports:read', 'products:read'];
  const key = (await write('POST', '/manage/keys/', { name: 'few', scopes })) as Schemas['CreatedApiKey'];
  const { fileUrl } = (await (await send('GET', `/exports/${made.id}`, undefined, as(key.token))).json()) as Export;
  assert.equal((await fetch(url + fileUrl!)).status, 200);
  for (const left of scopes) {
    await write('PATCH', `/manage/keys/${key.id}`, { scopes: [left] });
    await expectProblem(await fetch(url + fileUrl!), 410, 'link-expired');
    await write('PATCH', `/manage/keys/${key.id}`, { scopes });
    assert.equal((await fetch(url + fileUrl!)).status, 200);
  }
});

test('the events of exports and imports hold no link', async () => {
  const payload = psql(
    `SELECT payload FROM event WHERE account_id = ${account} AND kind = 'export.finished' ORDER BY id LIMIT 1`,
  );
  assert.deepEqual([JSON.parse(payload).status, JSON.parse(payload).fileUrl], ['finished', null]);
});

const imports: [string, string, string, Record<string, string>?][] = [
  ['contacts', 'email\nnobody\n', 'contacts:read'],
  ['products', 'productId,name\nx,X\n', 'products:read'],
  ['purchases', 'purchaseId,total\nx,many\n', 'contacts:read,purchases:read'],
];
for (const [type, rows, scopes] of imports) {
  test(`a link to an error report needs the scopes of its rows: ${type}`, async () => {
    const importer = newImporter(`Read scopes of ${type}`);
    const done = await importer.run(type, rows);
    const keys = newKeys(importer);
    const linkFor = async (few: string[]) => {
      const answer = await importer.send('GET', `/imports/${done.id}`, undefined, as(await keys(few)));
      return ((await answer.json()) as Schemas['Import']).errorReportUrl;
    };
    const needed = scopes.split(',');
    const link = await linkFor(['imports:read', ...needed]);
    assert.equal((await fetch(url + link!)).status, 200);
    for (const scope of needed)
      assert.equal(await linkFor(['imports:read', ...needed.filter((other) => other !== scope)]), null);
    const event = psql(
      `SELECT payload->'errorReportUrl' FROM event WHERE account_id = ${importer.account} AND kind = 'import.finished'`,
    );
    assert.equal(event, 'null');
  });
}

function newKeys(of: { send: typeof send }) {
  return async (scopes: string[]) => {
    const made = await of.send('POST', '/manage/keys/', { name: 'few', scopes });
    return ((await made.json()) as Schemas['CreatedApiKey']).token;
  };
}

// The scopes that each kind of event needs.
const kinds: [string[], string][] = [
  [['contact.*'], 'contacts:read'],
  [['contact.created'], 'contacts:read'],
  [['custom.points', 'custom.*'], 'contacts:read'],
  [['purchase.paid'], 'purchases:read'],
  [['product.*', 'purchase.*'], 'products:read,purchases:read'],
  [['coupon.assigned', 'coupon-set.low'], 'coupon-sets:read'],
  [['export.finished'], 'exports:read'],
  [['import.finished'], 'imports:read'],
  [['workflow.entered'], 'workflows:read'],
  [[], 'contacts:read,coupon-sets:read,exports:read,imports:read,products:read,purchases:read,workflows:read'],
];
const own = ['manage-webhooks:read', 'manage-webhooks:write', 'webhooks:write'];
const hooks = '/manage/webhooks/';
const address = 'https://shop.example/hook';
const keys = newKeys(store);

for (const [named, scopes] of kinds) {
  test(`a webhook needs the scopes of its events: ${named.join() || 'all'}`, async () => {
    const needed = scopes.split(',');
    const body = { url: address, kinds: named, status: 'paused' };
    const enough = as(await keys([...own, ...needed]));
    const created = await send('POST', hooks, body, enough);
    assert.equal(created.status, 201, await created.clone().text());
    const path = hooks + ((await created.json()) as { id: string }).id;
    const [to, from] = [new Date(Date.now() - 60_000), new Date(Date.now() - 61_000)];
    const uses: [string, string, unknown?][] = [
      ['PATCH', path, { url: `${address}/other` }],
      ['PATCH', path, { kinds: [named.includes('import.finished') ? 'export.*' : 'import.*', ...named] }],
      ['PATCH', path, { headers: [{ name: 'X-A', value: '1' }] }],
      ['POST', `${path}/rotate-secret`],
      ['GET', `${path}/deliveries`],
      ['POST', `${path}/replay`, { from, to }],
      ['POST', `${path}/test`],
    ];
    for (const scope of needed) {
      const few = as(await keys([...own, ...needed.filter((other) => other !== scope)]));
      const refused = await expectProblem(await send('POST', hooks, body, few), 403, 'scope-missing');
      assert(refused.errors!.length > 0 && refused.errors!.every(({ pointer }) => pointer!.startsWith('/kinds')));
      for (const [method, at, sent] of uses)
        await expectProblem(await send(method, at, sent, few), 403, 'scope-missing');
      // Narrowing the kinds does not help: deliveries of the others are still stored.
      if (named.length > 0) await expectProblem(await send('PATCH', path, { kinds: [] }, few), 403, 'scope-missing');
      assert.equal((await send('GET', path, undefined, few)).status, 200);
      assert.equal((await send('PATCH', path, { description: 'Ours', status: 'paused' }, few)).status, 200);
    }
    assert.equal((await send('PATCH', path, { status: 'enabled' }, enough)).status, 200);
    for (const [method, at, sent] of uses) {
      if (JSON.stringify(sent)?.includes('kinds')) continue; // needs a further scope
      const answer = await send(method, at, sent, enough);
      assert(answer.status < 300, `${method} ${at} ${await answer.text()}`);
    }
    await send('DELETE', path);
  });
}

test('an event is redelivered only by a caller that may read it', async () => {
  const created = await send('POST', hooks, { url: address, kinds: ['contact.updated'] });
  const path = hooks + ((await created.json()) as { id: string }).id;
  await write('PATCH', '/contacts/external-id/c-1', { firstName: 'Eva' });
  let id = '';
  for (let i = 0; !id && i < 100; ++i, await sleep(100)) {
    const page = (await (await send('GET', `${path}/deliveries`)).json()) as Schemas['WebhookDeliveryPage'];
    id = page.data[0]?.id ?? '';
  }
  await send('PATCH', path, { kinds: ['product.*'] });
  const few = as(await keys([...own, 'products:read']));
  await expectProblem(await send('POST', `${path}/redeliver`, { id }, few), 403, 'scope-missing');
  assert.equal((await send('POST', `${path}/redeliver`, { id })).status, 202);
});
