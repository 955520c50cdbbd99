// Workflows and templates over the API: saving, publishing, pausing, finishing and using them, and invalid requests.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { databaseUrl, expectProblem, faults, newStore, psql, shopbell } from './support.ts';

type Workflow = Schemas['Workflow'];

const store = newStore('Workflows');
const { send, client, account } = store;
const nobody = '019a8412-7c00-7abc-8def-0123456789ab';

const nodes = [{ id: 'end', type: 'exit' }];
const trigger = { event: 'contact.created' };
let made = 0;
const draft = (more: object = {}) => ({ alias: `flow-${++made}`, name: 'Flow', trigger, nodes, ...more });
const create = async (more: object = {}): Promise<Workflow> => {
  const response = await send('POST', '/manage/workflows/', draft(more));
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as Workflow;
};
const read = async (id: string) => (await (await send('GET', `/workflows/${id}`)).json()) as Workflow;
const act = (id: string, action: string) => send('POST', `/manage/workflows/${id}/${action}`);
const done = async (id: string, action: string) => {
  const response = await act(id, action);
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as Workflow;
};
const put = (id: string, body: object) => send('PUT', `/manage/workflows/${id}/draft`, body);
const invalid = async (response: Response) => {
  const problem = await expectProblem(response, 422, 'workflow-invalid');
  return problem.errors!.map(({ pointer, code }) => `${pointer} ${code}`);
};
const newTemplate = async (alias: string) => {
  const { data, error } = await client.POST('/manage/templates/', { body: { alias, name: alias } });
  assert(data, JSON.stringify(error));
  return data;
};

test('a workflow is returned as it was saved, and is not active', async () => {
  const body = draft({
    description: 'Two\nlines',
    priority: 5,
    tags: ['a'],
    goal: { event: 'contact.updated', within: 'P7D' },
  });
  const response = await send('POST', '/manage/workflows/', body);
  assert.equal(response.status, 201);
  const flow = (await response.json()) as Workflow;
  assert.equal(response.headers.get('location'), `/workflows/${flow.id}`);
  const { id, createdAt, updatedAt, ...rest } = flow;
  assert.deepEqual(rest, {
    ...body,
    status: 'draft',
    running: false,
    version: 1,
    draftVersion: 1,
    stats: {
      entered: 0,
      active: 0,
      completed: 0,
      exited: 0,
      converted: 0,
      revenue: { amount: '0.00', currency: 'EUR' },
    },
    reentry: null,
    exitOn: null,
    quietHours: null,
    sendWindow: null,
    activatedAt: null,
    finishedAt: null,
  });
  assert.equal(createdAt, updatedAt);
  for (const name of [id, flow.alias]) {
    const answer = await send('GET', `/workflows/${name}`);
    assert.deepEqual(await answer.json(), flow);
    const known = { 'if-none-match': answer.headers.get('etag')! };
    assert.equal((await send('GET', `/workflows/${name}`, undefined, known)).status, 304);
  }
  for (const name of ['nothing', nobody])
    await expectProblem(await send('GET', `/workflows/${name}`), 404, 'not-found');
});

test('all faults of a definition are reported at once', async () => {
  const body = draft({
    trigger: { event: 'custom.nothing', where: { value: 'contact.points', op: 'ge', to: 'many' } },
    nodes: [
      { id: 'mail', type: 'email', template: 'nothing', class: 'marketing', next: 'nowhere' },
      { id: 'gift', type: 'coupon', couponSet: 'nothing', as: 'c' },
      { id: 'set', type: 'updateContact', set: { fields: { nothing: 1 } } },
    ],
  });
  const expected = [
    '/trigger/event unknown-reference',
    '/trigger/where/to wrong-type',
    '/nodes/0/template unknown-reference',
    '/nodes/0/next unknown-reference',
    '/nodes/1/couponSet unknown-reference',
    '/nodes/2/set/fields/nothing unknown-reference',
    '/nodes/1 unreachable',
    '/nodes/2 unreachable',
  ];
  assert.deepEqual(await invalid(await send('POST', '/manage/workflows/', body)), expected);
  const flow = await create();
  assert.deepEqual(await invalid(await put(flow.id, body)), expected);
  assert.deepEqual(await read(flow.id), flow);
  // Faults of the workflow's own members, such as its name, are reported as faults of the body.
  assert.deepEqual(
    await faults(await send('POST', '/manage/workflows/', { name: '', trigger, nodes, foo: 1, priority: 5000 })),
    ['/name too-short', '/foo unknown-member', '/priority out-of-range', '/alias required'],
  );
  assert.deepEqual(await invalid(await send('POST', '/manage/workflows/', { alias: 'x', name: 'x' })), [
    '/trigger required',
    '/nodes required',
  ]);
  await expectProblem(await send('POST', '/manage/workflows/', { ...draft(), alias: flow.alias }), 409, 'alias-taken');
});

test('a draft is published, changed beside the active version, and published again', async () => {
  const flow = await create();
  const published = await done(flow.alias, 'publish');
  assert.deepEqual(
    [published.status, published.running, published.version, published.draftVersion],
    ['active', true, 1, null],
  );
  assert(published.activatedAt);
  assert.deepEqual(await done(flow.id, 'publish'), published); // without a draft, publish changes nothing
  await expectProblem(await send('GET', `/manage/workflows/${flow.id}/draft`), 404, 'not-found');

  const changed = { name: 'Flow 2', trigger, nodes: [{ id: 'wait', type: 'wait', for: 'P1D' }] };
  const saved = (await (await put(flow.id, changed)).json()) as Workflow;
  assert.deepEqual([saved.name, saved.version, saved.draftVersion, saved.status], ['Flow 2', 2, 2, 'active']);
  const shown = await read(flow.id);
  assert.deepEqual([shown.name, shown.version, shown.draftVersion, shown.nodes], ['Flow', 1, 2, nodes]);
  const again = (await (await put(flow.id, { ...changed, name: 'Flow 3' })).json()) as Workflow;
  assert.equal(again.draftVersion, 2); // the new draft replaces the previous one
  const kept = (await (await send('GET', `/manage/workflows/${flow.id}/draft`)).json()) as Workflow;
  assert.deepEqual([kept.name, kept.version], ['Flow 3', 2]);

  const second = await done(flow.id, 'publish');
  assert.deepEqual([second.name, second.version, second.nodes], ['Flow 3', 2, changed.nodes]);
  assert.equal(second.activatedAt, published.activatedAt);
  assert.equal(psql(`SELECT count(*) FROM workflow_version WHERE workflow_id = '${flow.id}'`), '2');
  assert.deepEqual(await faults(await put(flow.id, { ...changed, alias: 'else' })), ['/alias read-only']);
  await expectProblem(await put('nothing', changed), 404, 'not-found');
});

test('a published version cannot be changed, even in the database', async () => {
  const flow = await create();
  await done(flow.id, 'publish');
  const asApi = (sql: string) => psql(`SET shopbell.account = ${account}; ${sql}`, databaseUrl('api'));
  assert.equal(asApi(`DELETE FROM workflow_version WHERE workflow_id = '${flow.id}' RETURNING 1`), '');
  assert.equal(
    asApi(`UPDATE workflow_version SET published_at = now() WHERE workflow_id = '${flow.id}' RETURNING 1`),
    '',
  );
  assert.throws(() => asApi(`UPDATE workflow_version SET definition = '{}'`), { message: '42501' });
});

test('a workflow is paused, resumed and finished', async () => {
  const flow = await create();
  assert.equal((await done(flow.id, 'pause')).status, 'draft');
  assert.equal((await done(flow.id, 'resume')).status, 'draft');
  await done(flow.id, 'publish');
  assert.equal((await done(flow.id, 'pause')).status, 'paused');
  assert.equal((await done(flow.id, 'pause')).status, 'paused');
  await put(flow.id, { name: 'New', trigger, nodes });
  assert.equal((await done(flow.id, 'publish')).status, 'paused');
  assert.equal((await done(flow.id, 'resume')).status, 'active');
  const finished = await done(flow.id, 'finish?mode=stop');
  assert.equal(finished.status, 'finished');
  assert(finished.finishedAt);
  assert.equal(psql(`SELECT finish_mode FROM workflow WHERE workflow_id = '${flow.id}'`), 'stop');
  assert.deepEqual(await done(flow.id, 'finish'), finished);
  for (const action of ['publish', 'pause', 'resume'])
    await expectProblem(await act(flow.id, action), 409, 'workflow-finished');
  await expectProblem(await put(flow.id, { name: 'x', trigger, nodes }), 409, 'workflow-finished');
  await expectProblem(await act(flow.id, 'finish?mode=later'), 422, 'invalid-parameter');
  for (const action of ['publish', 'pause', 'resume', 'finish'])
    await expectProblem(await act('nothing', action), 404, 'not-found');
  assert.equal((await done((await create()).id, 'finish')).status, 'finished');
});

test('objects that a workflow uses cannot be deleted', async () => {
  await client.POST('/contact-fields/', { body: { id: 'used', name: 'x', type: 'text' } });
  const message = await newTemplate('used');
  const set = await client.POST('/manage/coupon-sets/', { body: { alias: 'used', name: 'x', kind: 'unique' } });
  const flow = await create({
    name: 'User',
    trigger: { event: 'contact.updated', where: { value: 'contact.fields.used', op: 'eq', to: 'x' } },
    nodes: [
      { id: 'gift', type: 'coupon', couponSet: set.data!.id, as: 'gift', next: 'mail' },
      { id: 'mail', type: 'email', template: 'used', class: 'marketing' },
    ],
  });
  const usedBy = [{ id: flow.id, name: 'User' }];
  const refusals = [
    ['/contact-fields/used', 'field-in-use'],
    ['/manage/templates/used', 'template-in-use'],
    ['/manage/coupon-sets/used', 'coupon-set-in-use'],
  ] as const;
  const refused = async () => {
    for (const [path, code] of refusals) {
      const problem = await expectProblem(await send('DELETE', path), 409, code);
      assert.deepEqual((problem as unknown as { usedBy: unknown }).usedBy, usedBy);
    }
  };
  await refused();
  const shown = await client.GET('/coupon-sets/{id}', { params: { path: { id: 'used' } } });
  assert.deepEqual(shown.data!.usedInWorkflows, usedBy);
  // A foreign key prevents the deletion, even without the check in the code.
  const rows = [
    `contact_field WHERE id = 'used'`,
    `template WHERE template_id = '${message.id}'`,
    `coupon_set WHERE coupon_set_id = '${set.data!.id}'`,
  ];
  for (const row of rows)
    assert.throws(() => psql(`DELETE FROM ${row} AND account_id = ${account}`), { message: '23503' });
  await done(flow.id, 'publish');
  await put(flow.id, { name: 'User', trigger, nodes });
  await refused(); // the draft no longer uses these objects, but the published version does
  await done(flow.id, 'publish');
  for (const [path] of refusals) assert.equal((await send('DELETE', path)).status, 204, path);
});

test('objects that a finished workflow used can be deleted', async () => {
  await newTemplate('freed');
  const flow = await create({ nodes: [{ id: 'mail', type: 'email', template: 'freed', class: 'transactional' }] });
  await expectProblem(await send('DELETE', '/manage/templates/freed'), 409, 'template-in-use');
  await done(flow.id, 'finish');
  assert.equal((await send('DELETE', '/manage/templates/freed')).status, 204);
});

test('a custom event has its type’s fields', async () => {
  const [integration, type, sender] = [1, 2, 3].map((n) => `019a8412-7c00-7abc-8def-00000000000${n}`);
  psql(`INSERT INTO integration (account_id, integration_id, name, events_enabled, created_at, updated_at)
      VALUES (${account}, '${integration}', 'Shop', true, now(), now());
    INSERT INTO event_type (account_id, event_type_id, integration_id, name, direction, alias, fields, additional_members,
                            url, signing_secret, created_at, updated_at)
      VALUES (${account}, '${type}', '${integration}', 'Cart', 'receive', 'cart-updated',
              '[{"id":"total","type":"decimal"},{"id":"open","type":"boolean"}]', 'reject', NULL, NULL, now(), now()),
             (${account}, '${sender}', '${integration}', 'Out', 'send', NULL, '[]', 'keep', 'https://a.example', 'x', now(), now())`);
  const where = (value: string, op: string, to: unknown) => ({
    event: 'custom.cart-updated',
    where: { value, op, to },
  });
  const post = (body: object) => send('POST', '/manage/workflows/', draft(body));
  assert.deepEqual(await invalid(await post({ trigger: where('event.data.size', 'eq', 1) })), [
    '/trigger/where/value unknown-reference',
  ]);
  assert.deepEqual(await invalid(await post({ trigger: where('event.data.open', 'ge', 1) })), [
    '/trigger/where/op conflicts-with',
  ]);
  await create({
    trigger: where('event.data.total', 'ge', '20.00'),
    nodes: [{ id: 'out', type: 'webhook', eventType: sender, data: { total: { ref: 'trigger.data.total' } } }],
  });
  for (const id of [type, sender])
    assert.throws(() => psql(`DELETE FROM event_type WHERE event_type_id = '${id}'`), { message: '23503' });
});

test('of a concurrent deletion and use one is rejected', async () => {
  for (let i = 0; i < 10; ++i) {
    await newTemplate(`race-${i}`);
    const [deleted, saved] = await Promise.all([
      send('DELETE', `/manage/templates/race-${i}`),
      send(
        'POST',
        '/manage/workflows/',
        draft({ nodes: [{ id: 'm', type: 'email', template: `race-${i}`, class: 'marketing' }] }),
      ),
    ]);
    const outcome = `${deleted.status} ${saved.status}`;
    assert(outcome === '204 422' || outcome === '409 201', outcome);
  }
});

test('lists return every workflow without its definition, by status', async () => {
  const own = newStore('Flows');
  for (let i = 0; i < 5; ++i)
    assert.equal(
      (await own.send('POST', '/manage/workflows/', { alias: `w${i}`, name: 'x', trigger, nodes })).status,
      201,
    );
  await own.send('POST', '/manage/workflows/w2/publish');
  for (const path of ['/workflows/', '/manage/workflows/']) {
    const aliases: string[] = [];
    for (let next: string | null = `${path}?limit=2`; next;) {
      const response: Response = await own.send('GET', next);
      const page = (await response.json()) as Schemas['WorkflowPage'];
      for (const flow of page.data) assert(!('nodes' in flow) && !('trigger' in flow));
      aliases.push(...page.data.map(({ alias }) => alias));
      next = /<(.*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
    }
    assert.deepEqual(aliases, ['w4', 'w3', 'w2', 'w1', 'w0']);
    const active = (await (await own.send('GET', `${path}?status=active&order=asc`)).json()) as Schemas['WorkflowPage'];
    assert.deepEqual(
      active.data.map(({ alias }) => alias),
      ['w2'],
    );
  }
});

test('the limits of workflows and templates per account are exact', async () => {
  const own = newStore('Full of flows');
  psql(`INSERT INTO workflow (account_id, workflow_id, alias, name, status, draft_version, created_at, updated_at)
    SELECT ${own.account}, gen_random_uuid(), 'f' || n, 'x', 'draft', 1, now(), now() FROM generate_series(1, 999) n;
    INSERT INTO template (account_id, template_id, alias, name, created_at, updated_at)
    SELECT ${own.account}, gen_random_uuid(), 'f' || n, 'x', now(), now() FROM generate_series(1, 999) n`);
  const race = (path: string, body: object) =>
    Promise.all([...Array(4).keys()].map((i) => own.send('POST', path, { alias: `r${i}`, name: 'x', ...body })));
  for (const answers of [await race('/manage/workflows/', { trigger, nodes }), await race('/manage/templates/', {})]) {
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      await expectProblem(answer, 409, 'limit-reached');
  }
});

test('a template is created, read, listed and deleted', async () => {
  const own = newStore('Templates');
  const response = await own.send('POST', '/manage/templates/', { alias: 'cart-reminder', name: 'Cart reminder' });
  assert.equal(response.status, 201);
  const message = (await response.json()) as Schemas['Template'];
  assert.equal(response.headers.get('location'), `/manage/templates/${message.id}`);
  for (const name of [message.id, 'cart-reminder']) {
    const answer = await own.send('GET', `/manage/templates/${name}`);
    assert.deepEqual(await answer.json(), message);
    assert.equal(answer.headers.get('etag'), response.headers.get('etag'));
  }
  assert.deepEqual(await faults(await own.send('POST', '/manage/templates/', { alias: 'A', foo: 1 })), [
    '/alias invalid-format',
    '/foo unknown-member',
    '/name required',
  ]);
  await expectProblem(
    await own.send('POST', '/manage/templates/', { alias: 'cart-reminder', name: 'x' }),
    409,
    'alias-taken',
  );
  await own.send('POST', '/manage/templates/', { alias: 'second', name: 'x' });
  const list = async (query: string) =>
    ((await (await own.send('GET', `/manage/templates/${query}`)).json()) as Schemas['TemplatePage']).data.map(
      ({ alias }) => alias,
    );
  assert.deepEqual(await list(''), ['second', 'cart-reminder']);
  assert.deepEqual(await list('?order=asc'), ['cart-reminder', 'second']);
  const stale = { 'if-match': '"stale"' };
  await expectProblem(
    await own.send('DELETE', '/manage/templates/second', undefined, stale),
    412,
    'precondition-failed',
  );
  assert.equal((await own.send('DELETE', '/manage/templates/second')).status, 204);
  for (const method of ['GET', 'DELETE'])
    await expectProblem(await own.send(method, '/manage/templates/second'), 404, 'not-found');
});

test('an operator manages templates and workflows', async () => {
  const own = newStore('By hand');
  const dir = mkdtempSync(join(tmpdir(), 'shopbell-flows.'));
  const file = join(dir, 'flow.json');
  const run = (...args: string[]) => shopbell([...args, '--account', own.account]);
  assert.match(run('template', 'create', '--alias', 'hello').stdout, /^template=[0-9a-f-]{36}\nalias=hello\n$/);
  assert.match(run('template', 'list').stdout, /hello +hello$/m);
  const flow = {
    alias: 'by-hand',
    name: 'By hand',
    trigger,
    nodes: [{ id: 'm', type: 'email', template: 'hello', class: 'marketing' }],
  };
  writeFileSync(file, JSON.stringify(flow));
  assert.equal(run('workflow', 'check', file).stdout, 'by-hand is valid\n');
  assert.equal(run('workflow', 'list').stdout.trim().split('\n').length, 1); // the check of a definition saved nothing
  assert.equal((await own.send('POST', '/manage/workflows/', flow)).status, 201);
  assert.match(run('workflow', 'list').stdout, /^by-hand +draft +- +1 +By hand$/m);
  assert.match(run('workflow', 'publish', 'by-hand').stdout, /^version 1 of by-hand is published/);
  assert.equal(JSON.parse(run('workflow', 'show', 'by-hand').stdout).status, 'active');
  assert.equal(shopbell(['workflow', 'schema']).stdout, readFileSync('docs/api/workflow.json', 'utf8'));
  writeFileSync(file, JSON.stringify({ ...flow, nodes: [{ id: 'm', type: 'email', template: 'bye', class: 'spam' }] }));
  const told = run('workflow', 'check', file);
  assert.match(told.stderr, /flow\.json:1: \/nodes\/0\/template unknown-reference[^]*\/nodes\/0\/class not-an-option/);
  assert.equal(told.status, 3);
  for (const refused of [
    run('workflow', 'show', 'nothing'),
    run('workflow', 'publish', 'nothing'),
    run('workflow', 'check', join(dir, 'nothing')),
    run('template', 'create', '--alias', 'hello'),
    run('template', 'create', '--alias', 'No Alias'),
    run('template', 'delete', 'hello'),
    run('template', 'delete', 'nothing'),
  ])
    assert.deepEqual([refused.status, refused.stderr.startsWith('shopbell: ')], [1, true], refused.stdout);
  await own.send('POST', '/manage/workflows/by-hand/finish');
  assert.equal(run('template', 'delete', 'hello').stdout, 'deleted hello\n');
  rmSync(dir, { recursive: true });
});
