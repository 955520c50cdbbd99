// Erasing a person with more events than one request can clear, and with events that still arrive.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { newExporter } from './exporter.ts';
import { psql } from './support.ts';

const { send, account, file, write } = newExporter('Erasure');
const contact = (await write('PATCH', '/contacts/external-id/eva?createContact=true', {
  firstName: 'Rumpelstilzchen',
}))!;

/** Events written by another process that has not yet seen the erasure. */
const tell = (count: number) =>
  psql(`INSERT INTO event (account_id, received_at, uid, lane, contact_id, subject, kind, format, occurred_at, trigger, hops, source, payload)
    SELECT ${account}, now() + (i % 40) * interval '1 day', gen_random_uuid(), 0, '${contact.id}', 'x', 'custom.seen-' || i % 3, 1,
           now(), 'all', 0, 'api', '{"name": "Rumpelstilzchen"}'
      FROM generate_series(1, ${count}) i`);
const known = () =>
  Number(psql(`SELECT count(*) FROM event WHERE account_id = ${account} AND payload::text LIKE '%Rumpelstilzchen%'`));
const round = () => {
  while (Number(psql('SELECT forget_erased(700)')) > 0);
};
const due = (after: string) =>
  psql(`UPDATE erased_contact SET erased_at = erased_at - interval '${after}', due_at = due_at - interval '${after}'
    WHERE account_id = ${account}`);

test('a person with very many events is erased at once, and their data is cleared soon after', async () => {
  tell(5_000);
  assert.equal((await send('DELETE', '/contacts/external-id/eva')).status, 204);
  assert(known() > 0, 'one request already cleared all events');
  // An export does not return data that is not yet cleared.
  const { text } = await file({ type: 'activities', format: 'ndjson' });
  assert(text.includes(contact.id) && !text.includes('Rumpelstilzchen'));
  round();
  assert.equal(known(), 0);
  assert.equal(psql(`SELECT payload FROM event WHERE account_id = ${account} AND kind = 'contact.deleted'`), '{}');
});

test('events that were in flight during the erasure are cleared within a day', () => {
  for (const after of ['10 minutes', '23 hours']) {
    tell(10);
    round();
    assert.equal(known(), 10, 'not due yet');
    due(after);
    round();
    assert.equal(known(), 0);
  }
  assert.equal(psql(`SELECT count(*) FROM erased_contact WHERE account_id = ${account}`), '0');
});
