// `shopbell workflow runs | run | dry-run | why`, over the database and over HTTP.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';

import { newAutomation } from './automation.ts';
import { binary, configFile, eventually, psql, url } from './support.ts';

const shop = newAutomation('Commands about running workflows');
const { account, testKey, publish, eventType, person, contactId, openRuns } = shop;
await shop.prepare();

/** Runs `shopbell workflow …` without blocking the event loop. */
const workflow = (args: string[], settings = {}) =>
  new Promise<{ status: number; lines: string[]; stderr: string }>((resolve) =>
    execFile(
      binary,
      ['--config', configFile, 'workflow', ...args],
      { encoding: 'utf8', env: { ...process.env, ...settings } },
      (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code) : 0, lines: stdout.trimEnd().split('\n'), stderr }),
    ),
  );

/** Runs the command over the database and over HTTP, and expects the same output. */
async function both(...args: string[]) {
  const near = await workflow([...args, '--account', account]);
  const far = await workflow(args, { SHOPBELL_URL: url, SHOPBELL_KEY: testKey });
  assert.deepEqual([near.status, near.stderr], [0, '']);
  assert.deepEqual(far, near);
  return near.lines;
}

const cart = await eventType();
const flow = await publish({
  trigger: { event: cart.kind, key: 'event.data.cartId' },
  nodes: [
    { id: 'pause', type: 'wait', for: 'P1D', next: 'remind' },
    { id: 'remind', type: 'email', template: 'reminder', class: 'transactional' },
  ],
});
const eva = person();
await cart.happen(eva, { cartId: 'c-7' });
await eventually(() => openRuns(flow) === 1, 30);
const run = psql(`SELECT run_id FROM run WHERE account_id = ${account} AND workflow_id = '${flow}'`);

test('runs are listed by workflow, contact, node and state', async () => {
  const all = await both('runs', flow);
  assert.equal(all.length, 2);
  assert.match(all[0]!, /^RUN +CONTACT +STATE +NODE +STARTED +DUE +WHY$/);
  assert.match(all[1]!, new RegExp(`^${run}  ${contactId(eva)}  open +pause +20\\S+Z +20\\S+Z +-$`));
  assert.deepEqual(await both('runs', '--contact', eva), all);
  assert.deepEqual(await both('runs', flow, '--contact', contactId(eva), '--node', 'pause', '--state', 'open'), all);
  assert.equal((await both('runs', flow, '--node', 'remind')).length, 1);
  await cart.happen(eva, { cartId: 'c-8' });
  await eventually(() => openRuns(flow) === 2, 30);
  const one = await both('runs', flow, '--limit', '1');
  assert.match(one[2]!, /^there are more runs: raise --limit/);
});

test('a run is shown with its steps', async () => {
  const lines = await both('run', run);
  for (const expected of [
    /^state +open$/,
    /^key +c-7$/,
    /^node +pause$/,
    /^steps$/,
    /^ {2}20\S+Z +at pause \(start\)$/,
  ])
    assert(
      lines.some((line) => expected.test(line)),
      `${expected} in ${lines}`,
    );
});

test('a dry run shows the way of a stored contact and of one that is made up', async () => {
  const at = ['--at', '2026-03-02T10:00:00Z', '--data', '{"cartId":"c-9"}'];
  const expected = [
    'run: ended, completed',
    '  2026-03-02T10:00:00.000Z  at pause (start)',
    '  2026-03-03T10:00:00.000Z  leaves pause by next',
    '  2026-03-03T10:00:00.000Z  at remind (timer)',
  ];
  for (const contact of [eva, contactId(eva), '{"email":"made-up@bell.example","locale":"de"}']) {
    const lines = await both('dry-run', flow, contact, ...at);
    assert.deepEqual(lines.slice(0, 4), expected, contact);
    assert(lines.includes('  2026-03-03T10:00:00.000Z  send reminder'), lines.join('\n'));
  }
  const wrong = await workflow(['dry-run', flow, eva, '--data', '[]', '--account', account]);
  assert.deepEqual([wrong.status, wrong.stderr], [1, 'shopbell: [] is not a JSON object\n']);
});

test('why explains each gate', async () => {
  const lines = await both('why', flow, eva);
  assert.match(lines[0]!, /^yes +status +/);
  assert(
    lines.some((line) => / run +.*pause/.test(line)),
    lines.join('\n'),
  );
  const nobody = await workflow(['why', flow, 'nobody@bell.example', '--account', account]);
  assert.deepEqual([nobody.status, nobody.lines], [1, ['']]);
  assert.match(nobody.stderr, /^shopbell: There is no contact/);
});
