// Dry runs of workflows, and why a contact is where it is.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';

import { newRuns } from './run-rows.ts';
import { expectProblem, newStore, psql } from './support.ts';

const { send, account, get, post, newWorkflow, insertRun, insertNumbers } = newRuns('Dry runs');
const other = newStore('Dry runs of others');

const contact = async (email: string, body: object = {}) => {
  const response = await send('PATCH', `/contacts/email/${email}?createContact=true&triggerWorkflows=none`, body);
  assert(response.ok, await response.clone().text());
  return (await response.json()) as { id: string };
};

test('a dry run shows the way and the times, and has no effect', async () => {
  const flow = await post(
    '/manage/workflows/',
    {
      alias: 'dry',
      name: 'Dry',
      trigger: { event: 'contact.subscribed', where: { value: 'event.data.channel', op: 'eq', to: 'email' } },
      exitOn: [{ event: 'purchase.created' }],
      nodes: [
        { id: 'day', type: 'wait', for: 'P1D', next: 'vip' },
        {
          id: 'vip',
          type: 'branch',
          cases: [{ when: { value: 'contact.tags', op: 'contains', to: 'vip' }, next: 'mark' }],
          else: 'out',
        },
        { id: 'mark', type: 'updateContact', set: { tags: ['marked'] }, next: 'out' },
        { id: 'out', type: 'exit' },
      ],
    },
    201,
  );
  await contact('vip@bell.example', { tags: ['vip'] });
  const event = { kind: 'contact.subscribed', data: { channel: 'email', source: 'api' } };
  const at = '2026-03-02T10:00:00.000Z';
  const later = '2026-03-03T10:00:00.000Z';
  const before = psql(`SELECT count(*) FROM event WHERE account_id = ${account}`);
  const dry = (body: object, query = '') => post(`/manage/workflows/dry/dry-run${query}`, { at, event, ...body });
  const path = (result: any) => result.runs[0].trail.map(({ node, edge }: any) => (edge ? `${node}.${edge}` : node));

  const vip = await dry({ contact: { email: 'vip@bell.example' } });
  assert.equal(vip.complete, true);
  assert.equal(vip.runs.length, 1);
  const [run] = vip.runs;
  assert.deepEqual([run.state, run.why, run.startedAt, run.dueAt], ['ended', 'completed', at, null]);
  assert.deepEqual(path(vip), ['day', 'day.next', 'vip', 'vip.cases.0', 'mark', 'mark.next', 'out']);
  assert.deepEqual([run.trail[0].at, run.trail[1].at, run.trail[1].cause], [at, later, 'timer']);
  assert.deepEqual(
    vip.outcomes.map(({ at: when, what }: any) => [when, what]),
    [
      [later, 'update'],
      [later, 'end'],
    ],
  );
  assert.deepEqual(path(await dry({ contact: { tags: ['other'] } })), ['day', 'day.next', 'vip', 'vip.else', 'out']);
  const refused = await dry({ contact: {}, event: { kind: event.kind, data: { channel: 'sms' } } });
  assert.deepEqual(refused.runs, []);

  const draft = { name: 'Dry', trigger: { event: 'contact.subscribed' }, nodes: [{ id: 'end', type: 'exit' }] };
  await post(`/manage/workflows/${flow.id}/publish`);
  await expectProblem(
    await send('POST', '/manage/workflows/dry/dry-run?draft=true', { contact: {}, event }),
    404,
    'not-found',
  );
  assert.equal((await send('PUT', '/manage/workflows/dry/draft', draft)).status, 200);
  assert.deepEqual(path(await dry({ contact: {} }, '?draft=true')), ['end']);
  assert.deepEqual(path(await dry({ contact: {} })).length, 5);

  const told = async (body: object) => {
    const response = await send('POST', '/manage/workflows/dry/dry-run', body);
    return (await expectProblem(response, 422, 'invalid-body')).errors!.map(
      (fault) => `${fault.pointer} ${fault.code}`,
    );
  };
  assert.deepEqual(await told({ contact: {} }), ['/event required']);
  assert.deepEqual(await told({ event }), ['/contact required']);
  assert.deepEqual(await told({ contact: {}, event: { kind: 'contact.created' } }), ['/event/kind not-an-option']);
  assert.deepEqual(await told({ contact: {}, event, at, until: '2026-03-01T00:00:00Z' }), ['/until out-of-range']);
  const missing = { contact: { email: 'nobody@bell.example' }, event };
  await expectProblem(await send('POST', '/manage/workflows/dry/dry-run', missing), 404, 'not-found');
  await expectProblem(await other.send('POST', `/manage/workflows/${flow.id}/dry-run`, missing), 404, 'not-found');
  assert.equal(psql(`SELECT count(*) FROM event WHERE account_id = ${account}`), before);
  assert.equal(psql(`SELECT count(*) FROM run WHERE workflow_id = '${flow.id}'`), '0');
});

test('why explains each gate', async () => {
  const flow = await newWorkflow();
  const why = async (query: string) => {
    const { gates, ...rest } = await get(`/manage/workflows/${flow.alias}/why?${query}`);
    assert.equal(rest.workflowId, flow.id);
    return gates as { gate: string; passed: boolean | null; text: string }[];
  };
  const { id } = await contact('why@bell.example');
  insertNumbers(flow.id, 'count_delta', [['', 'refused.paused', 4]]);
  const never = await why('email=WHY@bell.example');
  assert.deepEqual(
    never.map(({ gate, passed }) => [gate, passed]),
    [
      ['status', true],
      ['entry', false],
      ['refused', null],
    ],
  );
  assert.match(never[2]!.text, /^4 events .* paused/);
  const run = insertRun(flow.id, { contact: id, state: 'parked', why: 'broken' });
  psql(`INSERT INTO enrolment (account_id, contact_id, workflow_id, key, lane, run_id, started_at, seen)
      VALUES (${account}, '${id}', '${flow.id}', '', 1, '${run.id}', now(), '');
    INSERT INTO message (account_id, message_id, lane, contact_id, class, bulk, priority, workflow_id, run_id, node,
      template, skips_at_cap, planned_at, state, reason, ended_at)
    VALUES (${account}, '${run.id.slice(0, 13)}-8111-8000-000000000009', 1, '${id}', 'marketing', false, 0, '${flow.id}',
      '${run.id}', 'mail', 'hello', false, now(), 'suppressed', 'unsubscribed', now())`);
  const entered = await why(`contactId=${id}`);
  assert.deepEqual(
    entered.map(({ gate, passed }) => [gate, passed]),
    [
      ['status', true],
      ['entry', true],
      ['reentry', false],
      ['run', false],
      ['message', false],
    ],
  );
  assert.match(entered[3]!.text, /parked at the node day .*broken/);
  assert.match(entered[4]!.text, /hello was suppressed .*unsubscribed/);
  await post(`/manage/workflows/${flow.id}/pause`);
  assert.deepEqual((await why('email=why@bell.example'))[0], {
    gate: 'status',
    passed: false,
    text: 'The workflow is paused: no run starts, and runs that are due wait.',
  });
  await expectProblem(await send('GET', `/manage/workflows/${flow.id}/why`), 422, 'invalid-parameter');
  await expectProblem(await send('GET', `/manage/workflows/${flow.id}/why?contactId=nobody`), 422, 'invalid-parameter');
  for (const query of ['email=nobody@bell.example', `contactId=${randomUUID()}`, 'externalId=nobody'])
    await expectProblem(await send('GET', `/manage/workflows/${flow.id}/why?${query}`), 404, 'not-found');
  await expectProblem(
    await other.send('GET', `/manage/workflows/${flow.id}/why?email=why@bell.example`),
    404,
    'not-found',
  );
});
