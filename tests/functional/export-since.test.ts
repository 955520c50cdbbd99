// Incremental exports (`since`) over the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { newExporter, rowsOf } from './exporter.ts';
import { faults, newStore } from './support.ts';

const { send, file, write } = newExporter('Since');

const person = (id: string, body: object) => write('PATCH', `/contacts/external-id/${id}?createContact=true`, body);
const buy = (purchaseId: string, externalId: string, total: number) =>
  write('POST', '/purchases/?ifExists=replace', {
    purchaseId,
    contact: { externalId },
    currency: 'EUR',
    total,
    lines: [{ name: 'x', quantity: 1 }],
  });

test('an incremental export returns changed and deleted objects', async () => {
  const ids: Record<string, string> = {};
  for (const id of ['a', 'b', 'c', 'd', 'e'])
    ids[id] = (await person(id, { firstName: id, tags: ['in'], email: `${id}@example.com` }))!.id;
  for (const id of ['p', 'q', 'r'])
    await write('PATCH', `/products/product-id/${id}`, { name: id, url: 'https://x.example/' });
  for (const id of ['c', 'd', 'e']) await buy(`of-${id}`, id, 5);
  const whole: Record<string, string> = {};
  for (const type of ['contacts', 'products', 'purchases', 'activities'])
    whole[type] = (await file({ type })).made.watermark!;
  const news = async (type: string, columns: string[], filters = {}, since = whole[type]) =>
    rowsOf((await file({ type, columns, filters: { ...filters, since } })).text).sort();
  assert.deepEqual(await news('contacts', ['externalId']), []);

  await person('a', { firstName: 'A' });
  await person('b', { tags: [] });
  await write('DELETE', '/contacts/external-id/c');
  await person('d', { firstName: 'D' });
  await write('PATCH', '/contacts/external-id/d?mergeContacts=true', { email: 'e@example.com' });
  await buy('of-a', 'a', 7);
  await write('PATCH', '/products/product-id/p', { name: 'P' });
  await write('DELETE', '/products/product-id/q');
  assert.deepEqual(
    await news('contacts', ['externalId', 'firstName'], { tags: ['in'] }),
    [`${ids.a},a,A,false`, `${ids.b},,,true`, `${ids.c},,,true`, `${ids.d},d,D,false`, `${ids.e},,,true`].sort(),
  );
  assert.deepEqual(await news('products', ['name']), ['p,P,false', 'q,,true']);
  assert.deepEqual(await news('purchases', ['purchaseId', 'contactId']), [
    `of-a,${ids.a},false`,
    'of-c,,false',
    `of-d,${ids.d},false`,
    `of-e,${ids.d},false`,
  ]);
  await write('DELETE', '/purchases/purchase-id/of-a');
  assert.deepEqual(await news('purchases', ['purchaseId', 'lines.name'], { contact: { id: ids.a } }), [
    'of-a,,true',
    'of-c,,true',
    'of-d,,true',
    'of-e,,true',
  ]);
  const kinds = await news('activities', ['kind']);
  assert(kinds.includes('contact.merged,false') && !kinds.includes('contact.created,false'));

  const refused = async (since: string, from = send) =>
    faults(await from('POST', '/exports/', { type: 'contacts', filters: { since } }));
  const mark = whole.contacts!;
  for (const wrong of ['x', mark.replace(/^./, (first) => (first === 'a' ? 'b' : 'a')), `${mark}00`])
    assert.deepEqual(await refused(wrong), ['/filters/since invalid-format']);
  assert.deepEqual(await refused(mark, newStore('Stranger').send), ['/filters/since invalid-format']);
});

test('a purchase changes with its contact', async () => {
  for (const id of ['merged', 'kept', 'renamed', 'same']) {
    await person(id, { email: `${id}@people.example` });
    await buy(`by-${id}`, id, 5);
  }
  await write('PATCH', '/contacts/external-id/kept?mergeContacts=true', { email: 'merged@people.example' });
  const since = (await file({ type: 'purchases' })).made.watermark!;
  await write('DELETE', '/contacts/external-id/kept');
  await write('PATCH', '/contacts/external-id/renamed', { externalId: 'new-name' });
  await write('PATCH', '/contacts/external-id/same', { firstName: 'Another' });
  const changed = await file({
    type: 'purchases',
    columns: ['purchaseId', 'contact.externalId'],
    filters: { since },
  });
  assert.deepEqual(rowsOf(changed.text).sort(), ['by-kept,,false', 'by-merged,,false', 'by-renamed,new-name,false']);
});
