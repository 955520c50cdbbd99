// Managing running workflows: numbers, runs, and commands for many runs. Runs are inserted as the lanes store them.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';

import { eventually, expectProblem, newStore, psql } from './support.ts';

const store = newStore('Runs');
const { send, account } = store;
const other = newStore('Runs of others');

const get = async (path: string, from = store): Promise<any> => {
  const response = await from.send('GET', path);
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
};
const post = async (path: string, body?: object, status = 200): Promise<any> => {
  const response = await send('POST', path, body);
  assert.equal(response.status, status, await response.clone().text());
  return response.json();
};

let made = 0;
const nodes = [
  { id: 'day', type: 'wait', for: 'P1D', next: 'mark' },
  { id: 'mark', type: 'updateContact', set: { tags: ['marked'] } },
];
/** A published workflow that no test starts. */
const newWorkflow = async (published = true) => {
  const flow = await post(
    '/manage/workflows/',
    { alias: `run-flow-${++made}`, name: 'Flow', trigger: { event: 'purchase.deleted' }, nodes },
    201,
  );
  if (published) await post(`/manage/workflows/${flow.id}/publish`);
  return flow as { id: string; alias: string };
};

const laneOf = (contact: string) => {
  const key = Buffer.alloc(8);
  key.writeBigInt64BE(BigInt(account));
  const hash = createHash('sha256')
    .update(key)
    .update(Buffer.from(contact.replaceAll('-', ''), 'hex'))
    .digest();
  return (hash[0]! << 2) | (hash[1]! >> 6);
};
const start = Date.now() - 3600_000;
const idAt = (number: number) => {
  const time = (start + number).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-8000-8000-${String(number).padStart(12, '0')}`;
};
let runs = 0;
interface Given {
  contact?: string;
  state?: string;
  node?: string;
  version?: number;
  why?: string;
  trail?: string;
}
const insertRun = (workflow: string, { contact = randomUUID(), state = 'open', node = 'day', ...more }: Given = {}) => {
  const id = idAt(++runs);
  const why = more.why ? `'${more.why}'` : 'NULL';
  const trail = more.trail ?? '';
  psql(
    state === 'ended'
      ? `INSERT INTO run_history (account_id, contact_id, run_id, workflow_id, version, node, key, started_at, ended_at,
           converted, trail, why)
         VALUES (${account}, '${contact}', '${id}', '${workflow}', 1, '${node}', 'k', now() - interval '1 hour', now(),
           true, '${trail}', '${more.why ?? 'completed'}')`
      : `INSERT INTO run (account_id, contact_id, run_id, workflow_id, version, lane, state, node, seq, key,
           enrolment_key, started_at, node_since, visits, has_sent, converted, seen, trail, why)
         VALUES (${account}, '${contact}', '${id}', '${workflow}', ${more.version ?? 1}, ${laneOf(contact)}, '${state}',
           '${node}', 1, '', '', now(), now(), 1, false, false, '', '${trail}', ${why})`,
  );
  return { id, contact };
};
interface Command {
  lane: number;
  contact_id: string | null;
  payload: any;
}
/** The commands that were appended for runs of these workflows, oldest first. */
const commands = (): Command[] =>
  JSON.parse(
    psql(`SELECT coalesce(json_agg(json_build_object('lane', lane, 'contact_id', contact_id, 'payload', payload)
      ORDER BY id), '[]') FROM event WHERE account_id = ${account} AND kind = 'run-command'`),
  );
const jobsEnded = () =>
  eventually(
    () =>
      psql(`SELECT count(*) FROM job WHERE account_id = ${account} AND kind = 'run-commands'
        AND state IN ('queued', 'inProgress')`) === '0',
    30,
  );
const insertNumbers = (workflow: string, table: string, rows: [string, string, number][]) =>
  psql(
    rows
      .map(
        ([node, counter, people]) =>
          `INSERT INTO ${table} (account_id, workflow_id, node, counter, ${table === 'node_count' ? 'people' : 'delta'})
           VALUES (${account}, '${workflow}', '${node}', '${counter}', ${people});`,
      )
      .join('\n'),
  );

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
    refused: { paused: 2 },
    nodes: [
      { node: 'day', reached: 10, waiting: 3, passed: { next: 6 } },
      { node: 'mark', reached: 6, waiting: 0, passed: {} },
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
