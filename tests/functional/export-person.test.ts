// The export of one person's data over the API: complete, and without data of anybody else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { as, bytesOf, newExporter } from './exporter.ts';
import { eventually, expectProblem, faults, newStore, psql, shopbell } from './support.ts';

const { send, account, queue, read, finished, write, keyFor } = newExporter('Person');

/** Reads the files of an archive with Python's zipfile. */
function opened(bytes: Buffer): Record<string, string> {
  const program = `import io, json, sys, zipfile
z = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert z.testzip() is None
json.dump({name: z.read(name).decode() for name in z.namelist()}, sys.stdout)`;
  const ran = spawnSync('python3', ['-c', program], { input: bytes, encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stderr);
  return JSON.parse(ran.stdout);
}
type Rows = Record<string, any>[];
const rowsOf = (text: string): Rows =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
async function person(contact: object) {
  const made = await finished((await queue({ type: 'person', filters: { contact } })).id);
  const files = opened(await bytesOf(made));
  return { made, files, contact: JSON.parse(files['contact.json']!) as Record<string, any> };
}

await write('POST', '/contact-fields/', { id: 'size', name: 'Size', type: 'text' });
await write('POST', '/manage/coupon-sets/', { alias: 'ten', name: 'Ten', kind: 'unique' });
await write('POST', '/manage/coupon-sets/ten/codes', { codes: ['EVA-1', 'BEN-1', 'EVA-2'] });
const proof = { at: '2026-01-02T03:04:05Z', source: 'checkout', ip: '192.0.2.7', wording: 'Yes please' };
const eva = (await write('PATCH', '/contacts/external-id/eva?createContact=true', {
  email: 'eva@example.com',
  firstName: 'Eva',
  fields: { size: 'secret of eva' },
  consent: [{ channel: 'email', status: 'subscribed', method: 'doubleOptIn', ...proof }],
}))!;
const old = (await write('PATCH', '/contacts/external-id/eva-before?createContact=true', {
  email: 'before@example.com',
  phone: '+436641234567',
}))!;
const ben = (await write('PATCH', '/contacts/external-id/ben?createContact=true', {
  email: 'ben@example.com',
  firstName: 'Ben',
  fields: { size: 'secret of ben' },
}))!;
const buy = (purchaseId: string, externalId: string, couponCodes: string[] = []) =>
  write('POST', '/purchases/', {
    purchaseId,
    contact: { externalId },
    currency: 'EUR',
    total: '12.5',
    couponCodes,
    lines: [{ name: `for ${externalId}`, quantity: 1 }],
  });
const give = (contact: string) =>
  psql(`SELECT outcome, code FROM claim_coupon(${account}, (SELECT coupon_set_id FROM coupon_set
         WHERE account_id = ${account} AND alias = 'ten'), '${contact}', gen_random_uuid(), NULL)`);
assert.equal(give(eva.id), 'given|EVA-1');
assert.equal(give(ben.id), 'given|BEN-1');
await buy('e-1', 'eva', ['EVA-1']);
await buy('e-2', 'eva-before');
await buy('ox-1', 'ben', ['EVA-2']);
await write('PATCH', '/contacts/external-id/eva?mergeContacts=true', { email: 'before@example.com' });
await write('PATCH', '/contacts/external-id/eva', { emailSubscription: 'unsubscribed' });

for (const [contact, key] of [
  [old.id, 'cart-7'],
  [ben.id, 'cart-8'],
])
  psql(`INSERT INTO run_history (account_id, contact_id, run_id, workflow_id, version, node, key, started_at, ended_at,
                                 converted, trail, why)
        VALUES (${account}, '${contact}', gen_random_uuid(), gen_random_uuid(), 1, 'mail', '${key}', now(), now(), false, '',
                'completed');
        INSERT INTO message (account_id, message_id, lane, contact_id, class, bulk, priority, node, template, skips_at_cap,
                             planned_at, state, ended_at)
        VALUES (${account}, uuid_v7(), 1, '${contact}', 'marketing', false, 0, 'mail', 'reminder', false, now(), 'sent',
                now())`);

test('the archive contains all data about the person', async () => {
  const { made, files, contact } = await person({ externalId: 'eva' });
  assert.deepEqual([made.format, made.compression, made.type], ['ndjson', 'zip', 'person']);
  assert.deepEqual(made.filters, { contact: { id: eva.id, email: null, externalId: null } });
  assert.match(made.fileName, /^person-\d{8}-\d{6}\.zip$/);
  assert.deepEqual(Object.keys(files), [
    'contact.json',
    'purchases.ndjson',
    'activities.ndjson',
    'coupons.ndjson',
    'merged-contacts.ndjson',
    'runs.ndjson',
    'messages.ndjson',
  ]);
  const [run] = rowsOf(files['runs.ndjson']!);
  assert.deepEqual([run!.state, run!.key, run!.node], ['ended', 'cart-7', 'mail']);
  assert.deepEqual(
    rowsOf(files['messages.ndjson']!).map(({ template, state }) => [template, state]),
    [['reminder', 'sent']],
  );
  const shown = (await (await send('GET', '/contacts/external-id/eva')).json()) as Record<string, any>;
  for (const name of [
    'id',
    'email',
    'externalId',
    'firstName',
    'phone',
    'fields',
    'tags',
    'emailSubscription',
    'createdAt',
  ])
    assert.deepEqual(contact[name], shown[name], name);
  assert.equal(contact.purchases.totalAmount, '25.00');
  const consent = contact.consent.map(({ receivedAt, ...rest }: { receivedAt: string }) => (assert(receivedAt), rest));
  assert.deepEqual(consent, shown.consent);
  assert(consent.length === 2 && consent.some((entry: { ip: string }) => entry.ip === proof.ip));
  const purchases = rowsOf(files['purchases.ndjson']!);
  assert.deepEqual(purchases.map(({ purchaseId }) => purchaseId).sort(), ['e-1', 'e-2']);
  assert.equal(purchases[0]!.lines.length, 1);
  const activities = rowsOf(files['activities.ndjson']!);
  const events = psql(`SELECT string_agg(uid::text, ',' ORDER BY received_at, id) FROM event
                        WHERE account_id = ${account} AND contact_id IN ('${eva.id}', '${old.id}')
                          AND kind <> 'handover'`);
  assert.deepEqual(
    activities.map(({ id }) => id),
    events.split(','),
  );
  assert(activities.length > 6);
  const coupons = rowsOf(files['coupons.ndjson']!);
  assert.deepEqual(
    coupons.map(({ code, couponSet, assignedAt, redeemedAt, purchaseId }) => [
      code,
      couponSet,
      !!assignedAt,
      !!redeemedAt,
      purchaseId,
    ]),
    [
      ['EVA-1', 'ten', true, false, null],
      ['EVA-1', 'ten', false, true, 'e-1'],
    ],
  );
  const merged = rowsOf(files['merged-contacts.ndjson']!);
  assert.deepEqual(
    merged.map(({ id }) => id),
    [old.id],
  );
  const contactRunAndMessage = 3;
  const lines = purchases.length + activities.length + coupons.length + merged.length + contactRunAndMessage;
  assert.deepEqual([made.rows, made.progress], [lines, { done: lines, total: lines }]);
});

test('the archive contains no data of another person or store', async () => {
  const other = newExporter('Person elsewhere');
  const twin = (await other.write('PATCH', '/contacts/external-id/eva?createContact=true', {
    email: 'before@example.com',
    firstName: 'Twin',
  }))!;
  const { files } = await person({ email: 'BEFORE@example.com' });
  const all = Object.values(files).join('\n');
  for (const foreign of ['ben', 'Ben', ben.id, 'ox-1', 'BEN-1', 'EVA-2', 'Twin', twin.id])
    assert(!all.includes(foreign), foreign);
  for (const own of ['secret of eva', eva.id, old.id, 'e-1', 'for eva-before', 'EVA-1']) assert(all.includes(own), own);
  const bens = await person({ id: ben.id });
  assert.deepEqual(
    rowsOf(bens.files['coupons.ndjson']!).map(({ code }) => code),
    ['BEN-1', 'EVA-2'],
  );
  assert.equal(bens.files['merged-contacts.ndjson'], '');
  assert(!Object.values(bens.files).join('\n').includes(eva.id));
  // An id from before the merge finds the same person.
  assert.equal((await person({ id: old.id })).contact.id, eva.id);
  const stranger = { type: 'person', filters: { contact: { id: eva.id } } };
  await expectProblem(await other.send('POST', '/exports/', stranger), 422, 'contact-not-found');
});

test('every table with contact data is in the archive, or has a reason not to be', () => {
  const tables = psql(`SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_attribute a
     JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attname = 'contact_id' AND NOT a.attisdropped`);
  assert.deepEqual(tables.split(' '), [
    'consent',
    'contact',
    'contact_facet', // copies values of the contact, for filtering lists
    'coupon_claim',
    'coupon_redemption',
    'enrolment', // only times, and which nodes were passed; the archive has the runs
    'erased_contact', // holds only ids of erased people
    'event',
    'event_claim', // holds only hashes, to detect duplicate events
    'merged_contact',
    'message',
    'purchase',
    'run',
    'run_history',
    'subject_wait', // which runs wait for which product
    'timer', // when runs are due
    'webhook_chain', // counts the events sent to an endpoint
    'webhook_delivery', // lists sent events; the archive contains the events themselves
  ]);
});

test('a person’s export has one format, and needs every read scope', async () => {
  const told = async (body: object) => faults(await send('POST', '/exports/', { type: 'person', ...body }));
  assert.deepEqual(await told({}), ['/filters/contact required']);
  const filters = { contact: { externalId: 'eva' } };
  assert.deepEqual(await told({ filters, format: 'csv', compression: 'gzip', columns: ['email'] }), [
    '/format conflicts-with',
    '/compression conflicts-with',
    '/columns conflicts-with',
  ]);
  assert.deepEqual(await told({ filters: { ...filters, since: 'x', tags: ['a'] } }), [
    '/filters/tags unknown-member',
    '/filters/since unknown-member',
  ]);
  assert.deepEqual(await told({ filters: { contact: { externalId: 'eva', email: 'eva@example.com' } } }), [
    '/filters/contact conflicts-with',
  ]);
  assert.deepEqual(await told({ filters: { contact: {} } }), ['/filters/contact required']);
  const nobody = { type: 'person', filters: { contact: { email: 'nobody@example.com' } } };
  await expectProblem(await send('POST', '/exports/', nobody), 422, 'contact-not-found');
  const body = { type: 'person', filters, format: 'ndjson', compression: 'zip' };
  for (const missing of ['contacts:read', 'purchases:read', 'coupon-sets:read']) {
    const scopes = ['exports:write', 'contacts:read', 'purchases:read', 'coupon-sets:read'];
    const key = keyFor(scopes.filter((scope) => scope !== missing).join(','));
    await expectProblem(await send('POST', '/exports/', body, as(key)), 403, 'scope-missing');
  }
  assert.equal((await send('POST', '/exports/', body)).status, 201);
});

test('a person erased before the file is written is not in it', async () => {
  const gone = (await write('PATCH', '/contacts/external-id/gone?createContact=true', { firstName: 'Gone' }))!;
  await write('DELETE', '/contacts/external-id/gone');
  // This export was queued before the erasure; a new request would be rejected now.
  const { id } = await queue({ type: 'person', filters: { contact: { externalId: 'ben' } } });
  await finished(id);
  psql(`UPDATE job SET state = 'queued', attempt = 0, generation = generation + 1, result = NULL, finished_at = NULL,
               expires_at = NULL, options = jsonb_set(options, '{filters,contact,id}', '"${gone.id}"')
         WHERE account_id = ${account} AND job_id = '${id}'`);
  const ended = await eventually(async () => {
    const now = await read(id);
    return now.status === 'error' && now;
  });
  assert.equal((ended.error as { code: string }).code, 'contact-not-found');
});

test('the command writes the same archive', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'person-'));
  try {
    const target = join(directory, 'eva.zip');
    const filters = JSON.stringify({ contact: { externalId: 'eva' } });
    const ran = shopbell(['export', 'person', '-o', target, '--account', account, '--filters', filters]);
    assert.equal(ran.status, 0, ran.stderr);
    assert.deepEqual(opened(readFileSync(target)), (await person({ externalId: 'eva' })).files);
    const other = ['--account', newStore('No person').account, '--filters', filters];
    const refused = shopbell(['export', 'person', '-o', join(directory, 'x.zip'), ...other]);
    assert.equal(refused.status, 1);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
