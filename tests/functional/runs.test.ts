// Managing running workflows: numbers, runs, and commands for many runs. Runs are inserted as the lanes store them.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';

import { type Command, newRuns } from './run-rows.ts';
import { eventually, expectProblem, newStore, psql } from './support.ts';

const { send, account, get, post, newWorkflow, laneOf, insertRun, commands, jobsEnded, insertNumbers, nodes } =
  newRuns('Runs');
const other = newStore('Runs of others');

test('numbers add merged and pending changes', async () => {
  const flow = await newWorkflow();
  insertNumbers(flow.id, 'node_count', [
    ['', 'entered', 10],
    ['', 'active', 4],
    ['day', 'reached', 10],
    ['day', 'waiting', 4],
    ['day', 'next', 6],
    ['', 'refused.paused', 2],
  ]);
  insertNumbers(flow.id, 'count_delta', [
    ['', 'entered', 1],
    ['', 'active', -1],
    ['', 'completed', 5],
    ['', 'exited', 2],
    ['', 'converted', 3],
    ['mark', 'reached', 6],
    ['day', 'waiting', -1],
  ]);
  const people = { entered: 11, active: 3, completed: 5, exited: 2, converted: 3 };
  const { revenue, ...stats } = (await get(`/workflows/${flow.alias}`)).stats;
  assert.deepEqual(stats, people);
  assert.deepEqual(revenue, { amount: '0.00', currency: 'EUR' });
  const list = (await get('/workflows/')).data.find((one: any) => one.id === flow.id);
  assert.deepEqual(list.stats, { ...people, revenue });
  assert.deepEqual(await get(`/manage/workflows/${flow.alias}/numbers`), {
    ...people,
    revenue,
    refused: { paused: 2 },
    nodes: [
      { node: 'day', reached: 10, waiting: 3, passed: { next: 6 }, revenue },
      { node: 'mark', reached: 6, waiting: 0, passed: {}, revenue },
    ],
  });
  // The chore changes where the numbers are, not what they are.
  await eventually(() => psql(`SELECT count(*) FROM count_delta WHERE account_id = ${account}`) === '0', 30);
  assert.deepEqual((await get(`/workflows/${flow.id}`)).stats, { ...people, revenue });
  await expectProblem(await other.send('GET', `/manage/workflows/${flow.id}/numbers`), 404, 'not-found');
});

test('runs are listed by workflow, node, state and contact, page by page', async () => {
  const flow = await newWorkflow();
  const contact = randomUUID();
  const open = [1, 2, 3].map(() => insertRun(flow.id, { contact }).id);
  const parked = insertRun(flow.id, { state: 'parked', node: 'mark', why: 'broken' }).id;
  const ended = insertRun(flow.id, { state: 'ended', contact, why: 'exit' }).id;
  const held = insertRun(flow.id, { state: 'held' }).id;
  const ids = async (query: string) => (await get(`/manage/runs/?${query}`)).data.map((run: any) => run.id);
  assert.deepEqual(await ids(`workflow=${flow.alias}`), [held, ended, parked, ...open.toReversed()]);
  assert.deepEqual(await ids(`workflow=${flow.id}&order=asc`), [...open, parked, ended, held]);
  assert.deepEqual(await ids(`workflow=${flow.id}&state=ended`), [ended]);
  assert.deepEqual(await ids(`workflow=${flow.id}&state=open`), open.toReversed());
  assert.deepEqual(await ids(`workflow=${flow.id}&node=mark`), [parked]);
  assert.deepEqual(await ids(`workflow=${flow.id}&node=mark&state=open`), []);
  assert.deepEqual(await ids(`contactId=${contact}`), [ended, ...open.toReversed()]);
  assert.deepEqual(await ids(`contactId=${contact}&state=open&order=asc&workflow=${flow.id}`), open);
  assert.deepEqual(await ids(`contactId=${contact}&workflow=${(await newWorkflow()).id}`), []);

  const paged: string[] = [];
  for (let cursor = ''; ;) {
    const page = await get(`/manage/runs/?workflow=${flow.id}&limit=2${cursor}`);
    paged.push(...page.data.map((run: any) => run.id));
    if (!page.nextCursor) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  assert.deepEqual(paged, [held, ended, parked, ...open.toReversed()]);

  const refused = await expectProblem(await send('GET', '/manage/runs/'), 422, 'invalid-parameter');
  assert.equal(refused.errors![0]!.parameter, 'workflow');
  for (const query of ['workflow=nothing', 'contactId=nobody', `workflow=${flow.id}&state=lost`])
    await expectProblem(await send('GET', `/manage/runs/?${query}`), 422, 'invalid-parameter');
  await expectProblem(await other.send('GET', `/manage/runs/?workflow=${flow.id}`), 422, 'invalid-parameter');
  assert.deepEqual((await get(`/manage/runs/?contactId=${contact}`, other)).data, []);
});

test('a page looks at a bounded number of runs', async () => {
  const flow = await newWorkflow();
  psql(`INSERT INTO run (account_id, contact_id, run_id, workflow_id, version, lane, state, node, seq, key, enrolment_key,
      started_at, node_since, visits, has_sent, converted, seen, trail)
    SELECT ${account}, gen_random_uuid(), ('018f0000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, '${flow.id}', 1,
      n % 1024, 'open', CASE n WHEN 1 THEN 'mark' ELSE 'day' END, 1, '', '', now(), now(), 1, false, false, '', ''
      FROM generate_series(1, 5001) n`);
  const first = await get(`/manage/runs/?workflow=${flow.id}&node=mark`);
  assert.deepEqual(first.data, []);
  assert(first.nextCursor);
  const next = await get(`/manage/runs/?workflow=${flow.id}&node=mark&cursor=${first.nextCursor}`);
  assert.equal(next.data.length, 1);
  assert.equal(next.nextCursor, null);
});

test('a run shows its timeline, also after its end', async () => {
  const flow = await newWorkflow();
  const at = Date.now() - 60_000;
  const trail = `day\t\t${at}000\tstart\nday\tnext\t${at + 1000}000\ttimer\nmark\t\t${at + 1000}000\ttimer\n`;
  for (const state of ['parked', 'ended']) {
    const { id, contact } = insertRun(flow.id, { state, node: 'mark', trail, why: 'broken' });
    const message = `${id.slice(0, 13)}-8111-8000-00000000${state === 'ended' ? '0001' : '0002'}`;
    psql(`INSERT INTO message (account_id, message_id, lane, contact_id, class, bulk, priority, workflow_id, run_id, node,
        template, skips_at_cap, planned_at, state, reason, ended_at)
      VALUES (${account}, '${message}', 1, '${contact}', 'marketing', false, 0, '${flow.id}', '${id}', 'mail', 'hello',
        false, now(), 'suppressed', 'unsubscribed', now())`);
    const run = await get(`/manage/runs/${id}`);
    assert.deepEqual(
      [run.id, run.workflowId, run.contactId, run.state, run.node, run.why],
      [id, flow.id, contact, state, 'mark', 'broken'],
    );
    assert.equal(run.converted, state === 'ended');
    assert.equal(run.key, state === 'ended' ? 'k' : null);
    assert.deepEqual(run.trail, [
      { node: 'day', edge: null, at: new Date(at).toISOString(), cause: 'start' },
      { node: 'day', edge: 'next', at: new Date(at + 1000).toISOString(), cause: 'timer' },
      { node: 'mark', edge: null, at: new Date(at + 1000).toISOString(), cause: 'timer' },
    ]);
    assert.equal(run.messages.length, 1);
    const { plannedAt, endedAt, ...shown } = run.messages[0];
    assert(plannedAt && endedAt);
    assert.deepEqual(shown, {
      id: message,
      node: 'mail',
      template: 'hello',
      class: 'marketing',
      state: 'suppressed',
      reason: 'unsubscribed',
      dueAt: null,
    });
    await expectProblem(await other.send('GET', `/manage/runs/${id}`), 404, 'not-found');
  }
  for (const id of [randomUUID(), 'nonsense'])
    await expectProblem(await send('GET', `/manage/runs/${id}`), 404, 'not-found');
});

test('retry and end tell the lanes, once, and only about runs that can change', async () => {
  const flow = await newWorkflow();
  const parked = insertRun(flow.id, { state: 'parked', why: 'broken' });
  const open = insertRun(flow.id);
  const over = insertRun(flow.id, { state: 'ended' });
  const before = commands().length;
  const told = () => commands().slice(before);

  const shown = await post(`/manage/runs/${parked.id}/retry`, undefined, 202);
  assert.deepEqual([shown.id, shown.state], [parked.id, 'parked']);
  assert.deepEqual(told(), [
    { lane: laneOf(parked.contact), contact_id: parked.contact, payload: { command: 'release', runId: parked.id } },
  ]);
  await post(`/manage/runs/${open.id}/retry`, undefined, 202);
  for (const action of ['retry', 'end']) {
    assert.equal((await post(`/manage/runs/${over.id}/${action}`, undefined, 202)).state, 'ended');
    await expectProblem(await send('POST', `/manage/runs/${randomUUID()}/${action}`), 404, 'not-found');
    await expectProblem(await other.send('POST', `/manage/runs/${open.id}/${action}`), 404, 'not-found');
  }
  assert.equal(told().length, 1);
  await post(`/manage/runs/${open.id}/end`, undefined, 202);
  assert.deepEqual(told().slice(1), [
    { lane: laneOf(open.contact), contact_id: open.contact, payload: { command: 'end', runId: open.id, why: 'ended' } },
  ]);
});

/** Checks that each run is told once, in events of one group of lanes and at most 500 runs. */
const toldRuns = (told: Command[]) => {
  const ids: string[] = [];
  for (const { lane, contact_id, payload } of told) {
    assert.equal(contact_id, null);
    assert(payload.runs.length <= 500);
    for (const run of payload.runs) {
      assert.equal(laneOf(run.contactId) >> 4, lane >> 4);
      ids.push(run.runId);
    }
  }
  assert.equal(new Set(ids).size, ids.length);
  return ids.toSorted();
};

test('resume releases the held runs, and only these', async () => {
  const flow = await newWorkflow();
  const quiet = await newWorkflow();
  await post(`/manage/workflows/${flow.id}/pause`);
  const held = Array.from({ length: 9 }, () => insertRun(flow.id, { state: 'held' }).id);
  for (const state of ['open', 'parked', 'done', 'ended']) insertRun(flow.id, { state });
  insertRun(quiet.id, { state: 'held' });
  const before = commands().length;
  await post(`/manage/workflows/${flow.id}/resume`);
  await jobsEnded();
  const told = commands().slice(before);
  assert.deepEqual(toldRuns(told), held.toSorted());
  for (const { payload } of told) assert.equal(payload.command, 'release');
  await post(`/manage/workflows/${flow.id}/resume`);
  await jobsEnded();
  assert.equal(commands().length, before + told.length);
});

test('finish with drain leaves runs alone; stop ends them, also later', async () => {
  const flow = await newWorkflow();
  const unfinished = ['open', 'held', 'parked'].map((state) => insertRun(flow.id, { state }).id);
  for (const state of ['done', 'ended']) insertRun(flow.id, { state });
  const before = commands().length;
  await post(`/manage/workflows/${flow.id}/finish`);
  await jobsEnded();
  assert.equal(commands().length, before);
  assert.equal((await post(`/manage/workflows/${flow.id}/finish?mode=stop`)).status, 'finished');
  await jobsEnded();
  const told = commands().slice(before);
  assert.deepEqual(toldRuns(told), unfinished.toSorted());
  for (const { payload } of told) assert.deepEqual([payload.command, payload.why], ['end', 'finished']);
});

test('publishing with a map of nodes moves the runs at these nodes', async () => {
  const flow = await newWorkflow();
  const moved = ['open', 'held'].map((state) => insertRun(flow.id, { state }).id);
  insertRun(flow.id, { node: 'mark', state: 'parked' });
  insertRun(flow.id, { version: 2 });
  insertRun(flow.id, { state: 'done' });
  insertNumbers(flow.id, 'count_delta', [
    ['day', 'waiting', 2],
    ['gone', 'reached', 1],
    ['gone', 'waiting', 1],
  ]);
  await expectProblem(await send('GET', `/manage/workflows/${flow.id}/draft/moves`), 404, 'not-found');
  const body = { name: 'Flow', trigger: { event: 'purchase.deleted' } };
  const draft = [{ id: 'week', type: 'wait', for: 'P7D', next: 'mark' }, nodes[1]];
  const saved = await send('PUT', `/manage/workflows/${flow.id}/draft`, { ...body, nodes: draft });
  assert.equal(saved.status, 200);
  assert.deepEqual(await get(`/manage/workflows/${flow.id}/draft/moves`), {
    draftVersion: 2,
    waiting: 3,
    nodes: [
      { node: 'day', waiting: 2, inDraft: false },
      { node: 'mark', waiting: 0, inDraft: true },
      { node: 'gone', waiting: 1, inDraft: false },
    ],
  });
  await expectProblem(await other.send('GET', `/manage/workflows/${flow.id}/draft/moves`), 404, 'not-found');

  const publish = (map: unknown) => send('POST', `/manage/workflows/${flow.id}/publish`, { nodes: map });
  const wrong = await expectProblem(await publish({ day: 'nowhere', never: 'week' }), 422, 'invalid-body');
  assert.deepEqual(wrong.errors!.map(({ pointer }) => pointer).toSorted(), ['/nodes/day', '/nodes/never']);
  assert.equal((await get(`/workflows/${flow.id}`)).version, 1);

  const before = commands().length;
  assert.equal((await publish({ day: 'week', gone: 'week' })).status, 200);
  await jobsEnded();
  const told = commands().slice(before);
  assert.deepEqual(toldRuns(told), moved.toSorted());
  for (const { payload } of told)
    assert.deepEqual([payload.command, payload.version, payload.nodes], ['move', 2, { day: 'week', gone: 'week' }]);
  assert.equal((await get(`/workflows/${flow.id}`)).version, 2);
});

test('a command for many runs goes by groups of lanes, 500 runs an event', async () => {
  const flow = await newWorkflow();
  const contacts = Array.from({ length: 1200 }, () => randomUUID());
  const few = contacts.map((contact) => ({ contact, lane: laneOf(contact) }));
  const big = Array.from({ length: 60_000 }, () => randomUUID())
    .filter((contact) => laneOf(contact) >> 4 === 7)
    .slice(0, 600)
    .map((contact) => ({ contact, lane: laneOf(contact) }));
  const rows = [...few, ...big];
  psql(`INSERT INTO run (account_id, contact_id, run_id, workflow_id, version, lane, state, node, seq, key, enrolment_key,
      started_at, node_since, visits, has_sent, converted, seen, trail)
    SELECT ${account}, c, gen_random_uuid(), '${flow.id}', 1, l, 'open', 'day', 1, '', '', now(), now(), 1, false, false, '', ''
      FROM unnest('{${rows.map(({ contact }) => contact)}}'::uuid[], '{${rows.map(({ lane }) => lane)}}'::int[]) AS n (c, l)`);
  const before = commands().length;
  await post(`/manage/workflows/${flow.id}/finish?mode=stop`);
  await jobsEnded();
  const told = commands().slice(before);
  assert.equal(toldRuns(told).length, 1800);
  assert(told.length >= 65 && told.length <= 70, `${told.length} events`);
});
