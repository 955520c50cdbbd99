// Exports over the API: every type and file format, and invalid requests. The `export` command gives the same results.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { bytesOf, newExporter, rowsOf, type Export, type NewExport } from './exporter.ts';
import { runPage } from './page.ts';
import { expectProblem, faults, openapi, psql, shopbell } from './support.ts';

const { store, send, account, queue, finished, file, write } = newExporter('Exports');

await write('POST', '/contact-fields/', { id: 'size', name: 'Size', type: 'text' });
await write('POST', '/contact-fields/', {
  id: 'likes',
  name: 'Likes',
  type: 'choices',
  options: [
    { id: 'tea', label: 'Tea' },
    { id: 'coffee', label: 'Coffee' },
  ],
});
const eva = (await write('PATCH', '/contacts/external-id/c-1?createContact=true', {
  email: 'eva@example.com',
  firstName: 'Eva, "the" bell',
  lastName: '=1+1',
  phone: '+436641234567',
  tags: ['vip', 'new'],
  points: -5,
  fields: { size: '@SUM(A1)', likes: ['tea', 'coffee'] },
}))!;
await write('PATCH', '/contacts/external-id/c-2?createContact=true', { firstName: 'Two', tags: ['new'] });
await write('PATCH', '/products/product-id/bell', {
  name: 'Bell',
  url: 'https://bell.example/bell',
  price: '19.9',
  categories: ['Home/Bells', 'Gifts'],
  availability: 'inStock',
  attributes: { colour: 'brass' },
});
await write('PATCH', '/products/product-id/drum', {
  name: '-Drum',
  url: 'https://bell.example/drum',
  description: 'Two\nlines',
});
for (const [purchaseId, status] of [
  ['o-1', 'paid'],
  ['o-2', 'placed'],
]) {
  await write('POST', '/purchases/', {
    purchaseId,
    status,
    contact: { externalId: purchaseId === 'o-1' ? 'c-1' : 'c-2' },
    currency: 'EUR',
    total: '30',
    purchasedAt: '2026-01-01T10:00:00Z',
    lines: [
      { lineId: '1', productId: 'bell', quantity: 1, unitPrice: '10', total: '10' },
      { lineId: '2', productId: 'drum', name: '=evil', quantity: 2, unitPrice: '10', total: '20' },
    ],
  });
}

test('an export goes from queued to finished, and its file matches its metadata', async () => {
  const body = { type: 'contacts', columns: ['externalId', 'firstName', 'lastName', 'phone', 'points'] };
  const answer = await send('POST', '/exports/', body);
  assert.equal(answer.status, 201);
  const queued = (await answer.json()) as Export;
  assert.equal(answer.headers.get('location'), `/exports/${queued.id}`);
  const { id, createdAt, updatedAt, fileName, ...rest } = queued;
  assert.equal(createdAt, updatedAt);
  assert.match(fileName, /^contacts-\d{8}-\d{6}\.csv$/);
  assert.deepEqual(rest, {
    ...body,
    format: 'csv',
    compression: 'none',
    delimiter: ',',
    rawText: false,
    filters: {},
    report: null,
    from: null,
    to: null,
    granularity: null,
    timeZone: null,
    groupBy: [],
    status: 'queued',
    progress: { done: 0, total: null },
    attempt: 0,
    rows: null,
    bytes: null,
    sha256: null,
    watermark: null,
    fileUrl: null,
    error: null,
    startedAt: null,
    finishedAt: null,
    expiresAt: null,
  });
  const made = await finished(id);
  assert.deepEqual([made.rows, made.progress, made.attempt, made.status], [2, { done: 2, total: 2 }, 1, 'finished']);
  const kept = Date.parse(made.expiresAt!) - Date.parse(made.finishedAt!);
  assert.equal(kept, 7 * 24 * 3600 * 1000);
  const bytes = await bytesOf(made);
  assert.equal(made.bytes, bytes.length);
  assert.equal(made.sha256, createHash('sha256').update(bytes).digest('hex'));
  assert.equal(
    bytes.toString(),
    'externalId,firstName,lastName,phone,points\n' +
      `c-1,"Eva, ""the"" bell",'=1+1,+436641234567,-5\n` +
      'c-2,Two,,,0\n',
  );
  const again = await send('GET', `/exports/${id}`);
  const known = { 'if-none-match': again.headers.get('etag')! };
  assert.equal((await send('GET', `/exports/${id}`, undefined, known)).status, 304);
  const told = psql(
    `SELECT payload->>'rows' || ' ' || (payload->>'status') FROM event WHERE account_id = ${account}
      AND kind = 'export.finished' AND subject = '${id}'`,
  );
  assert.equal(told, '2 finished');
});

test('without a column list all columns are exported, custom fields last', async () => {
  const { text } = await file({ type: 'contacts', rawText: true, filters: { tags: ['vip', 'new'] } });
  const [header, ...rows] = text.trimEnd().split('\n');
  const { consent, fields, warnings, ...members } = openapi.components.schemas.Contact.properties;
  const totals = ['count', 'totalAmount', 'currency', 'firstAt', 'lastAt'].map((name) => `purchases.${name}`);
  const names = Object.keys(members).flatMap((name) => (name === 'purchases' ? totals : [name]));
  assert.deepEqual(header!.split(','), [...names, 'fields.size', 'fields.likes']);
  assert.equal(rows.length, 1);
  assert.match(
    rows[0]!,
    new RegExp(
      `^${eva.id},eva@example.com,c-1,"Eva, ""the"" bell",=1\\+1,.*,vip\\|new,-5,none,none,active,active,` +
        '1,30.00,EUR,2026-01-01T10:00:00.000Z,2026-01-01T10:00:00.000Z,,[-0-9T:.]{23}Z,[-0-9T:.]{23}Z,' +
        '@SUM\\(A1\\),tea\\|coffee$',
    ),
  );
});

test('cells that a spreadsheet would execute are escaped, unless raw cells are requested', async () => {
  const columns = ['lastName', 'fields.size'];
  const filters = { tags: ['vip'] };
  assert.deepEqual(rowsOf((await file({ type: 'contacts', columns, filters })).text), [`'=1+1,'@SUM(A1)`]);
  assert.deepEqual(rowsOf((await file({ type: 'contacts', columns, filters, rawText: true })).text), ['=1+1,@SUM(A1)']);
});

test('NDJSON has the members of the API', async () => {
  const { made, text } = await file({ type: 'contacts', format: 'ndjson' });
  assert.match(made.fileName, /\.ndjson$/);
  const [first, second] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const shown = (await (await send('GET', '/contacts/external-id/c-1')).json()) as Record<string, unknown>;
  for (const name of ['id', 'email', 'firstName', 'lastName', 'tags', 'points', 'fields', 'updatedAt'])
    assert.deepEqual(first[name], shown[name], name);
  assert.equal(first.purchases.totalAmount, '30.00');
  assert.equal(second.firstName, 'Two');
  assert.deepEqual(second.fields, {});
});

test('a file can be compressed, and its delimiter can be chosen', async () => {
  const body = { type: 'products', columns: ['productId', 'name', 'categories'], delimiter: ';' };
  const plain = (await file(body)).text;
  assert.equal(plain, `productId;name;categories\nbell;Bell;Home/Bells|Gifts\ndrum;'-Drum;\n`);
  const zipped = await finished((await queue({ ...body, compression: 'gzip' })).id);
  assert.match(zipped.fileName, /\.csv\.gz$/);
  assert.equal(gunzipSync(await bytesOf(zipped)).toString(), plain);
  const archive = await finished((await queue({ ...body, compression: 'zip' })).id);
  const list = `import io, sys, zipfile
z = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert z.testzip() is None
print(z.namelist()[0]); sys.stdout.write(z.read(z.namelist()[0]).decode())`;
  const opened = spawnSync('python3', ['-c', list], { input: await bytesOf(archive), encoding: 'utf8' });
  assert.equal(opened.stdout, `${archive.fileName.replace(/\.zip$/, '')}\n${plain}`, opened.stderr);
});

test('products are filtered by availability and category', async () => {
  const ids = async (filters: object) =>
    rowsOf((await file({ type: 'products', columns: ['productId'], filters })).text);
  assert.deepEqual(await ids({ availability: ['inStock'] }), ['bell']);
  assert.deepEqual(await ids({ categories: ['Home'] }), ['bell']);
  assert.deepEqual(await ids({ categories: ['Hom'] }), []);
  assert.deepEqual(await ids({ updatedAfter: '2999-01-01T00:00:00Z' }), []);
  const lines = await file({ type: 'products', columns: ['productId', 'description'] });
  assert.deepEqual([lines.made.rows, lines.text], [2, 'productId,description\nbell,\ndrum,"Two\nlines"\n']);
  const { text } = await file({ type: 'products', format: 'ndjson' });
  const bell = JSON.parse(text.split('\n')[0]!);
  assert.deepEqual([bell.price, bell.attributes, bell.hidden], ['19.90', { colour: 'brass' }, false]);
});

test('purchases are exported line by line, or whole', async () => {
  const ofLines = ['lines.productId', 'lines.name', 'lines.total'];
  const columns = ['purchaseId', 'contact.externalId', 'status', 'total', ...ofLines];
  const { made, text } = await file({ type: 'purchases', columns });
  assert.equal(made.rows, 4);
  assert.deepEqual(rowsOf(text), [
    'o-1,c-1,paid,30.00,bell,,10.00',
    `o-1,c-1,paid,30.00,drum,'=evil,20.00`,
    'o-2,c-2,placed,30.00,bell,,10.00',
    `o-2,c-2,placed,30.00,drum,'=evil,20.00`,
  ]);
  const ids = async (filters: object) =>
    rowsOf((await file({ type: 'purchases', columns: ['purchaseId'], filters })).text);
  assert.deepEqual(await ids({ status: ['paid', 'refunded'] }), ['o-1']);
  assert.deepEqual(await ids({ contact: { externalId: 'c-2' } }), ['o-2']);
  assert.deepEqual(await ids({ contact: { email: 'EVA@example.com' } }), ['o-1']);
  assert.deepEqual(await ids({ contact: { id: eva.id }, from: '2026-01-01T10:00:00Z' }), ['o-1']);
  assert.deepEqual(await ids({ to: '2026-01-01T10:00:00Z' }), []);
  const whole = (await file({ type: 'purchases', format: 'ndjson' })).text;
  const first = JSON.parse(whole.split('\n')[0]!);
  assert.deepEqual([first.contact.externalId, first.lines.length, first.netTotal], ['c-1', 2, '30.00']);
});

test('coupons of one set are filtered by their state', async () => {
  await write('POST', '/manage/coupon-sets/', { alias: 'ten', name: 'Ten', kind: 'unique' });
  await write('POST', '/manage/coupon-sets/ten/codes', { codes: ['A-1', 'A-2'] });
  await write('POST', '/purchases/', {
    purchaseId: 'o-3',
    contact: { externalId: 'c-1' },
    currency: 'EUR',
    total: 1,
    couponCodes: ['a-2'],
    lines: [{ name: 'x', quantity: 1 }],
  });
  const columns = ['code', 'couponSet', 'state'];
  const rows = async (filters: object) => rowsOf((await file({ type: 'coupons', columns, filters })).text);
  assert.deepEqual(await rows({ couponSet: 'ten' }), ['A-1,ten,available', 'A-2,ten,redeemed']);
  assert.deepEqual(await rows({ couponSet: 'ten', state: 'available' }), ['A-1,ten,available']);
  assert.deepEqual(await rows({ couponSet: 'ten', state: 'assigned' }), []);
  assert.equal((await send('DELETE', '/purchases/purchase-id/o-3')).status, 204);
});

test('activities are filtered by kind, contact and time', async () => {
  const columns = ['kind', 'contactId', 'data'];
  const filters = { contact: { externalId: 'c-1' }, kinds: ['contact.created', 'purchase.created'] };
  const { text } = await file({ type: 'activities', columns, filters, rawText: true });
  const rows = rowsOf(text);
  assert(rows[0]!.startsWith(`contact.created,${eva.id},"{`));
  assert(rows.every((row) => row.includes(eva.id)));
  const none = await file({ type: 'activities', filters: { from: '2999-01-01T00:00:00Z' } });
  assert.equal(none.made.rows, 0);
  const { text: lines } = await file({ type: 'activities', format: 'ndjson', filters });
  assert.equal(JSON.parse(lines.split('\n')[0]!).data.after.firstName, 'Eva, "the" bell');
});

test('all faults of a request are reported at once', async () => {
  const told = async (body: object) => faults(await send('POST', '/exports/', body));
  assert.deepEqual(await told({ type: 'people', format: 'xml', compression: 'rar', delimiter: ':', x: 1 }), [
    '/type not-an-option',
    '/format not-an-option',
    '/compression not-an-option',
    '/delimiter not-an-option',
    '/x unknown-member',
  ]);
  assert.deepEqual(await told({}), ['/type required']);
  assert.deepEqual(await told({ type: 'contacts', filters: { from: '2026-01-01T00:00:00Z', until: 'x' } }), [
    '/filters/until unknown-member',
    '/filters/from unknown-member',
  ]);
  assert.deepEqual(await told({ type: 'coupons', filters: { couponSet: 'ten', since: 'x' } }), [
    '/filters/since unknown-member',
  ]);
  // Dropping an invalid filter would export too much, so even lenient mode rejects it.
  const lenient = { prefer: 'handling=lenient' };
  const wide = { type: 'contacts', filters: { tags: 'vip', emailSubscription: 'maybe' } };
  assert.deepEqual(await faults(await send('POST', '/exports/', wide, lenient)), [
    '/filters/tags wrong-type',
    '/filters/emailSubscription not-an-option',
  ]);
  assert.deepEqual(await told({ type: 'coupons' }), ['/filters/couponSet required']);
  assert.deepEqual(await told({ type: 'coupons', filters: { couponSet: 'none' } }), [
    '/filters/couponSet not-an-option',
  ]);
  assert.deepEqual(await told({ type: 'contacts', columns: ['email', 'nothing', 'fields.none', 'lines'] }), [
    '/columns/1 not-an-option',
    '/columns/2 not-an-option',
    '/columns/3 not-an-option',
  ]);
  assert.deepEqual(await told({ type: 'purchases', format: 'ndjson', columns: ['lines.name'] }), [
    '/columns/0 not-an-option',
  ]);
  const both = { contact: { email: 'a@example.com', externalId: 'x' }, from: '2026-01-02T00:00:00Z' };
  assert.deepEqual(await told({ type: 'purchases', filters: { ...both, to: '2026-01-01T00:00:00Z' } }), [
    '/filters/contact conflicts-with',
    '/filters/to conflicts-with',
  ]);
  const nobody = { type: 'purchases', filters: { contact: { externalId: 'nobody' } } };
  await expectProblem(await send('POST', '/exports/', nobody), 422, 'contact-not-found');
});

test('the same Idempotency-Key creates one export', async () => {
  const body: NewExport = { type: 'contacts', columns: ['id'] };
  const once = { 'idempotency-key': 'export-once' };
  const first = (await (await send('POST', '/exports/', body, once)).json()) as Export;
  const answer = await send('POST', '/exports/', body, once);
  assert.equal(answer.headers.get('idempotent-replayed'), 'true');
  assert.equal(((await answer.json()) as Export).id, first.id);
  await expectProblem(await send('POST', '/exports/', { type: 'products' }, once), 422, 'idempotency-key-reused');
  await finished(first.id);
});

test('the command writes the same file, without a job', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'export-'));
  try {
    const target = join(directory, 'People 2026.csv');
    const args = ['--account', account, '--columns', 'externalId,lastName', '--filters', '{"tags":["vip"]}'];
    const ran = shopbell(['export', 'contacts', '-o', target, ...args]);
    assert.equal(ran.status, 0, ran.stderr);
    const body = { type: 'contacts', columns: ['externalId', 'lastName'], filters: { tags: ['vip'] } };
    const { made, text } = await file(body);
    assert.equal(readFileSync(target, 'utf8'), text);
    assert.match(ran.stdout, new RegExp(`^rows=1\nbytes=${text.length}\nsha256=${made.sha256}$`, 'm'));
    const no = ['--account', account, '--columns', 'no'];
    const wrong = shopbell(['export', 'contacts', '-o', join(directory, 'x'), ...no]);
    assert.equal(wrong.status, 1);
    assert.match(wrong.stderr, /\/columns\/0 not-an-option/);
    assert(!existsSync(join(directory, 'x')));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('the examples of docs/exports.md run', () => {
  runPage('docs/exports.md', store.key, (file) => {
    assert.match(file('vip.csv').toString(), /^email,firstName,fields\.size\neva@example\.com,/);
    const sold = file('sold.csv').toString();
    assert.match(sold, /^period,channel,currency,purchases,[^\n]*\n2025-12-29,,EUR,1,1,3,30\.00,/);
    assert.deepEqual([...file('eva.zip').subarray(0, 4)], [0x50, 0x4b, 3, 4]);
  });
});
