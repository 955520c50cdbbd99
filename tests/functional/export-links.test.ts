// Exports over the API: required scopes, and links to files: their content and expiry.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Schemas } from '../../console/client/index.ts';
import { as, bytesOf, newExporter, type Export } from './exporter.ts';
import { configFile, eventually, expectProblem, key2, psql, raw, shopbell, url } from './support.ts';

const { store, send, account, read, finished, file, write, keyFor } = newExporter('Links');

await write('PATCH', '/contacts/external-id/c-1?createContact=true', { email: 'eva@example.com' });
await write('PATCH', '/products/product-id/bell', { name: 'Bell', url: 'https://bell.example/' });
await write('POST', '/manage/coupon-sets/', { alias: 'ten', name: 'Ten', kind: 'unique' });

test('an export needs the scope to read its data', async () => {
  const post = (key: string, body: object) => send('POST', '/exports/', body, as(key));
  const key = keyFor('exports:write,exports:read,purchases:read');
  for (const body of [
    { type: 'contacts' },
    { type: 'activities' },
    { type: 'products' },
    { type: 'coupons', filters: { couponSet: 'ten' } },
    { type: 'purchases', columns: ['contact.email'] },
  ])
    await expectProblem(await post(key, body), 403, 'scope-missing');
  const answer = await post(key, { type: 'purchases' });
  assert.equal(answer.status, 201);
  const { id } = (await answer.json()) as Export;
  const [header] = (await bytesOf(await finished(id))).toString().split('\n');
  assert(header!.includes('contactId') && !header!.includes('contact.email'));
  await expectProblem(await post(keyFor('contacts:read'), { type: 'contacts' }), 403, 'scope-missing');
});

test('the list is newest first, by status and type, in pages', async () => {
  const other = newExporter('Listed exports');
  const ids: string[] = [];
  for (const type of ['contacts', 'products', 'contacts']) ids.unshift((await other.file({ type })).made.id);
  const page = async (query: string) => {
    const answer = await other.send('GET', `/exports/${query}`);
    const { data, nextCursor } = (await answer.json()) as Schemas['ExportPage'];
    return { ids: data.map(({ id }) => id), nextCursor, data };
  };
  const all = await page('');
  assert.deepEqual(all.ids, ids);
  assert(all.data.every(({ fileUrl }) => fileUrl));
  const first = await page('?limit=2');
  assert.deepEqual(first.ids, ids.slice(0, 2));
  assert.deepEqual((await page(`?limit=2&cursor=${first.nextCursor}`)).ids, ids.slice(2));
  assert.deepEqual((await page('?order=asc')).ids, [...ids].reverse());
  assert.deepEqual((await page('?type=products')).ids, [ids[1]]);
  assert.deepEqual((await page('?status=queued')).ids, []);
  assert.deepEqual((await page('?status=finished&type=contacts')).ids, [ids[0], ids[2]]);
});

test('a link returns the file with its size and name, also for HEAD', async () => {
  const { made, text } = await file({ type: 'contacts', columns: ['externalId'] });
  for (const method of ['GET', 'HEAD']) {
    const answer = await fetch(url + made.fileUrl!, { method });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-length'), String(made.bytes));
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${made.fileName}"`);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('etag'), `"${made.sha256}"`);
    assert.equal(await answer.text(), method === 'GET' ? text : '');
  }
  const known = await fetch(url + made.fileUrl!, { headers: { 'if-none-match': `"${made.sha256}"` } });
  assert.equal(known.status, 304);
  const one = `GET ${made.fileUrl} HTTP/1.1\r\nHost: x\r\n`;
  const between = 'GET /problems/ HTTP/1.1\r\nHost: x\r\n\r\n';
  const answers = await raw(`${one}\r\n${between}${one}Connection: close\r\n\r\n`);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal(await answers[0]!.text(), text);
  assert.equal(await answers[2]!.text(), text);
});

test('a link expires with its time, its key, its export or its file, and any change makes it invalid', async () => {
  const links = async (id: string, key = store.key) =>
    ((await (await send('GET', `/exports/${id}`, undefined, as(key))).json()) as Export).fileUrl!;
  const get = (link: string) => fetch(url + link);
  const { made } = await file({ type: 'products', columns: ['productId'] });
  const link = await links(made.id);
  assert.equal((await get(link)).status, 200);

  const token = link.split('/')[2]!;
  const changed = (at: number) => {
    const other = token[at] === 'a' ? 'b' : 'a';
    return link.replace(token, token.slice(0, at) + other + token.slice(at + 1));
  };
  for (const at of [0, 20, 60, 90, 100, 159]) await expectProblem(await get(changed(at)), 404, 'not-found');
  for (const other of [link.replace('products', 'contacts'), '/files/x/y', `/files/${token}/`])
    assert.equal((await get(other)).status, 404);

  // The link itself expires: it is created for an export that ends soon, which is then extended.
  psql(`UPDATE job SET expires_at = now() + interval '2 seconds' WHERE job_id = '${made.id}'`);
  const short = await links(made.id);
  psql(`UPDATE job SET expires_at = now() + interval '7 days' WHERE job_id = '${made.id}'`);
  assert.equal((await get(short)).status, 200);
  await sleep(2_100);
  await expectProblem(await get(short), 410, 'link-expired');
  assert.equal((await get(link)).status, 200);

  // The link expires with the key that requested it.
  const temporary = keyFor('exports:read,products:read');
  const theirs = await links(made.id, temporary);
  assert.equal((await get(theirs)).status, 200);
  const keyId = psql(`SELECT key_id FROM api_key WHERE account_id = ${account} ORDER BY created_at DESC LIMIT 1`);
  assert.equal(shopbell(['key', 'revoke', keyId]).status, 0);
  await expectProblem(await get(theirs), 410, 'link-expired');
  assert.equal((await get(link)).status, 200);

  // The link is refused while the account is suspended.
  assert.equal(shopbell(['account', 'suspend', account]).status, 0);
  await expectProblem(await get(link), 410, 'link-expired');
  assert.equal(shopbell(['account', 'resume', account]).status, 0);
  assert.equal((await get(link)).status, 200);
  await sleep(1_000); // the key stays cached as suspended for up to one second

  // The link ends when the export expires and its record is removed.
  psql(`UPDATE job SET expires_at = now() WHERE job_id = '${made.id}'`);
  await expectProblem(await get(link), 410, 'link-expired');
  const over = await eventually(async () => {
    const now = await read(made.id);
    return now.status === 'expired' && now;
  });
  assert.equal(over.fileUrl, null);

  const second = await file({ type: 'products', columns: ['productId'] });
  const files = join(dirname(configFile), 'files', 'exports', account);
  const stored = () => readdirSync(files).filter((name) => name.startsWith(second.made.id));
  assert.equal(stored().length, 1);
  const gone = await links(second.made.id);
  assert.equal((await send('DELETE', `/exports/${second.made.id}`)).status, 204);
  await expectProblem(await get(gone), 410, 'link-expired');
  await expectProblem(await send('GET', `/exports/${second.made.id}`), 404, 'not-found');
  await expectProblem(await send('DELETE', `/exports/${second.made.id}`), 404, 'not-found');
  for (const until = Date.now() + 25_000; stored().length > 0; await sleep(200)) assert(Date.now() < until);
});

test('another account cannot see the export', async () => {
  const { made } = await file({ type: 'contacts', columns: ['id'] });
  for (const [method, path] of [
    ['GET', `/exports/${made.id}`],
    ['DELETE', `/exports/${made.id}`],
    ['POST', `/manage/exports/${made.id}/cancel`],
  ])
    await expectProblem(await send(method!, path!, undefined, as(key2)), 404, 'not-found');
});
