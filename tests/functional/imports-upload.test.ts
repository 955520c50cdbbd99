// Uploads of imports over the API: all ways to send a file, and invalid uploads.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { Wire, asCsv, csv, formOf, newUploader, type Import } from './uploader.ts';
import { eventually, expectProblem, faults, psql, shopbell } from './support.ts';

const store = newUploader('Uploads');
const { post, upload, made, head, stored, underWay, send, account } = store;
const file = (text: string | Buffer = csv, type = 'text/csv') =>
  new Blob([typeof text === 'string' ? text : new Uint8Array(text)], { type });
const dry = '{"dryRun":true}';

/** A zstd frame that stores the text uncompressed (RFC 8878). */
function zstd(text: string): Buffer {
  const size = Buffer.byteLength(text);
  assert(size < 256);
  const block = (size << 3) | 1;
  return Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, size, block & 255, (block >> 8) & 255, block >> 16]),
    Buffer.from(text),
  ]);
}

test('a multipart form uploads a file', async () => {
  const shown = await made(
    upload([
      ['type', 'contacts'],
      ['options', '{"dryRun":true,"delimiter":",","mode":"createOnly"}'],
      ['file', file(), 'people.csv'],
    ]),
  );
  assert.equal(shown.status, 'queued');
  assert.deepEqual([shown.type, shown.fileName, shown.bytes], ['contacts', 'people.csv', csv.length]);
  assert.deepEqual(shown.options, {
    format: 'csv',
    delimiter: ',',
    mode: 'createOnly',
    onlyEmpty: false,
    matchBy: 'auto',
    onInvalid: 'row',
    couponSetId: null,
    eventType: null,
    dryRun: true,
    triggerWorkflows: 'none',
  });
  assert.deepEqual([shown.processed, shown.failed, shown.errors, shown.total], [0, 0, [], null]);
  assert.deepEqual([shown.errorReportUrl, shown.error, shown.startedAt], [null, null, null]);
  assert.equal(stored(shown.id).toString(), csv);
  const read = (await (await send('GET', `/imports/${shown.id}`)).json()) as Import;
  assert.deepEqual([read.id, read.createdAt], [shown.id, shown.createdAt]);
});

test('the file part may come before the other parts', async () => {
  const parts: [string, string | Blob, string?][] = [
    ['file', file('{"email":"ada@example.com"}\n', 'application/x-ndjson'), 'a.txt'],
    ['options', dry],
    ['type', 'contacts'],
  ];
  const shown = await made(upload(parts));
  assert.deepEqual([shown.fileName, shown.options.format, shown.options.dryRun], ['a.txt', 'ndjson', true]);
});

test('a file can be the whole body: plain, chunked and compressed', async () => {
  const query = '?type=contacts&dryRun=true';
  const plain = await made(post(`${query}&onInvalid=cell&onlyEmpty=true`, csv, asCsv));
  assert.deepEqual([plain.fileName, plain.options.onInvalid, plain.options.onlyEmpty], ['contacts.csv', 'cell', true]);
  assert.equal(stored(plain.id).toString(), csv);

  const pieces = new ReadableStream({
    async start(controller) {
      for (const letter of csv) {
        controller.enqueue(Buffer.from(letter));
        if (letter === '\n') await sleep(20);
      }
      controller.close();
    },
  });
  const chunked = await made(post(query, pieces, { 'content-type': 'text/csv; charset=utf-8' }));
  assert.equal(stored(chunked.id).toString(), csv);

  const coding = (id: string) => psql(`SELECT options->>'coding' FROM job WHERE job_id = '${id}'`);
  for (const [name, packed] of [
    ['gzip', gzipSync(csv)],
    ['zstd', zstd(csv)],
  ] as const) {
    const told = await made(post(query, packed, { ...asCsv, 'content-encoding': name }));
    const untold = await made(post(query, packed, asCsv));
    const form = await made(
      upload([
        ['type', 'contacts'],
        ['options', dry],
        ['file', file(packed), 'a.csv'],
      ]),
    );
    for (const shown of [told, untold, form]) {
      assert.equal(coding(shown.id), name);
      assert.deepEqual(stored(shown.id), packed);
      assert.equal(shown.bytes, packed.length);
    }
    assert.equal(told.fileName, name === 'gzip' ? 'contacts.csv.gz' : 'contacts.csv.zst');
  }
  for (const { id } of ((await (await send('GET', '/imports/?limit=100')).json()) as { data: Import[] }).data)
    assert.equal((await send('DELETE', `/imports/${id}`)).status, 204);
});

test('file names are never used as paths', async () => {
  for (const [sent, kept] of [
    ['../../../etc/passwd', 'passwd'],
    ['C:\\data\\a.csv', 'a.csv'],
    ['..', 'contacts.csv'],
    ['a\u202ecsv.exe', 'acsv.exe'],
    ['x'.repeat(300), 'x'.repeat(255)],
  ] as const) {
    const shown = await made(
      upload([
        ['type', 'contacts'],
        ['options', dry],
        ['file', file(), sent],
      ]),
    );
    assert.equal(shown.fileName, kept);
    await send('DELETE', `/imports/${shown.id}`);
  }
});

test('all faults of a form are reported at once, and nothing is stored', async () => {
  const refused = async (...parts: [string, string | Blob, string?][]) => faults(await upload(parts));
  assert.deepEqual(await refused(['x', 'y']), ['/x unknown-member', '/file required', '/type required']);
  assert.deepEqual(
    await refused(
      ['type', 'people'],
      ['type', 'contacts'],
      ['file', file(), 'a.csv'],
      ['file', file(), 'b.csv'],
      ['options', '{"mode":"x","dryRun":"yes","y":1}'],
    ),
    [
      '/type duplicate',
      '/file duplicate',
      '/type not-an-option',
      '/options/mode not-an-option',
      '/options/dryRun wrong-type',
      '/options/y unknown-member',
    ],
  );
  for (const [type, options, ...expected] of [
    ['contacts', '{', '/options invalid-format'],
    ['contacts', '{"eventType":"x"}', '/options/eventType unknown-member'],
    ['events', '{}', '/options/eventType required'],
    ['events', '{"eventType":"nobody"}', '/options/eventType not-an-option'],
    ['coupons', '{}', '/options/couponSetId required'],
    ['coupons', '{"couponSetId":"none"}', '/options/couponSetId not-an-option'],
    ['products', '{"format":"ndjson","delimiter":","}', '/options/delimiter conflicts-with'],
  ] as [string, string, ...string[]][]) {
    assert.deepEqual(await refused(['type', type], ['options', options], ['file', file(), 'a']), expected);
    assert.deepEqual(await refused(['file', file(), 'a'], ['options', options], ['type', type]), expected);
  }
  await expectProblem(await post('?type=contacts', formOf([['file', file()]])), 422, 'invalid-parameter');
  assert.equal(underWay(), 0);
});

test('all faults of a query are reported at once', async () => {
  const refused = async (query: string, type = 'text/csv') => {
    const problem = await expectProblem(await post(query, csv, { 'content-type': type }), 422, 'invalid-parameter');
    return problem.errors!.map(({ parameter, code }) => `${parameter} ${code}`);
  };
  assert.deepEqual(await refused('?type=people&dryRun=yes'), ['type not-an-option', 'dryRun wrong-type']);
  assert.deepEqual(await refused(''), ['type required']);
  assert.deepEqual(await refused('?type=events&mode=createOnly'), ['mode unknown-member', 'eventType required']);
  assert.deepEqual(await refused('?type=coupons&couponSetId=none'), ['couponSetId not-an-option']);
  assert.deepEqual(await refused('?type=contacts&format=ndjson'), ['format conflicts-with']);
  await expectProblem(await post('?typ=contacts', csv, asCsv), 422, 'unknown-parameter');
});

test('objects that an import refers to must exist', async () => {
  const set = await send('POST', '/manage/coupon-sets/', { alias: 'ten', name: 'Ten', kind: 'unique' });
  const { id } = (await set.json()) as { id: string };
  const shown = await made(post('?type=coupons&couponSetId=ten&dryRun=true', 'code\nA-1\n', asCsv));
  assert.equal(shown.options.couponSetId, id);
  const integration = await (await send('POST', '/custom-integrations/', { name: 'Till' })).json();
  const types = `/custom-integrations/${(integration as { id: string }).id}/custom-event-types/`;
  const event = await send('POST', types, { name: 'Rang', alias: 'rang', direction: 'receive' });
  assert.equal(event.status, 201, await event.clone().text());
  const typeId = ((await event.json()) as { id: string }).id;
  const events = await made(post('?type=events&eventType=rang&dryRun=true', 'email\na@example.com\n', asCsv));
  assert.equal(events.options.eventType, typeId);
});

test('unsupported media types and codings are rejected', async () => {
  await expectProblem(await send('POST', '/imports/', {}), 415, 'unsupported-media-type');
  await expectProblem(
    await post('?type=contacts', csv, { 'content-type': 'text/csv; charset=latin1' }),
    415,
    'unsupported-media-type',
  );
  await expectProblem(
    await post('?type=contacts', csv, { ...asCsv, 'content-encoding': 'br' }),
    415,
    'unsupported-encoding',
  );
  const packed = { 'content-type': 'multipart/form-data; boundary=x', 'content-encoding': 'gzip' };
  await expectProblem(await post('', gzipSync('--x--'), packed), 415, 'unsupported-encoding');
});

test('unreadable files are rejected', async () => {
  for (const bytes of ['', Buffer.from('PK\x03\x04 and so on')]) {
    const form = upload([
      ['type', 'contacts'],
      ['options', dry],
      ['file', file(bytes), 'a.csv'],
    ]);
    await expectProblem(await form, 422, 'file-unreadable');
    await expectProblem(await post('?type=contacts', bytes, asCsv), 422, 'file-unreadable');
  }
  const lie = await post('?type=contacts', csv, { ...asCsv, 'content-encoding': 'gzip' });
  await expectProblem(lie, 422, 'file-unreadable');
});

test('malformed multipart forms are rejected', async () => {
  const part = '--x\r\nContent-Disposition: form-data; name="type"\r\n\r\ncontacts\r\n';
  const start = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail';
  for (const [body, type] of [
    [`${part}--x--`, 'multipart/form-data'],
    [`${part}--x--`, `multipart/form-data; boundary=${'x'.repeat(71)}`],
    [`${part}--x--`, 'multipart/form-data; boundary=y'],
    [part, 'multipart/form-data; boundary=x'],
    [part + start, 'multipart/form-data; boundary=x'],
    [`--x\r\n\r\n--x--`, 'multipart/form-data; boundary=x'],
    [part.repeat(17) + '--x--', 'multipart/form-data; boundary=x'],
    ['', 'multipart/form-data; boundary=x'],
    ['y'.repeat(1_000_000), 'multipart/form-data; boundary=x'],
  ] as const)
    await expectProblem(await post('', body, { 'content-type': type }), 400, 'malformed-form');
  const large = await upload([['options', `{"x":"${'y'.repeat(70_000)}"}`]]);
  await expectProblem(large, 413, 'body-too-large');
});

test('a retry gets the first response, even with another boundary', async () => {
  const again = (text = csv) =>
    upload(
      [
        ['type', 'contacts'],
        ['options', dry],
        ['file', file(text), 'a.csv'],
      ],
      { 'idempotency-key': 'monday' },
    );
  const first = await again();
  const shown = await made(first);
  const second = await again();
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  assert.equal((await made(second)).id, shown.id);
  await expectProblem(await again(`${csv}bob@example.com,Bob\n`), 422, 'idempotency-key-reused');
  assert.equal(underWay(), 0);
});

/** Inserts imports that are in progress and never finish. */
const occupy = (count: number) =>
  psql(
    `INSERT INTO job (account_id, job_id, kind, type, state, leased_until, options, queued_at, updated_at)
     SELECT ${account}, gen_random_uuid(), 'import', 'contacts', 'inProgress', now() + interval '1 hour',
            '{"type":"contacts","fileName":"held.csv"}', now(), now() FROM generate_series(1, ${count})
     RETURNING job_id`,
  ).split('\n');
const release = () =>
  psql(`DELETE FROM job WHERE account_id = ${account};
        UPDATE stored_file SET remove_at = now() WHERE account_id = ${account}`);

test('the eleventh unfinished import is rejected before its upload', async () => {
  const repeat = () => post('?type=contacts&dryRun=true', csv, { ...asCsv, 'idempotency-key': 'room' });
  release();
  const { id } = await made(repeat());
  release();
  occupy(10);
  const wire = new Wire();
  await wire.send(head('?type=contacts', ['Content-Type: text/csv', 'Content-Length: 1000', 'Expect: 100-continue']));
  assert.equal(await wire.status(), 429);
  assert(/^Retry-After: \d+\r$/m.test(wire.text));
  wire.leave();
  await expectProblem(await upload([['type', 'contacts']]), 429, 'import-queue-full');
  assert.equal((await made(repeat())).id, id); // a replay: this request was accepted before the limit was reached
  release();
  occupy(9);
  // An upload in flight counts towards the queue limit. It is rejected too if the queue is full when it ends.
  const under = new Wire();
  await under.send(
    head('?type=contacts&dryRun=true', ['Content-Type: text/csv', `Content-Length: ${csv.length}`]) + 'em',
  );
  await eventually(() => underWay() === 1);
  await expectProblem(await post('?type=contacts', csv, asCsv), 429, 'import-queue-full');
  occupy(1);
  await under.send(csv.slice(2));
  assert.equal(await under.status(), 429);
  under.leave();
  release();
});

test('imports are listed, shown, cancelled and deleted', async () => {
  const [held] = occupy(1);
  const fresh = await made(post('?type=products&dryRun=true', 'productId\n1\n', asCsv));
  const listed = async (query: string) =>
    ((await (await send('GET', `/imports/${query}`)).json()) as { data: Import[] }).data.map(({ id }) => id);
  assert((await listed('')).includes(fresh.id));
  assert.deepEqual(await listed('?type=products'), [fresh.id]);
  assert((await listed('?status=inProgress')).includes(held!));
  const cancel = await send('POST', `/manage/imports/${held}/cancel`);
  const cancelled = (await cancel.json()) as Import;
  assert.deepEqual([cancel.status, cancelled.status, cancelled.fileName], [200, 'cancelled', 'held.csv']);
  assert(cancelled.finishedAt);
  const again = await send('POST', `/manage/imports/${held}/cancel`);
  assert.deepEqual([again.status, ((await again.json()) as Import).status], [200, 'cancelled']);
  const shown = await send('GET', `/imports/${held}`);
  const tag = { 'if-none-match': shown.headers.get('etag')! };
  assert.equal((await send('GET', `/imports/${held}`, undefined, tag)).status, 304);
  for (const id of [held, fresh.id]) {
    assert.equal((await send('DELETE', `/imports/${id}`)).status, 204);
    await expectProblem(await send('GET', `/imports/${id}`), 404, 'not-found');
    await expectProblem(await send('DELETE', `/imports/${id}`), 404, 'not-found');
    await expectProblem(await send('POST', `/manage/imports/${id}/cancel`), 404, 'not-found');
    assert.equal(psql(`SELECT count(*) FROM stored_file WHERE job_id = '${id}' AND remove_at > now()`), '0');
  }
  await expectProblem(await send('GET', '/imports/nonsense'), 404, 'not-found');
});

test('a key needs the scope of the imported type', async () => {
  const few = shopbell([
    'key',
    'create',
    '--account',
    account,
    '--name',
    'few',
    '--scopes',
    'imports:write,products:write,custom-events:write',
  ]);
  const headers = { ...asCsv, authorization: `Bearer ${/^key=(\w+)$/m.exec(few.stdout)![1]!}` };
  for (const [type, scope] of [
    ['contacts', 'contacts:write'],
    ['purchases', 'purchases:write'],
    ['events&eventType=rang', 'contacts:write'],
    ['coupons&couponSetId=ten', 'manage-coupon-sets:write'],
  ]) {
    const problem = await expectProblem(await post(`?type=${type}`, csv, headers), 403, 'scope-missing');
    assert(problem.detail.includes(scope!), problem.detail);
  }
  await made(post('?type=products&dryRun=true', 'productId\n1\n', headers));
});

test('the command uploads a file and waits for the end', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'shopbell-import-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const at = join(directory, 'people.csv');
  const run = () => shopbell(['import', 'contacts', at, '--account', account, '--on-invalid', 'row']);
  writeFileSync(at, `${csv}nobody,Bob\n`);
  const done = run();
  assert.equal(done.status, 0, done.stderr);
  assert(/^status=finished\nprocessed=2\n[^]*^failed=1$/m.test(done.stdout), done.stdout);
  assert(done.stderr.includes('row 2 /email invalid-format'), done.stderr);
  writeFileSync(at, `email,zzNobody\nada@example.com,x\n`);
  const failed = run();
  assert.equal(failed.status, 1);
  assert(/^status=error$/m.test(failed.stdout) && failed.stderr.includes('zzNobody'), failed.stderr);
});

test('the command rejects what the API rejects', () => {
  const run = (...args: string[]) => shopbell(['import', ...args, '--account', account]);
  const missing = run('contacts', '/nowhere/a.csv');
  assert.deepEqual([missing.status, missing.stdout], [1, '']);
  const wrong = run('events', process.argv[1]!);
  assert.equal(wrong.status, 1);
  assert(wrong.stderr.includes('/options/eventType required'), wrong.stderr);
});
