// The audit trail: each audited operation leaves exactly one row with its effect, and none without.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { insertParkedRun } from './run-rows.ts';
import { eventually, expectProblem, newStore, openapi, psql, url } from './support.ts';

const store = newStore('Audited');
const { account, key, send } = store;
const keyId = psql(`SELECT key_id FROM api_key WHERE account_id = ${account}`);
const nobody = '019a8412-7c00-7abc-8def-0123456789ab';

const count = () => Number(psql(`SELECT count(*) FROM audit WHERE account_id = ${account}`));
interface Row {
  actor: string;
  actor_id: string | null;
  operation: string;
  object: string;
  members: string[];
  request_id: string | null;
  address: string | null;
}
const last = (): Row =>
  JSON.parse(psql(`SELECT to_json(a) FROM audit a WHERE account_id = ${account} ORDER BY audit_id DESC LIMIT 1`));

const made = async (method: string, path: string, body?: object): Promise<any> => {
  const answer = await send(method, path, body);
  assert(answer.ok, `${method} ${path}: ${await answer.clone().text()}`);
  return answer.json();
};
let number = 0;
const fresh = (word: string) => `${word}-${++number}`;
const newContact = async (): Promise<{ id: string; externalId: string; email: string }> => {
  const name = fresh('eva');
  return made('PATCH', `/contacts/external-id/${name}?createContact=true`, { email: `${name}@bell.example` });
};
const newSet = () => made('POST', '/manage/coupon-sets/', { alias: fresh('set'), name: 'Set', kind: 'unique' });
const newKey = () => made('POST', '/manage/keys/', { name: fresh('key'), scopes: ['store:read'] });
const letter = { class: 'transactional', locales: { en: { subject: 'Letter', text: 'Dear Eva' } } };
const newTemplate = (more = {}) =>
  made('POST', '/manage/templates/', { alias: fresh('letter'), name: 'Letter', ...more });
const newWebhook = (status = 'disabled') =>
  made('POST', '/manage/webhooks/', { url: 'https://shop.example/hook', status });
const definition = { trigger: { event: 'contact.created' }, nodes: [{ id: 'end', type: 'exit' }] };
const newWorkflow = async (...actions: string[]) => {
  const flow = await made('POST', '/manage/workflows/', { alias: fresh('flow'), name: 'Flow', ...definition });
  for (const action of actions) await made('POST', `/manage/workflows/${flow.id}/${action}`);
  return flow;
};
const newType = async (body: object) => {
  const integration = await made('POST', '/custom-integrations/', { name: fresh('shop') });
  return made('POST', `/custom-integrations/${integration.id}/custom-event-types/`, { name: 'Type', ...body });
};
const newSendType = () => newType({ direction: 'send', url: 'https://shop.example/event' });
const csv = { headers: { 'content-type': 'text/csv' }, raw: 'email\nada@bell.example\n' };
const ended = (kind: string, id: string) =>
  eventually(async () => !['queued', 'inProgress'].includes((await made('GET', `/${kind}/${id}`)).status));
const newExport = async () => {
  const { id } = await made('POST', '/exports/', { type: 'products' });
  await ended('exports', id);
  return id;
};
const newImport = async () => {
  const headers = { authorization: `Bearer ${key}`, ...csv.headers };
  const answer = await fetch(`${url}/imports/?type=contacts`, { method: 'POST', headers, body: csv.raw });
  const { id } = (await answer.json()) as { id: string };
  await ended('imports', id);
  return id;
};
/** Makes an ended job look as if another process ran it. */
const running = (id: string) => {
  psql(`UPDATE job SET state = 'inProgress', leased_until = now() + interval '1 hour', finished_at = NULL
    WHERE job_id = '${id}'`);
  return id;
};
/** Only the queue rejects events. */
const newRejected = async () => {
  const type = await newType({ direction: 'receive', alias: fresh('seen') });
  const id = `019a8412-7c00-7abc-8def-${String(++number).padStart(12, '0')}`;
  const message = {
    format: 1,
    account: Number(account),
    id,
    receivedAt: '2026-11-01T00:00:00.000Z',
    type: type.id,
    parameters: { createContact: 'true' },
    lenient: false,
    body: { contact: { email: `${fresh('late')}@bell.example` } },
  };
  const text = JSON.stringify(message).replace(`"account":${Number(account)}`, `"account":${account}`);
  psql(`INSERT INTO rejected_event (account_id, id, event_type_id, received_at, code, problem, message, identifiers)
    VALUES (${account}, '${id}', '${type.id}', now(), 'contact-not-found', '{"title":"x"}', '${text}', '{}')`);
  return id;
};

/** A call that changes something, and what its row must have. Without `object`: a new object of this kind. */
interface Call {
  path: string;
  body?: object;
  raw?: string;
  headers?: Record<string, string>;
  object?: string;
  kind?: string;
}
const on = (object: string, action = '', body?: object): Call => ({
  path: `/manage/${object}${action}`,
  object,
  ...(body && { body }),
});
const erasing = async (path: (contact: { email: string; externalId: string }) => string): Promise<Call> => {
  const contact = await newContact();
  return { path: path(contact), object: `contacts/${contact.id}` };
};
const ofWorkflow = async (action: string, ...before: string[]): Promise<Call> => {
  const flow = await newWorkflow(...before);
  return { path: `/manage/workflows/${flow.alias}/${action}`, object: `workflows/${flow.id}` };
};
const ofRun = async (action: string): Promise<Call> => {
  const flow = await newWorkflow('publish');
  const id = insertParkedRun(account, flow.id, 'end');
  return { path: `/manage/runs/${id}/${action}`, object: `runs/${id}` };
};

const calls: Record<string, () => Promise<Call>> = {
  changeContactField: async () => {
    await made('POST', '/contact-fields/', { id: 'shoe', name: 'Shoe', type: 'text' });
    return on('contact-fields/shoe', '', { name: 'Shoes' });
  },
  mergeContacts: async () => {
    const [from, into] = [await newContact(), await newContact()];
    return { path: '/manage/contacts/merge', body: { from: from.id, into: into.id }, object: `contacts/${into.id}` };
  },
  createCouponSet: async () => ({
    path: '/manage/coupon-sets/',
    body: { alias: fresh('set'), name: 'Set', kind: 'unique' },
    kind: 'coupon-sets',
  }),
  changeCouponSet: async () => {
    const { id, alias } = await newSet();
    return { path: `/manage/coupon-sets/${alias}`, body: { name: 'Other' }, object: `coupon-sets/${id}` };
  },
  deleteCouponSet: async () => {
    const { id, alias } = await newSet();
    return { path: `/manage/coupon-sets/${alias}`, object: `coupon-sets/${id}` };
  },
  addCouponCodes: async () => {
    const { id, alias } = await newSet();
    return { path: `/manage/coupon-sets/${alias}/codes`, body: { codes: ['A-1'] }, object: `coupon-sets/${id}` };
  },
  changeCustomEventType: async () => on(`custom-event-types/${(await newSendType()).id}`, '', { name: 'Other' }),
  rotateSigningSecret: async () => on(`custom-event-types/${(await newSendType()).id}`, '/rotate-secret'),
  cancelExport: async () => on(`exports/${running(await newExport())}`, '/cancel'),
  cancelImport: async () => on(`imports/${running(await newImport())}`, '/cancel'),
  createKey: async () => ({
    path: '/manage/keys/',
    body: { name: 'made', scopes: ['store:read'] },
    kind: 'keys',
  }),
  changeKey: async () => on(`keys/${(await newKey()).id}`, '', { name: 'other', expiresAt: null }),
  revokeKey: async () => on(`keys/${(await newKey()).id}`),
  deleteRejectedEvent: async () => on(`rejected-events/${await newRejected()}`),
  retryRejectedEvent: async () => on(`rejected-events/${await newRejected()}`, '/retry'),
  changeStore: async () => on('store', '', { name: fresh('Store') }),
  createTemplate: async () => ({
    path: '/manage/templates/',
    body: { alias: fresh('letter'), name: 'Letter' },
    kind: 'templates',
  }),
  deleteTemplate: async () => {
    const { id, alias } = await newTemplate();
    return { path: `/manage/templates/${alias}`, object: `templates/${id}` };
  },
  saveTemplateContent: async () => {
    const { id, alias } = await newTemplate();
    return { path: `/manage/templates/${alias}/content`, body: letter, object: `templates/${id}` };
  },
  publishTemplate: async () => {
    const { id, alias } = await newTemplate({ content: letter });
    return { path: `/manage/templates/${alias}/publish`, object: `templates/${id}` };
  },
  createWebhook: async () => ({
    path: '/manage/webhooks/',
    body: { url: 'https://shop.example/hook', status: 'disabled' },
    kind: 'webhooks',
  }),
  changeWebhook: async () => on(`webhooks/${(await newWebhook()).id}`, '', { description: 'Other' }),
  deleteWebhook: async () => on(`webhooks/${(await newWebhook()).id}`),
  rotateWebhookSecret: async () => on(`webhooks/${(await newWebhook()).id}`, '/rotate-secret'),
  testWebhook: async () => on(`webhooks/${(await newWebhook('enabled')).id}`, '/test'),
  redeliverWebhook: async () => {
    const { id } = await newWebhook('enabled');
    const delivery = await made('POST', `/manage/webhooks/${id}/test`);
    return on(`webhooks/${id}`, '/redeliver', { id: delivery.id });
  },
  replayWebhook: async () =>
    on(`webhooks/${(await newWebhook()).id}`, '/replay', {
      from: new Date(Date.now() - 60_000).toISOString(),
      to: new Date(Date.now() - 1_000).toISOString(),
    }),
  createWorkflow: async () => ({
    path: '/manage/workflows/',
    body: { alias: fresh('flow'), name: 'Flow', ...definition },
    kind: 'workflows',
  }),
  saveWorkflowDraft: async () => ({
    ...(await ofWorkflow('draft')),
    body: { name: 'Other', ...definition },
  }),
  publishWorkflow: () => ofWorkflow('publish'),
  pauseWorkflow: () => ofWorkflow('pause', 'publish'),
  resumeWorkflow: () => ofWorkflow('resume', 'publish', 'pause'),
  finishWorkflow: () => ofWorkflow('finish', 'publish'),
  retryRun: () => ofRun('retry'),
  endRun: () => ofRun('end'),
  createExport: async () => ({ path: '/exports/', body: { type: 'products' }, kind: 'exports' }),
  createDataExplorerExport: async () => ({
    path: '/exports/type/data-explorer',
    body: { report: 'contacts-growth', from: '2026-01-01', to: '2026-02-01' },
    kind: 'exports',
  }),
  deleteExport: async () => {
    const id = await newExport();
    return { path: `/exports/${id}`, object: `exports/${id}` };
  },
  createImport: async () => ({ path: '/imports/?type=contacts', ...csv, kind: 'imports' }),
  deleteImport: async () => {
    const id = await newImport();
    return { path: `/imports/${id}`, object: `imports/${id}` };
  },
  deleteContact: () => erasing(({ email }) => `/contacts/${email}`),
  deleteContactByEmail: () => erasing(({ email }) => `/contacts/email/${email}`),
  deleteContactByExternalId: () => erasing(({ externalId }) => `/contacts/external-id/${externalId}`),
};

const audited = Object.entries(openapi.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(
        ([method]) =>
          ['post', 'put', 'patch', 'delete'].includes(method) &&
          !/\/(dry-run|preview)$/.test(path) && // changes nothing
          (/^\/(manage|imports|exports)\//.test(path) || (path.startsWith('/contacts/') && method === 'delete')),
      )
      .map(([method, { operationId }]) => ({ id: operationId, method: method.toUpperCase(), path })),
);

const ask = (method: string, { path, body, raw, headers }: Call, more = {}) =>
  fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
      ...more,
    },
    body: body ? JSON.stringify(body) : raw,
  });

/** The same call for an object that does not exist, or with an invalid body. */
function failing(template: string, call: Call): Call {
  const path = template.replace('{email}', 'nobody@bell.example').replace(/\{\w+\}/, nobody);
  if (path !== template) return { ...call, path };
  return call.raw ? { ...call, path: `${template}?type=nonsense` } : { ...call, path, body: { nonsense: true } };
}

test('the cases cover every audited operation', () => {
  assert.deepEqual(Object.keys(calls).sort(), audited.map(({ id }) => id).sort());
});

for (const { id, method, path } of audited) {
  test(`${id} leaves one row, and none if it fails or is repeated`, async () => {
    const call = await calls[id]!();
    const before = count();
    const refused = await ask(method, failing(path, call));
    assert([404, 422].includes(refused.status), `${refused.status} ${await refused.text()}`);
    assert.equal(count(), before);

    const sent = { 'x-request-id': `audit-${id}`, 'idempotency-key': `audit-${id}` };
    const answer = await ask(method, call, sent);
    assert(answer.ok, await answer.clone().text());
    assert.equal(count(), before + 1);
    const { object, ...row } = last();
    if (call.object) assert.equal(object, call.object);
    else assert.match(object, new RegExp(`^${call.kind}/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-`));
    assert.deepEqual(
      [row.actor, row.actor_id, row.operation, row.request_id, row.address],
      ['key', keyId, id, `audit-${id}`, '127.0.0.1'],
    );
    assert.deepEqual(row.members, Object.keys(call.body ?? {}));

    const repeated = await ask(method, call, sent);
    assert.deepEqual([repeated.status, repeated.headers.get('idempotent-replayed')], [answer.status, 'true']);
    assert.equal(count(), before + 1);
  });
}

test('ordinary writes and writes that change nothing leave no row', async () => {
  const template = await newTemplate();
  const set = await newSet();
  const before = count();
  const contact = await newContact();
  await made('PATCH', `/contacts/email/${contact.email}`, { firstName: 'Eva' });
  await made('PATCH', '/products/product-id/p-1', { name: 'Bell', url: 'https://shop.example/p-1' });
  await made('PATCH', `/manage/coupon-sets/${set.id}`, { name: set.name });
  await expectProblem(
    await send('POST', '/manage/templates/', { alias: template.alias, name: 'x' }),
    409,
    'alias-taken',
  );
  assert.equal(count(), before);
});

test('names of unknown members are not recorded', async () => {
  const body = { name: fresh('Store'), 'eva@bell.example': 1, createdAt: '2026-01-01T00:00:00Z' };
  const answer = await send('PATCH', '/manage/store', body, { prefer: 'handling=lenient' });
  assert.equal(answer.status, 200);
  assert.deepEqual(last().members, ['name']);
});

/** Raises for rows of this account: at once, or when the transaction commits. */
function refuse(table: string, when: 'at once' | 'at commit') {
  psql(`CREATE OR REPLACE FUNCTION refuse_${table}() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
    CREATE ${when === 'at commit' ? 'CONSTRAINT' : ''} TRIGGER refuse_${table} AFTER INSERT ON ${table}
      ${when === 'at commit' ? 'DEFERRABLE INITIALLY DEFERRED' : ''}
      FOR EACH ROW WHEN (NEW.account_id = ${account}) EXECUTE FUNCTION refuse_${table}()`);
  return () => psql(`DROP FUNCTION refuse_${table} CASCADE`);
}

test('no write commits without its row, and no row without its write', async () => {
  const body = { alias: fresh('letter'), name: 'Letter' };
  const templates = () => psql(`SELECT count(*) FROM template WHERE account_id = ${account}`);
  const [rows, before] = [count(), templates()];
  for (const [table, when] of [
    ['audit', 'at once'],
    ['template', 'at commit'],
  ] as const) {
    const accept = refuse(table, when);
    assert.equal((await send('POST', '/manage/templates/', body)).status, 500);
    accept();
    assert.deepEqual([count(), templates()], [rows, before]);
  }
  assert.equal((await send('POST', '/manage/templates/', body)).status, 201);
  assert.equal(count(), rows + 1);
});

test('writes that race and retry leave one row each', async () => {
  const { id } = await newKey();
  const before = count();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => send('PATCH', `/manage/keys/${id}`, { name: `racer ${i}` })),
  );
  const done = answers.filter(({ status }) => status === 200).length;
  assert(done > 0);
  assert.equal(count(), before + done);
});
