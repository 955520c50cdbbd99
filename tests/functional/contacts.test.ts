// Contacts over the API: valid and invalid data about a person.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { eventually, expectProblem, faults, newStore, psql, ready, shopbell, start } from './support.ts';

type Contact = Schemas['Contact'];
interface Event {
  kind: string;
  seq: number;
  payload: Record<string, unknown> | null;
}

const store = newStore('Contacts');
const { send, account } = store;
await send('PATCH', '/manage/store', { country: 'AT' });

async function another(t: TestContext, settings = {}) {
  const process = await start(t, settings);
  await eventually(async () => (await ready(process)).ready);
  return process;
}

let people = 0;
const someone = () => `person-${++people}@example.com`;
const at = (email: string) => `/contacts/email/${encodeURIComponent(email)}`;
const made = (path: string) => `${path}?createContact=true`;

async function patch(path: string, body: object, headers = {}): Promise<Contact> {
  const response = await send('PATCH', path, body, headers);
  assert([200, 201].includes(response.status), `${response.status} ${await response.clone().text()}`);
  return (await response.json()) as Contact;
}
const create = (email: string, body: object = {}) => patch(made(at(email)), body);

const events = (id: string): Event[] =>
  psql(`SELECT json_build_object('kind', kind, 'seq', contact_seq, 'payload', payload)
        FROM event WHERE account_id = ${account} AND contact_id = '${id}' ORDER BY id`)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);
const kinds = (id: string) => events(id).map(({ kind }) => kind);
const rows = (table: string, where = 'true') =>
  Number(psql(`SELECT count(*) FROM ${table} WHERE account_id = ${account} AND ${where}`));
const warnings = (contact: Contact) => contact.warnings?.map(({ pointer, code }) => `${pointer} ${code}`);

test('a contact is created only on request', async () => {
  const email = someone();
  await expectProblem(await send('GET', at(email)), 404, 'not-found');
  await expectProblem(await send('PATCH', at(email), { firstName: 'x' }), 404, 'not-found');
  await expectProblem(await send('DELETE', at(email)), 404, 'not-found');
  const response = await send('PATCH', made(at(email)), { firstName: 'Eva' });
  assert.equal(response.status, 201);
  assert.equal(response.headers.get('location'), at(email).replace('%40', '@'));
  const contact = (await response.json()) as Contact;
  const read = await send('GET', at(email));
  assert.deepEqual(await read.json(), contact);
  assert.equal(read.headers.get('etag'), response.headers.get('etag'));
  assert.equal(read.headers.get('cache-control'), 'no-store');
  assert.deepEqual(kinds(contact.id), ['contact.created']);
});

test('an address is matched in any spelling', async () => {
  const contact = await create('Jürgen.Groß@BÜCHER.example', { firstName: 'Jürgen' });
  assert.equal(contact.email, 'Jürgen.Groß@BÜCHER.example');
  for (const form of ['jürgen.groß@bücher.example', 'JÜRGEN.GROSS@xn--bcher-kva.example'])
    assert.equal(((await (await send('GET', at(form))).json()) as Contact).id, contact.id, form);
});

test('a contact that was read can be sent back and changes nothing', async () => {
  const email = someone();
  const contact = await create(email, {
    externalId: `x-${email}`,
    phone: '0664 123 45 67',
    birthDate: '--02-29',
    tags: ['vip', 'wien'],
    points: 5,
    consent: [{ channel: 'email', status: 'subscribed', source: 'form', method: 'doubleOptIn' }],
    sourceUpdatedAt: '2026-01-01T00:00:00.123456Z',
  });
  assert.equal(contact.phone, '+436641234567');
  assert.equal(contact.emailSubscription, 'subscribed');
  const before = events(contact.id).length;
  assert.deepEqual(await patch(at(email), contact), contact);
  assert.equal(events(contact.id).length, before);
});

test('all ways to change a member', async () => {
  const email = someone();
  await create(email, { points: 5, company: 'Bell' });
  assert.equal((await patch(at(email), { points: { add: 7 } })).points, 12);
  assert.equal((await patch(at(email), { points: 1 })).points, 1);
  assert.equal((await patch(at(email), { company: null })).company, null);
  assert.deepEqual((await patch(at(email), { tags: ['b', 'a'] })).tags, ['b', 'a']);
  const last = events((await patch(at(email), { lastName: 'Bell' })).id).at(-1)!;
  assert.deepEqual(last.payload, {
    changed: ['lastName'],
    before: { lastName: null },
    after: { lastName: 'Bell' },
  });
});

test('all faults are reported at once, before other checks', async () => {
  const bad = { email: 'nobody', phone: '12', birthDate: '1990-02-30', country: 'XX', emailStatus: 'bounced', nope: 1 };
  assert.deepEqual(await faults(await send('PATCH', made(at(someone())), bad)), [
    '/email invalid-format',
    '/birthDate invalid-format',
    '/country invalid-format',
    '/nope unknown-member',
  ]);
  const later = { phone: '12', fields: { nope: 1 }, emailStatus: 'bounced' };
  for (const path of [at(someone()), made(at(someone()))])
    assert.deepEqual(await faults(await send('PATCH', path, later)), [
      '/phone invalid-format',
      '/emailStatus not-an-option',
      '/fields/nope unknown-member',
    ]);
  const named = { ...later, firstName: 'Eva' };
  const lenient = await send('PATCH', made(at(someone())), named, { prefer: 'handling=lenient' });
  const contact = (await lenient.json()) as Contact;
  assert.deepEqual([lenient.status, contact.firstName, contact.phone], [201, 'Eva', null]);
  assert.equal(contact.warnings?.length, 3);
});

test('custom fields are validated, stored and purged', async (t) => {
  const fields = newStore('Contact fields');
  const options = [{ id: 'gold', label: 'Gold' }];
  const level = { id: 'level', name: 'Level', type: 'choice', indexed: true, options };
  await fields.send('POST', '/contact-fields/', level);
  const path = made('/contacts/external-id/1');
  const contact = (await (await fields.send('PATCH', path, { fields: { level: 'gold' } })).json()) as Contact;
  assert.deepEqual(contact.fields, { level: 'gold' });
  assert.deepEqual(await faults(await fields.send('PATCH', path, { fields: { level: 'lead' } })), [
    '/fields/level not-an-option',
  ]);
  // Another process sees a new field, and its deletion, at once.
  const other = await another(t);
  const read = () => fields.send('GET', '/contacts/external-id/1', undefined, {}, other.url);
  const shoe = { id: 'shoe', name: 'Shoe', type: 'decimal', required: true, defaultValue: '38.5' };
  await fields.send('POST', '/contact-fields/', shoe);
  const there = (await (await read()).json()) as Contact;
  assert.deepEqual(there.fields, { level: 'gold', shoe: '38.5' });
  const changed = await fields.send('PATCH', '/contacts/external-id/1', { fields: { shoe: 41 } }, {}, other.url);
  assert.equal(changed.status, 200);
  assert.equal((await fields.send('DELETE', '/contact-fields/level')).status, 204);
  const after = (await (await read()).json()) as Contact;
  assert.deepEqual(after.fields, { shoe: '41' });
  assert.deepEqual(await faults(await fields.send('PATCH', '/contacts/external-id/1', { fields: { level: 'gold' } })), [
    '/fields/level unknown-member',
  ]);
  // The values of the deleted field are purged too.
  psql(
    `UPDATE dropped_contact_field SET dropped_at = now() - interval '2 minutes' WHERE account_id = ${fields.account}`,
  );
  while (Number(psql('SELECT purge_dropped_fields(100)')) > 0);
  assert.equal(psql(`SELECT fields FROM contact WHERE account_id = ${fields.account}`), '{"2": "41"}');
  assert.equal(psql(`SELECT count(*) FROM dropped_contact_field WHERE account_id = ${fields.account}`), '0');
});

test('an outdated write changes only consent', async () => {
  const email = someone();
  await create(email, { firstName: 'New', sourceUpdatedAt: '2026-06-01T00:00:00Z', emailSubscription: 'subscribed' });
  const old = { firstName: 'Old', sourceUpdatedAt: '2026-05-01T00:00:00Z' };
  const stale = await send('PATCH', at(email), old);
  assert.deepEqual([stale.status, stale.headers.get('shopbell-applied')], [200, 'stale']);
  assert.equal(((await stale.json()) as Contact).firstName, 'New');
  const goodbye = { channel: 'email', status: 'unsubscribed', at: '2026-07-01T00:00:00Z' };
  const consent = await send('PATCH', at(email), { ...old, consent: [goodbye] });
  assert.equal(consent.headers.get('shopbell-applied'), 'consent');
  const contact = (await consent.json()) as Contact;
  assert.deepEqual([contact.firstName, contact.emailSubscription], ['New', 'unsubscribed']);
});

test('a sync cannot override a person’s decision', async () => {
  const email = someone();
  await create(email, { emailSubscription: 'subscribed' });
  await patch(at(email), { emailSubscription: 'unsubscribed' });
  const synced = await patch(at(email), { firstName: 'Eva', emailSubscription: 'subscribed' });
  assert.deepEqual([synced.firstName, synced.emailSubscription], ['Eva', 'unsubscribed']);
  assert.deepEqual(warnings(synced), ['/emailSubscription consent-needs-proof']);
  const proof = {
    channel: 'email',
    status: 'subscribed',
    source: 'checkout',
    ip: '192.0.2.7',
    wording: 'Yes,\nplease.',
  };
  const again = await patch(at(email), { consent: [proof] });
  assert.equal(again.emailSubscription, 'subscribed');
  assert.deepEqual(
    again.consent.map(({ status, source }) => [status, source]),
    [
      ['subscribed', 'checkout'],
      ['unsubscribed', 'api'],
      ['subscribed', 'api'],
    ],
  );
  assert.deepEqual(kinds(again.id), [
    'contact.created',
    'contact.subscribed',
    'contact.updated',
    'contact.unsubscribed',
    'contact.updated',
    'contact.updated',
    'contact.subscribed',
  ]);
});

test('identifiers are added, conflict or merge', async () => {
  const [one, two] = [someone(), someone()];
  const first = await create(one, { firstName: 'One', points: 2, tags: ['a'] });
  await patch(at(one), { externalId: `id-${one}` });
  const second = await create(two, { lastName: 'Two', points: 3, tags: ['b'], emailSubscription: 'unsubscribed' });
  const problem = await expectProblem(await send('PATCH', at(one), { email: two }), 409, 'contact-identity-conflict');
  assert.deepEqual(problem.contactIds, [first.id, second.id]);
  // A contact found by one identifier gets the other.
  const filled = await patch(made(`/contacts/external-id/new-${two}`), { email: two });
  assert.deepEqual([filled.id, filled.externalId], [second.id, `new-${two}`]);

  const merged = await patch(`${at(one)}?mergeContacts=true`, { email: two });
  assert.deepEqual(
    [merged.id, merged.email, merged.externalId, merged.firstName, merged.lastName, merged.points, merged.tags],
    [first.id, two, `id-${one}`, 'One', 'Two', 5, ['a', 'b']],
  );
  assert.equal(merged.emailSubscription, 'unsubscribed');
  assert.deepEqual(kinds(first.id).slice(-3), ['contact.merged', 'contact.updated', 'contact.unsubscribed']);
  assert.equal(kinds(second.id).at(-1), 'handover');
  await expectProblem(await send('GET', at(one)), 404, 'not-found');
  const byOldId = (await (await send('GET', `/manage/contacts/${second.id}`)).json()) as Contact;
  assert.equal(byOldId.id, first.id);
});

test('contacts are merged by id, also in a chain', async () => {
  const [a, b, c] = await Promise.all([create(someone()), create(someone()), create(someone())]);
  const merge = (from: string, into: string) => send('POST', '/manage/contacts/merge', { from, into });
  assert.equal((await merge(a.id, b.id)).status, 200);
  assert.equal((await merge(b.id, c.id)).status, 200);
  assert.equal((await merge(a.id, c.id)).status, 200); // a was already merged into c, through b
  for (const id of [a.id, b.id, c.id])
    assert.equal(((await (await send('GET', `/manage/contacts/${id}`)).json()) as Contact).id, c.id);
  await expectProblem(await merge(a.id, crypto.randomUUID()), 404, 'not-found');
});

test('an erased person is gone and stays unsubscribed', async () => {
  const email = someone();
  const contact = await create(email, {
    externalId: `gone-${email}`,
    firstName: 'Rumpelstilzchen',
    tags: ['rare'],
    emailSubscription: 'unsubscribed',
    consent: [{ channel: 'sms', status: 'subscribed', ip: '192.0.2.99' }],
  });
  const erased = await send('DELETE', at(email));
  assert.deepEqual([erased.status, await erased.text()], [204, '']);
  assert.equal((await send('GET', at(email))).status, 404);
  assert.equal((await send('GET', `/manage/contacts/${contact.id}`)).status, 404);
  for (const table of ['consent', 'contact_facet', 'contact'])
    assert.equal(rows(table, `contact_id = '${contact.id}'`), 0);
  assert.deepEqual(
    events(contact.id).map(({ kind, payload }) => [kind, payload]),
    [
      ['contact.created', null],
      ['contact.unsubscribed', null],
      ['contact.subscribed', null],
      ['contact.deleted', {}],
    ],
  );
  const late = { firstName: 'x', sourceUpdatedAt: '2026-01-01T00:00:00Z' };
  await expectProblem(await send('PATCH', made(at(email)), late), 422, 'contact-erased');
  const back = await create(email, { emailSubscription: 'subscribed' });
  assert.notEqual(back.id, contact.id);
  assert.equal(back.emailSubscription, 'unsubscribed');
  assert.deepEqual(warnings(back), ['/emailSubscription consent-needs-proof']);
  const lifted = await patch(at(email), { consent: [{ channel: 'email', status: 'subscribed' }] });
  assert.equal(lifted.emailSubscription, 'subscribed');
});

test('If-Match protects a contact, in both forms of its path', async () => {
  const email = someone();
  const created = await send('PATCH', made(at(email)), { externalId: `tag-${email}` }, { 'if-none-match': '*' });
  const etag = created.headers.get('etag')!;
  await expectProblem(await send('PATCH', made(at(email)), {}, { 'if-none-match': '*' }), 412, 'precondition-failed');
  await expectProblem(await send('PATCH', made(at(someone())), {}, { 'if-match': '*' }), 412, 'precondition-failed');
  const path = `/contacts/external-id/${encodeURIComponent(`tag-${email}`)}`;
  assert.equal((await send('GET', path, undefined, { 'if-none-match': etag })).status, 304);
  const changed = await send('PATCH', path, { points: 1 }, { 'if-match': etag });
  assert.equal(changed.status, 200);
  await expectProblem(await send('DELETE', path, undefined, { 'if-match': etag }), 412, 'precondition-failed');
});

test('the deprecated path gives the same response and names its replacement', async (t) => {
  const email = someone();
  const path = `/contacts/${encodeURIComponent(email)}`;
  const response = await send('PATCH', made(path), { firstName: 'Eva' });
  assert.equal(response.status, 201);
  const read = await send('GET', path);
  assert.deepEqual(await read.json(), await (await send('GET', at(email))).json());
  for (const answer of [response, read, await send('GET', '/contacts/nobody@example.com')]) {
    assert.equal(answer.headers.get('deprecation'), '@1767225600');
    assert.equal(answer.headers.get('sunset'), 'Fri, 31 Dec 2027 23:59:59 GMT');
    assert.match(answer.headers.get('link')!, /<\/contacts\/email\/[^>]+@example.com>; rel="successor-version"/);
  }
  const strict = await another(t, { SHOPBELL_HTTP_RETIRE_DEPRECATED: 'true' });
  await expectProblem(await send('GET', path, undefined, {}, strict.url), 410, 'operation-retired', strict.url);
  assert.equal((await send('GET', at(email), undefined, {}, strict.url)).status, 200);
});

test('contacts are found by name, tag, subscription, field and change', async () => {
  const crowd = newStore('Crowd');
  await crowd.send('POST', '/contact-fields/', { id: 'size', name: 'Size', type: 'integer', indexed: true });
  await crowd.send('POST', '/contact-fields/', { id: 'note', name: 'Note', type: 'text' });
  for (let i = 0; i < 30; ++i) {
    const body = {
      firstName: i % 2 ? 'Ána' : 'Bob',
      lastName: `Müller ${i}`,
      tags: i % 3 ? ['x'] : ['x', 'y'],
      emailSubscription: i % 5 ? 'none' : 'subscribed',
      fields: { size: i % 4 },
    };
    assert.equal((await crowd.send('PATCH', made(`/contacts/external-id/${i}`), body)).status, 201);
  }
  const list = async (query: string): Promise<number[]> => {
    const found: number[] = [];
    for (let cursor = ''; ;) {
      const response = await crowd.send('GET', `/manage/contacts/?limit=4&${query}${cursor}`);
      assert.equal(response.status, 200, await response.clone().text());
      const page = (await response.json()) as Schemas['ContactPage'];
      found.push(...page.data.map(({ externalId }) => Number(externalId)));
      if (!page.nextCursor) return found;
      cursor = `&cursor=${page.nextCursor}`;
    }
  };
  const all = [...Array(30).keys()];
  const newest = (keep: (i: number) => boolean) => all.filter(keep).reverse();
  const lists: [query: string, expected: number[]][] = [
    ['', newest(() => true)],
    ['order=asc', all],
    ['q=ana', newest((i) => i % 2 === 1)],
    ['q=MULLER%202&order=asc', all.filter((i) => /^2/.test(String(i)))],
    ['tags=x,y', newest((i) => i % 3 === 0)],
    ['emailSubscription=subscribed&tags=y', newest((i) => i % 15 === 0)],
    ['field.size=3&order=asc', all.filter((i) => i % 4 === 3)],
    ['field.size=3&q=bob', []],
    ['updatedAfter=2026-01-01T00:00:00Z', newest(() => true)],
    ['updatedAfter=2099-01-01T00:00:00Z', []],
  ];
  for (const [query, expected] of lists) assert.deepEqual([query, await list(query)], [query, expected]);
  for (const query of ['field.note=x', 'field.nope=1', 'field.size=x', 'q=%20', 'nope=1'])
    assert.equal((await crowd.send('GET', `/manage/contacts/?${query}`)).status, 422, query);
});

test('the events of a contact are numbered without a gap under concurrent writes', async (t) => {
  const email = someone();
  const { id } = await create(email);
  const other = await another(t);
  const answers = await Promise.all(
    [...Array(60).keys()].map((i) =>
      send('PATCH', at(email), { points: { add: 1 } }, {}, i % 2 ? other.url : undefined),
    ),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(((await (await send('GET', at(email))).json()) as Contact).points, 60);
  assert.deepEqual(
    events(id).map(({ seq }) => seq),
    [...Array(61).keys()].map((i) => i + 1),
  );
});

test('an operator shows, merges and erases contacts', async () => {
  const [one, two] = [someone(), someone()];
  const first = await create(one, { firstName: 'One' });
  const second = await create(two, { lastName: 'Two' });
  const run = (command: string, ...args: string[]) => shopbell(['contact', command, '--account', account, ...args]);
  assert.deepEqual(JSON.parse(run('show', '--email', one.toUpperCase()).stdout), first);
  assert.equal(run('merge', second.id, first.id).status, 0);
  const merged = JSON.parse(run('show', '--id', second.id).stdout) as Contact;
  assert.deepEqual([merged.id, merged.firstName, merged.lastName], [first.id, 'One', 'Two']);
  assert.equal(run('erase', '--email', one).status, 0);
  assert.equal((await send('GET', at(one))).status, 404);
  for (const gone of [run('show', '--id', first.id), run('erase', '--email', one), run('merge', first.id, second.id)])
    assert.deepEqual([gone.status, gone.stderr], [1, 'shopbell: the account has no such contact\n']);
  assert.notEqual(run('show').status, 0);
});

test('the contacts of a store are counted', async () => {
  const counted = newStore('Counted');
  for (const id of ['a', 'b', 'c']) await counted.send('PATCH', made(`/contacts/external-id/${id}`), {});
  psql(`UPDATE store_usage SET as_of = as_of - interval '2 minutes' WHERE account_id = ${counted.account};
        UPDATE event SET received_at = received_at - interval '20 seconds' WHERE account_id = ${counted.account}`);
  while (Number(psql('SELECT count_usage(10)')) > 0);
  const { usage } = (await (await counted.send('GET', '/store/')).json()) as Schemas['Store'];
  assert.deepEqual([usage.contacts, usage.eventsThisMonth], [3, 3]);
});
