// Webhooks of a suspended account wait until it is resumed.
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { listen } from './receiver.ts';
import { eventually, newStore, privateUrl, psql, shopbell, start, type Instance } from './support.ts';

const receiver = await listen();
const endings: (() => void)[] = [() => receiver.close()];
let service: Instance;

before(async () => {
  // The service of tools/try may not call the receiver, so its deliveries would fail and be postponed.
  process.kill(Number(process.env.SHOPBELL_PID), 'SIGTERM');
  await eventually(() =>
    fetch(`${privateUrl}/health`).then(
      () => false,
      () => true,
    ),
  );
  const owner = { after: (end: () => void) => endings.push(end) } as unknown as TestContext;
  service = await start(owner, { SHOPBELL_WEBHOOKS_ALLOW_PRIVATE: receiver.host });
});

after(() => endings.forEach((end) => end()));

test('a suspended account sends nothing; its deliveries go on once it is resumed', async () => {
  const store = newStore('Suspended');
  const send = (method: string, path: string, body?: unknown) => store.send(method, path, body, {}, service.url);
  const save = async (firstName: string) =>
    assert.ok((await send('PATCH', '/contacts/email/eva@example.com?createContact=true', { firstName })).ok);
  const made = await send('POST', '/manage/webhooks/', { url: `${receiver.url}/suspended`, kinds: ['contact.*'] });
  const { id } = (await made.json()) as { id: string };
  // The endpoint fails: the first delivery waits for its second attempt, the second one for the first.
  receiver.answer('/suspended', () => 500);
  await save('One');
  await receiver.until('/suspended', 1);
  await save('Two');
  const due = `account_id = ${store.account} AND state = 'due' AND sender IS NULL`;
  const makeDue = () =>
    psql(`UPDATE webhook_delivery SET due_at = now() WHERE ${due};
      UPDATE webhook_queue SET next_due_at = now() WHERE account_id = ${store.account}`);
  await eventually(() => psql(`SELECT count(*) FROM webhook_delivery WHERE ${due}`) === '1');

  assert.equal(shopbell(['account', 'suspend', store.account]).status, 0);
  await sleep(1_000);
  receiver.answer('/suspended', () => 204);
  const attempts = receiver.heardAt('/suspended').length;
  makeDue();
  const longAgo = "now() - interval '4 days'";
  psql(`UPDATE webhook SET failing_since = ${longAgo}, enabled_at = ${longAgo} WHERE webhook_id = '${id}'`);
  psql(`UPDATE webhook_delivery SET failing_since = ${longAgo} WHERE ${due}`);
  await sleep(3_000);
  assert.equal(receiver.heardAt('/suspended').length, attempts);
  const metrics = await (await fetch(`${service.privateUrl}/metrics`)).text();
  assert.match(metrics, /^shopbell_webhook_deliveries_waiting 0$/m);

  // A failure after the suspension is the first of a new period: the delivery is retried.
  let failures = 1;
  receiver.answer('/suspended', () => (failures-- > 0 ? 500 : 204));
  assert.equal(shopbell(['account', 'resume', store.account]).status, 0);
  await receiver.until('/suspended', attempts + 1);
  const retried = await eventually(() => psql(`SELECT due_at > now() FROM webhook_delivery WHERE ${due}`));
  assert.equal(retried, 't');
  assert.equal(psql(`SELECT state FROM webhook WHERE webhook_id = '${id}'`), 'enabled');
  makeDue();
  const heard = await receiver.until('/suspended', attempts + 3);
  assert.deepEqual(
    heard
      .filter(({ status }) => status === 204)
      .map(({ event }) => event.data?.after?.firstName)
      .sort(),
    ['One', 'Two'], // the first one has failed for more than 5 minutes, so the second one may overtake it
  );
});
