// Imports over the API: every row takes effect once, even if the process fails meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { newImporter, random } from './importer.ts';
import { runPage } from './page.ts';
import { newStore, psql, shopbell, start } from './support.ts';

const { store, send, queue, ended, run, counts, report, events } = newImporter('Imports');
const get = async (path: string) => (await (await send('GET', path)).json()) as Record<string, any>;
const contact = (id: string) => get(`/contacts/external-id/${id}`);

test('contacts are created, updated and left unchanged, and errors are reported by row', async () => {
  assert.equal((await send('POST', '/contact-fields/', { id: 'shoe', name: 'Shoe', type: 'integer' })).status, 201);
  const file = [
    'externalId,email,firstName,tags,points,fields.shoe,createdAt',
    'i-1,one@example.com,One,"vip|new",3,42,2020-01-01T00:00:00Z',
    'i-2,two@example.com,Two,,,,',
    'i-3,not an address,Three,,,,',
    'i-4,four@example.com,Four,,many,x,',
    ',,Nobody,,,,',
    'i-1,two@example.com,Both,,,,',
    'i-6,six@example.com',
  ].join('\r\n');
  const done = await run('contacts', file);
  assert.deepEqual(counts(done), [2, 0, 0, 5]);
  assert.deepEqual([done.total, done.processed, done.attempt], [7, 7, 1]);
  assert.deepEqual(
    done.errors.map(({ row, pointer, code }) => [row, pointer, code]),
    [
      [3, '/email', 'invalid-format'],
      [4, '/points', 'wrong-type'],
      [5, '/email', 'required'],
      [6, '', 'contact-identity-conflict'],
      [7, '', 'invalid-format'],
    ],
  );
  const one = await contact('i-1');
  assert.deepEqual([one.email, one.tags, one.points, one.fields], ['one@example.com', ['vip', 'new'], 3, { shoe: 42 }]);
  const told = (await report(done)).split('\r\n');
  assert.equal(
    told[0],
    'externalId,email,firstName,tags,points,fields.shoe,createdAt,error.row,error.pointer,error.code,error.detail',
  );
  assert.match(told[1]!, /^i-3,not an address,Three,,,,,3,\/email,invalid-format,/);
  assert.equal(told.length, 7);

  const before = events();
  const again = await run('contacts', file);
  assert.deepEqual(counts(again), [0, 0, 2, 5]);
  assert.equal(events(), before, 'no change, hence no event');
  const mended = (await report(done)).replace('not an address', 'three@example.com');
  assert.deepEqual(counts(await run('contacts', mended)), [1, 0, 0, 4]);
});

test('an empty cell is ignored, \\N clears', async () => {
  await run('contacts', 'externalId,firstName,lastName,company\ne-1,A,B,C\n');
  const done = await run('contacts', 'externalId,firstName,lastName,company\ne-1,,\\N,"\\N"\n');
  assert.deepEqual(counts(done), [0, 1, 0, 0]);
  const { firstName, lastName, company } = await contact('e-1');
  assert.deepEqual([firstName, lastName, company], ['A', null, '\\N']);
});

test('modes, matching and adding identifiers', async () => {
  await run('contacts', 'externalId,email,firstName\nm-1,m1@example.com,Old\n');
  const rows = 'externalId,email,firstName,lastName\nm-1,m1@example.com,New,Bell\nm-2,m2@example.com,Two,\n';
  const fresh = await run('contacts', rows, { mode: 'updateOnly', onlyEmpty: 'true' });
  assert.deepEqual(counts(fresh), [0, 1, 0, 1]);
  assert.equal(fresh.errors[0]!.code, 'contact-not-found');
  const filled = await contact('m-1');
  assert.deepEqual([filled.firstName, filled.lastName], ['Old', 'Bell']);
  assert.deepEqual(counts(await run('contacts', rows, { mode: 'createOnly' })), [1, 0, 1, 0]);
  assert.equal((await contact('m-1')).firstName, 'Old');
  const other = 'externalId,email\nm-9,m1@example.com\n';
  const strict = await run('contacts', other, { matchBy: 'externalId' });
  assert.equal(strict.errors[0]!.code, 'contact-identity-conflict');
  assert.deepEqual(counts(await run('contacts', other, { matchBy: 'email' })), [0, 1, 0, 0]);
  assert.equal((await contact('m-9')).email, 'm1@example.com');
});

test('with onInvalid=cell an invalid cell does not reject its row', async () => {
  const done = await run('contacts', 'externalId,firstName,phone\nc-1,Cell,nonsense\n', { onInvalid: 'cell' });
  assert.deepEqual(counts(done), [1, 0, 0, 0]);
  assert.deepEqual([done.errors[0]!.pointer, (await contact('c-1')).phone], ['/phone', null]);
});

test('a dry run reports the result and changes nothing', async () => {
  const before = events();
  const file = 'externalId,firstName\nd-1,Dry\nd-1,Drier\ni-1,Other\n';
  assert.deepEqual(counts(await run('contacts', file, { dryRun: 'true' })), [1, 2, 0, 0]);
  const products = 'productId,name,url\nd-p,Dry,https://shop.example.com/d\n';
  assert.deepEqual(counts(await run('products', products, { dryRun: 'true' })), [1, 0, 0, 0]);
  assert.equal(events(), before);
  assert.equal((await send('GET', '/contacts/external-id/d-1')).status, 404);
});

test('products, purchases, coupons and events', async () => {
  const products =
    'productId;name;url;price;categories;attributes\nbell;Bell;https://shop.example.com/b;19,90;Home|Gifts;"{""colour"":""brass""}"\ndrum;Drum;https://shop.example.com/d;5.00;;\n';
  const first = await run('products', products);
  assert.deepEqual([counts(first), first.errors[0]!.pointer], [[1, 0, 0, 1], '/price']);
  assert.deepEqual(counts(await run('products', products.replace('19,90', '19.90'))), [1, 0, 1, 0]);
  const bell = await get('/products/product-id/bell');
  assert.deepEqual([bell.price, bell.categories, bell.attributes], ['19.90', ['Home', 'Gifts'], { colour: 'brass' }]);

  const orders = [
    'purchaseId,contact.externalId,currency,total,status,purchasedAt,lines.productId,lines.quantity,lines.unitPrice',
    'o-1,buyer,EUR,44.80,paid,2026-01-02T10:00:00Z,bell,2,19.90',
    'o-1,buyer,EUR,44.80,paid,2026-01-02T10:00:00Z,drum,1,5.00',
    'o-2,buyer,EUR,5,paid,2026-01-03T10:00:00Z,drum,1,5.00',
    'o-1,buyer,EUR,19.90,paid,2026-01-02T10:00:00Z,bell,1,19.90',
    'o-3,buyer,EURO,1,paid,2026-01-03T10:00:00Z,drum,1,5.00',
  ].join('\n');
  const bought = await run('purchases', orders);
  assert.deepEqual(counts(bought), [3, 1, 0, 1]);
  const buyer = await contact('buyer');
  assert.deepEqual([buyer.purchases.count, buyer.purchases.totalAmount], [2, '24.90']);
  assert.deepEqual(counts(await run('purchases', orders)).slice(2), [1, 1]);

  const [header, line] = orders.split('\n') as [string, string];
  const broken = [
    header,
    line.replace('o-1', 'o-9'),
    `${line.replace('o-1', 'o-9')},more`,
    line.replace('o-1', 'o-9'),
    line.replace('o-1', 'o-8'),
  ];
  assert.deepEqual(counts(await run('purchases', broken.join('\n'))), [1, 0, 0, 3]);
  assert.equal((await send('GET', '/purchases/purchase-id/o-9')).status, 404);

  const set = (await (
    await send('POST', '/manage/coupon-sets/', { alias: 'imported', name: 'Imported', kind: 'unique' })
  ).json()) as { id: string };
  assert.deepEqual(counts(await run('coupons', 'code\nA-1\nA-2\na-1\n', { couponSetId: set.id })), [2, 0, 1, 0]);
  assert.equal((await get(`/coupon-sets/${set.id}`)).total, 2);

  const integration = (await (await send('POST', '/custom-integrations/', { name: 'Carts' })).json()) as { id: string };
  const type = await send('POST', `/custom-integrations/${integration.id}/custom-event-types/`, {
    name: 'Cart',
    direction: 'receive',
    alias: 'cart',
    fields: [
      { id: 'cartId', name: 'Cart', type: 'text', required: true },
      { id: 'worth', name: 'Worth', type: 'integer' },
    ],
  });
  assert.equal(type.status, 201);
  const carts =
    'eventId,contact.externalId,occurredAt,payload.cartId,payload.worth\ne-1,buyer,2026-01-02T10:00:00Z,007,3\ne-1,buyer,2026-01-02T10:00:00Z,007,3\ne-2,newcomer,2026-01-02T10:00:00Z,8,x\n';
  const sent = await run('events', carts, { eventType: 'cart' });
  assert.deepEqual([counts(sent), sent.errors[0]!.pointer], [[1, 0, 1, 1], '/payload/worth']);
  const payload = psql(
    `SELECT payload FROM event WHERE account_id = ${store.account} AND kind LIKE 'custom.%' OR payload->>'cartId' = '007' LIMIT 1`,
  );
  assert.match(payload, /"cartId": "007"/);
});

test('an erased, unsubscribed person stays so until a file has a later consent', async () => {
  const goodbye = { emailSubscription: 'unsubscribed' };
  for (const name of ['one', 'two']) {
    await send('PATCH', `/contacts/email/${name}@erased.example?createContact=true`, goodbye);
    assert.equal((await send('DELETE', `/contacts/email/${name}@erased.example`)).status, 204);
  }
  const lines = [
    { email: 'one@erased.example', emailSubscription: 'subscribed' },
    { email: 'two@erased.example', consent: [{ channel: 'email', status: 'subscribed', source: 'letter' }] },
  ];
  await run('contacts', lines.map((line) => JSON.stringify(line)).join('\n'), { format: 'ndjson' });
  const now = async (name: string) => (await get(`/contacts/email/${name}@erased.example`)).emailSubscription;
  assert.deepEqual([await now('one'), await now('two')], ['unsubscribed', 'subscribed']);
});

test('importing an uncorrected report gives the same report', async () => {
  const wrong = await run('contacts', 'externalId,email,firstName\nr-1,"not, an address",A\nr-2,x,"B ""b"""\n');
  const once = await report(wrong);
  assert.equal(once.split('\r\n').length, 4);
  assert.equal(await report(await run('contacts', once)), once);
});

test('NDJSON and compressed files', async () => {
  const lines =
    '\ufeff{"externalId":"j-1","tags":["a"]}\n\n{"externalId":"j-2"}\r\n{"externalId":\n[1]\n{"externalId":"j-3","nonsense":1}';
  const done = await run('contacts', lines, { format: 'ndjson' });
  assert.deepEqual(counts(done), [2, 0, 0, 3]);
  assert.match(await report(done), /^line,error.row,error.pointer,error.code,error.detail\r\n"?\{/);
  const rows = ['externalId,firstName', ...Array.from({ length: 3000 }, (_, i) => `z-${i},Packed ${i}`)].join('\n');
  assert.deepEqual(counts(await run('contacts', gzipSync(rows))), [3000, 0, 0, 0]);
  assert.deepEqual(counts(await run('contacts', rows)), [0, 0, 3000, 0]);
  const cut = await ended((await queue('contacts', gzipSync(rows).subarray(0, 5000))).id);
  assert.deepEqual([cut.status, (cut.error as { code: string }).code], ['error', 'file-unreadable']);
});

test('a file that is invalid as a whole changes nothing', async () => {
  for (const [file, code] of [
    ['externalId,shoeSize\nx,1\n', 'unknown-column'],
    ['externalId,externalId\nx,1\n', 'file-unreadable'],
    ['externalId,"firstName\nx,1\n', 'file-unreadable'],
    ['externalId,fields.nothing\nx,1\n', 'unknown-column'],
  ] as const) {
    const done = await ended((await queue('contacts', file)).id);
    assert.deepEqual([done.status, (done.error as { code: string }).code], ['error', code], file);
  }
  assert.equal((await send('GET', '/contacts/external-id/x')).status, 404);
});

test('an import has the same result as single requests', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`);
  const next = random(seed);
  const rows = Array.from({ length: 400 }, () => {
    const cell = (chance: number, text: string) => (next(100) < chance ? text : '');
    return {
      externalId: cell(80, `x-${next(30)}`),
      email: cell(60, `p${next(25)}@example.com`),
      firstName: cell(50, `Name ${next(4)}`),
      emailSubscription: cell(30, ['subscribed', 'unsubscribed', 'none', 'nonsense'][next(4)]!),
      points: cell(30, String(next(5))),
      // A file has one `sourceUpdatedAt` for all rows, so the requests get the same.
      sourceUpdatedAt: '2026-01-01T00:00:00Z',
    };
  });
  const file = [
    'externalId,email,firstName,emailSubscription,points,sourceUpdatedAt',
    ...rows.map((row) => Object.values(row).join(',')),
  ].join('\n');
  const imported = newImporter('Imported');
  const done = await imported.run('contacts', file, { matchBy: 'externalId', triggerWorkflows: 'all' });
  const sent = newStore('Sent');
  const judged = [0, 0, 0, 0];
  for (const row of rows) {
    const { externalId, points, ...texts } = Object.fromEntries(Object.entries(row).filter(([, text]) => text !== ''));
    const body = { ...texts, ...(points ? { points: Number(points) } : {}) };
    const path = `/contacts/external-id/${externalId}`;
    // A response that grows by a warning may be compressed, which changes only the tag's suffix.
    const tag = (answer: Response) => answer.headers.get('etag')?.replace(/-(gzip|zstd)"$/, '"');
    const before = externalId ? tag(await sent.send('GET', path)) : undefined;
    const answer = externalId
      ? await sent.send('PATCH', `${path}?createContact=true`, body)
      : new Response(null, { status: 422 });
    await answer.text();
    ++judged[answer.status === 201 ? 0 : answer.status !== 200 ? 3 : tag(answer) === before ? 2 : 1]!;
  }
  // A request finds a contact by its e-mail address, while a file that matches by external id does not. The data has no
  // such case: every contact was created by its external id.
  assert.deepEqual(imported.counts(done), judged);
  const state = (account: string) =>
    psql(`SELECT external_id, email, first_name, email_subscription, points, event_seq,
                 (SELECT string_agg(kind || coalesce(payload->>'after', ''), ' ' ORDER BY contact_seq) FROM event e
                   WHERE e.account_id = c.account_id AND e.contact_id = c.contact_id)
            FROM contact c WHERE account_id = ${account} ORDER BY external_id`);
  assert.equal(state(imported.account), state(sent.account));
});

test('a killed process loses no row and repeats none', async (t) => {
  const slow = newImporter('Killed');
  const rows = ['externalId,points', ...Array.from({ length: 40_000 }, (_, i) => `k-${i % 20_000},${i % 7}`)].join(
    '\n',
  );
  const other = await start(t);
  const { id } = await slow.queue('contacts', rows);
  let kills = 0;
  for (let last = 0; kills < 3;) {
    await sleep(50);
    const now = await slow.read(id);
    if (now.status === 'finished') break;
    if (now.processed > last + 5000) {
      last = now.processed;
      // Terminates the sessions of all processes in the middle of their work.
      psql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('shopbell_api', 'shopbell_worker')`,
      );
      if (++kills === 2) other.process.kill('SIGKILL');
    }
  }
  const done = await slow.ended(id);
  assert.equal(done.status, 'finished', JSON.stringify(done));
  assert.equal(done.processed, 40_000);
  assert.equal(
    psql(`SELECT count(*), count(*) FILTER (WHERE event_seq = (SELECT count(*) FROM event e WHERE e.account_id = c.account_id
    AND e.contact_id = c.contact_id)) FROM contact c WHERE account_id = ${slow.account}`),
    '20000|20000',
  );
});

test('an import is cancelled within a second, and written rows stay', async () => {
  const many = newImporter('Cancelled');
  const rows = ['externalId,firstName', ...Array.from({ length: 100_000 }, (_, i) => `c-${i},Name`)].join('\n');
  const { id } = await many.queue('contacts', rows);
  while ((await many.read(id)).processed === 0) await sleep(20);
  assert.equal((await many.send('POST', `/manage/imports/${id}/cancel`)).status, 200);
  const cancelled = await many.read(id);
  assert.equal(cancelled.status, 'cancelled');
  const left = () => Number(psql(`SELECT count(*) FROM contact WHERE account_id = ${many.account}`));
  const then = left();
  await sleep(1500);
  assert.equal(left(), then);
  assert.equal(then, cancelled.processed);
});

test('the examples of docs/imports.md run', () => {
  runPage('docs/imports.md', store.key, (file) => assert.match(file('report.csv').toString(), /invalid-format/));
});

test('the command sends a file and waits for the result', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'import-'));
  try {
    const file = join(directory, 'people.csv');
    writeFileSync(file, 'externalId,firstName\ncli-1,One\ncli-2,Two\n');
    const ran = shopbell(['import', 'contacts', file, '--account', store.account]);
    assert.equal(ran.status, 0, ran.stderr + ran.stdout);
    assert.equal((await contact('cli-2')).firstName, 'Two');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
