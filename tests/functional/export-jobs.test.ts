// Exports over the API: cancelling, queues, and processes that are killed or stopped.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { newExporter, type Export } from './exporter.ts';
import { eventually, expectProblem, privateUrl, psql, start } from './support.ts';

const { send, queue, read, finished, file, write } = newExporter('Jobs');

await write('POST', '/manage/coupon-sets/', { alias: 'ten', name: 'Ten', kind: 'unique' });
await write('POST', '/manage/coupon-sets/ten/codes', { codes: ['A-1', 'A-2'] });

/** Blocks every export of coupons until the returned function is called. */
async function hold(t: TestContext) {
  const holder = spawn('psql', ['-XAtq', `${process.env.SHOPBELL_PG} dbname=shopbell`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  holder.stdin.write(`BEGIN; LOCK TABLE coupon; SELECT 'held';\n`);
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  const release = () => void (holder.stdin.writable && holder.stdin.end('COMMIT;\n'));
  t.after(release);
  return release;
}

const slow = { type: 'coupons', filters: { couponSet: 'ten' } };
const running = async () =>
  Number(/^shopbell_jobs_running (\d+)/m.exec(await (await fetch(`${privateUrl}/metrics`)).text())?.[1]);
const inProgress = (id: string) => eventually(async () => (await read(id)).status === 'inProgress');

test('a running export is cancelled within a second', async (t) => {
  const release = await hold(t);
  const { id } = await queue(slow);
  await inProgress(id);
  assert.equal(await running(), 1);
  const from = Date.now();
  const answer = await send('POST', `/manage/exports/${id}/cancel`);
  const cancelled = (await answer.json()) as Export;
  assert.deepEqual([answer.status, cancelled.status, cancelled.fileUrl], [200, 'cancelled', null]);
  await eventually(async () => (await running()) === 0);
  assert(Date.now() - from < 1_000, `${Date.now() - from} ms`);
  const readers = `SELECT count(*) FROM pg_stat_activity WHERE usename = 'shopbell_reader'`;
  await eventually(() => psql(readers) === '0');
  assert(Date.now() - from < 2_500, `${Date.now() - from} ms`);
  release();
  await sleep(600);
  assert.equal((await read(id)).status, 'cancelled');
  assert.equal((await send('POST', `/manage/exports/${id}/cancel`)).status, 200);
  const { made } = await file({ type: 'contacts', columns: ['id'] });
  const ended = await send('POST', `/manage/exports/${made.id}/cancel`);
  assert.deepEqual([ended.status, ((await ended.json()) as Export).status], [200, 'finished']);
  assert.equal((await send('DELETE', `/exports/${id}`)).status, 204);
});

test('the sixth unfinished export is rejected, but not another store’s', async (t) => {
  const release = await hold(t);
  const ids: string[] = [];
  for (let i = 0; i < 5; ++i) ids.push((await queue(slow)).id);
  const sixth = await send('POST', '/exports/', slow);
  assert(Number(sixth.headers.get('retry-after')) > 0);
  await expectProblem(sixth, 429, 'export-queue-full');
  await newExporter('Unhindered').queue({ type: 'contacts' });
  assert.equal((await send('DELETE', `/exports/${ids[4]}`)).status, 204);
  ids[4] = (await queue(slow)).id;
  release();
  for (const id of ids) await finished(id);
});

test('a killed process loses no export', async (t) => {
  const release = await hold(t);
  const second = await start(t);
  const ids: string[] = [];
  for (let i = 0; i < 4; ++i) ids.push((await queue(slow)).id);
  for (const id of ids) await inProgress(id); // each process runs two exports
  second.process.kill('SIGKILL');
  const from = Date.now();
  release();
  const made = await Promise.all(ids.map((id) => finished(id)));
  assert(Date.now() - from < 10_000);
  assert.deepEqual(made.map(({ attempt }) => attempt).sort(), [1, 1, 2, 2]);
  assert(made.every(({ rows }) => rows === 2));
});

test('a process that is stopped hands over its exports at once', async (t) => {
  const release = await hold(t);
  const second = await start(t);
  const ids: string[] = [];
  for (let i = 0; i < 4; ++i) ids.push((await queue(slow)).id);
  for (const id of ids) await inProgress(id);
  const { code, ms } = await second.stop();
  assert.equal(code, 0);
  assert(ms < 5_000, `${ms} ms`);
  const states = await Promise.all(ids.map(async (id) => (await read(id)).status));
  assert.deepEqual(states.sort(), ['inProgress', 'inProgress', 'queued', 'queued']);
  release();
  for (const id of ids) await finished(id);
});
