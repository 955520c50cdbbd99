// Uploads of imports as raw bytes: size limits, clients with wrong lengths, slow or disconnecting clients, and cleanup
// after them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Wire, asCsv, csv, newUploader } from './uploader.ts';
import { eventually, psql, ready, start } from './support.ts';

const { post, made, head, files, underWay, send, account, key } = newUploader('Wires');

// A client that sends almost nothing; the last test of this file checks its response half a minute later.
const slow = new Wire();
const slowSince = Date.now();
await slow.send(
  newUploader('Slow').head('?type=contacts&dryRun=true', ['Content-Type: text/csv', 'Content-Length: 100000']) +
    'email',
);

async function startReady(t: TestContext) {
  const second = await start(t);
  await eventually(async () => (await ready(second)).ready);
  return second;
}

test('an oversized upload is rejected before its body is read', async () => {
  for (const length of ['1073741825', '99999999999999']) {
    const wire = new Wire();
    const fields = ['Content-Type: text/csv', `Content-Length: ${length}`, 'Expect: 100-continue'];
    await wire.send(head('?type=contacts', fields));
    assert.equal(await wire.status(), 413);
    assert(!wire.text.includes('100 Continue'));
    await eventually(() => wire.ended);
    wire.leave();
  }
});

test('a client that expects 100 Continue gets it once all other checks have passed', async () => {
  const fields = ['Content-Type: text/csv', `Content-Length: ${csv.length}`, 'Expect: 100-continue'];
  const wire = new Wire();
  await wire.send(head('?type=contacts&dryRun=true', fields));
  await wire.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
  await wire.send(csv);
  assert.equal(await wire.status(), 201);
  wire.leave();
  for (const [query, status] of [
    ['?type=people', 422],
    ['?type=events', 422],
    ['?type=contacts&x=1', 422],
  ] as const) {
    const refused = new Wire();
    await refused.send(head(query, fields));
    assert.equal(await refused.status(), status);
    assert(!refused.text.includes('100 Continue'));
    refused.leave();
  }
  const nobody = new Wire();
  await nobody.send(head('?type=contacts', fields).replace(key, 'sb_live_x'));
  assert.equal(await nobody.status(), 401);
  nobody.leave();
});

test('pipelined requests are answered in order', async () => {
  const query = '?type=contacts&dryRun=true';
  const next = `GET /imports/?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  for (const body of [
    head(query, ['Content-Type: text/csv', `Content-Length: ${csv.length}`]) + csv,
    head(query, ['Content-Type: text/csv', 'Transfer-Encoding: chunked']) +
      `${csv.length.toString(16)}\r\n${csv}\r\n0\r\n\r\n`,
  ]) {
    const wire = new Wire();
    await wire.send(body + next);
    await wire.until(/^HTTP\/1\.1 201 [^]*HTTP\/1\.1 200 /);
    wire.leave();
  }
});

test('requests with missing or contradictory lengths are rejected', async () => {
  const lying = new Wire();
  const fields = ['Content-Type: text/csv', `Content-Length: ${csv.length - 5}`];
  await lying.send(head('?type=contacts&dryRun=true', fields) + csv + '\r\n\r\n');
  await lying.until(/^HTTP\/1\.1 201 [^]*HTTP\/1\.1 400 /);
  lying.leave();
  assert.equal(underWay(), 0);
  const broken = new Wire();
  await broken.send(head('?type=contacts', ['Content-Type: text/csv', 'Transfer-Encoding: chunked']));
  await broken.send('5\r\nemail\r\n');
  await eventually(() => underWay() === 1);
  await broken.send('nonsense\r\n');
  assert.equal(await broken.status(), 400);
  broken.leave();
  await eventually(() => underWay() === 0);
});

test('an upload whose client disconnects leaves nothing behind', async () => {
  for (const framing of ['Content-Length: 1000000', 'Transfer-Encoding: chunked']) {
    const wire = new Wire();
    await wire.send(head('?type=contacts&dryRun=true', ['Content-Type: text/csv', framing]));
    await wire.send(framing.startsWith('C') ? 'x'.repeat(500_000) : `7a120\r\n${'x'.repeat(500_000)}\r\n`);
    const part = await eventually(() => underWay() === 1 && files().find((name) => name.endsWith('.part')));
    wire.leave();
    await eventually(() => underWay() === 0 && !files().includes(part));
  }
});

test('an early response closes the connection', async () => {
  const wire = new Wire();
  const type = 'Content-Type: multipart/form-data; boundary=x';
  await wire.send(head('', [type, 'Content-Length: 100000000']));
  await wire.send('--x\r\nContent-Disposition: form-data; name="type"\r\n\r\npeople\r\n');
  await wire.send('--x\r\nContent-Disposition: form-data; name="options"\r\n\r\n{}\r\n');
  await wire.send('--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nemail');
  assert.equal(await wire.status(), 422);
  assert(/^Connection: close\r$/m.test(wire.text));
  await eventually(() => wire.ended);
  wire.leave();
});

test('after a short rejected upload the connection stays open', async () => {
  const wire = new Wire();
  await wire.send(head('?nonsense=1', ['Content-Type: text/csv', `Content-Length: ${csv.length}`]) + csv.slice(0, 9));
  assert.equal(await wire.status(), 422);
  assert(!/^Connection: close\r$/m.test(wire.text));
  await wire.send(csv.slice(9) + head('?nonsense=2', ['Content-Type: text/csv', 'Content-Length: 0']));
  await wire.until(/^HTTP\/1\.1 422 [^]*HTTP\/1\.1 422 /);
  wire.leave();
});

test('a large file is not buffered in memory', async () => {
  const pid = process.env.SHOPBELL_PID;
  const status = () => readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status())![1]) / 1024;
  // AddressSanitizer, which reserves terabytes of addresses, keeps freed memory in quarantine for a while.
  const allowed = mebibytes('VmSize') > 1_000_000 ? 64 + 256 : 64;
  const before = mebibytes('VmRSS');
  const block = Buffer.alloc(1024 * 1024, 'a,b\n');
  let left = 200;
  const large = new ReadableStream({
    pull(controller) {
      controller.enqueue(block);
      if (--left === 0) controller.close();
    },
  });
  const shown = await made(post('?type=contacts&dryRun=true', large, asCsv));
  assert.equal(shown.bytes, 200 * 1024 * 1024);
  const grown = mebibytes('VmRSS') - before;
  assert.equal((await send('DELETE', `/imports/${shown.id}`)).status, 204);
  assert(grown <= allowed, `${grown} MiB more`);
});

test('a process that shuts down lets an upload finish', async (t) => {
  const second = await startReady(t);
  const wire = new Wire(second.url);
  await wire.send(head('?type=contacts&dryRun=true', ['Content-Type: text/csv', `Content-Length: ${csv.length}`]));
  await wire.send(csv.slice(0, 10));
  await sleep(200);
  const stopped = second.stop();
  await sleep(1_500);
  await wire.send(csv.slice(10));
  assert.equal(await wire.status(), 201);
  assert(/^Connection: close\r$/m.test(wire.text));
  wire.leave();
  assert.equal((await stopped).code, 0);
});

test('an upload of a killed process is removed automatically', async (t) => {
  const second = await startReady(t);
  const known = new Set(files());
  const wire = new Wire(second.url);
  await wire.send(head('?type=contacts', ['Content-Type: text/csv', 'Content-Length: 100000']) + 'x'.repeat(50_000));
  const part = await eventually(() => files().find((name) => !known.has(name)));
  second.process.kill('SIGKILL');
  wire.leave();
  const name = `imports/${account}/${part.replace('.part', '')}`;
  const due = psql(`SELECT remove_at < now() + interval '121 s' FROM stored_file WHERE name = '${name}'`);
  assert.equal(due, 't');
  psql(`UPDATE stored_file SET remove_at = now() - interval '1 minute' WHERE name = '${name}'`);
  await eventually(() => !files().includes(part));
  await eventually(() => psql(`SELECT count(*) FROM stored_file WHERE name = '${name}'`) === '0');
});

test('a client that sends too slowly is rejected', async () => {
  const until = slowSince + 45_000;
  while (!slow.text && Date.now() < until) await sleep(100);
  assert.equal(await slow.status(), 408);
  assert(slow.text.includes('"code":"upload-too-slow"'), slow.text);
  const waited = Date.now() - slowSince;
  assert(waited >= 29_000, `${waited} ms`);
  await eventually(() => slow.ended);
  slow.leave();
});
