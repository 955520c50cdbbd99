import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { binary, configFile, eventually, newStore, psql, ready, shopbell, start } from './support.ts';

const status = () => {
  const { stdout, stderr, status: code } = shopbell(['log', 'status']);
  assert.equal(code, 0, stderr);
  return stdout;
};

test('log status shows the ticks, the processes and the lag of readers', async (t) => {
  const alone = await eventually(() => {
    const text = status();
    return /alive, makes ticks/.test(text) && text;
  });
  assert.match(alone, /^newest tick \d+ of epoch 1, made \d{4}-/);
  assert.match(alone, /webhooks +\d+ +\d+\.\d s +0/);
  const second = await start(t);
  await eventually(async () => (await ready(second)).ready);
  await eventually(() => (status().match(/ alive/g)?.length ?? 0) === 2);
  // The second process takes half of the lanes, and releases them when it stops.
  await eventually(() => psql("SELECT count(DISTINCT owner) FROM log_position WHERE reader = 'webhooks'") === '2');
  assert.equal((await second.stop()).code, 0);
  await eventually(() => psql("SELECT count(DISTINCT owner) FROM log_position WHERE reader = 'webhooks'") === '1');
  assert.equal((status().match(/ alive/g) ?? []).length, 1);
});

test('log tail prints events, one JSON object per line', async () => {
  const store = newStore('tail');
  const following = spawn(binary, ['--config', configFile, 'log', 'tail', '--count', '2']);
  const lines: string[] = [];
  createInterface(following.stdout).on('line', (line) => lines.push(line));
  // A new reader starts with events that are written after its start.
  await eventually(async () => {
    const made = await store.send('PATCH', '/contacts/email/tail@example.com?createContact=true', {
      firstName: `Ada ${Date.now()}`,
    });
    assert.ok([200, 201].includes(made.status));
    return lines.length >= 2;
  });
  const event = JSON.parse(lines[0]!);
  assert.match(event.kind, /^contact\.(created|updated)$/);
  assert.ok(event.data.after.firstName.startsWith('Ada'));
  assert.match(event.account, /^\d+$/);
});

test('parked events are shown, removed and counted', async () => {
  assert.match(shopbell(['log', 'parked']).stdout, /no event is parked/);
  psql(`INSERT INTO log_parked (account_id, reader, event_id, received_at, uid, kind, reason)
        VALUES (1, 'webhooks', 1, now(), gen_random_uuid(), 'custom.bad', 'too odd')`);
  assert.match(shopbell(['log', 'parked']).stdout, /webhooks account 1 custom\.bad .*\n  too odd/);
  await eventually(() => /webhooks +\d+ +\d+\.\d s +1/.test(status()));
  assert.match(shopbell(['log', 'parked', '--forget', 'webhooks']).stdout, /^1 parked events/);
  assert.match(shopbell(['log', 'parked']).stdout, /no event is parked/);
});

test('a dropped reader restarts from now', async () => {
  assert.equal(shopbell(['log', 'drop-reader', 'nobody']).status, 1);
  const dropped = shopbell(['log', 'drop-reader', 'webhooks']);
  assert.match(dropped.stdout, /^reader webhooks is dropped/);
  await eventually(() => psql("SELECT count(owner) FROM log_position WHERE reader = 'webhooks'") === '64');
});

test('log new-epoch is refused while a service runs', () => {
  const refused = shopbell(['log', 'new-epoch']);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /stop all processes first/);
});
