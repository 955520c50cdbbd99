// The report of contact growth over the API: random histories around the days of daylight-saving changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { newExporter, withEventsOf } from './exporter.ts';
import { seeded } from './random.ts';
import { dayOf, periodOf, plusDays, someDays, zone } from './recount.ts';
import { psql } from './support.ts';

const random = seeded('growth');
const { chance } = random;
const { from, to, moment, inside, periods } = someDays(random);

withEventsOf([...Array(40).keys()].map((n) => plusDays(from, n - 5)));

test('created, deleted and subscribed contacts are counted, with the total at the end of each day', async () => {
  const growing = newExporter('Growing');
  await growing.write('PATCH', '/manage/store', { timeZone: zone });
  const person = (n: number, body: object, more = '') =>
    growing.write('PATCH', `/contacts/external-id/g-${n}?createContact=true${more}`, body);
  for (let n = 0; n < 40; ++n) {
    await person(n, { email: `g${n}@example.com` });
    if (chance(50))
      await person(n, {
        consent: [{ channel: 'email', status: 'subscribed', at: '2025-01-01T00:00:00Z', source: 'test' }],
      });
    if (chance(30)) await person(n, { emailSubscription: 'unsubscribed' });
    if (chance(30))
      await person(n, {
        consent: [{ channel: 'sms', status: 'subscribed', at: '2025-01-01T00:00:00Z', source: 'test' }],
      });
    if (chance(30)) await person(n, { smsSubscription: 'unsubscribed' });
    if (n > 0 && chance(15)) await person(n, { email: `g${n - 1}@example.com` }, '&mergeContacts=true');
    else if (chance(15)) await growing.write('DELETE', `/contacts/external-id/g-${n}`);
  }
  const uids = psql(`SELECT uid FROM event WHERE account_id = ${growing.account} ORDER BY id`).split('\n');
  // Random times are sorted before they are assigned, so each person's events keep their order.
  const moments = uids.map(moment).sort((a, b) => a - b);
  psql(`UPDATE event e SET received_at = to_timestamp(v.at)
          FROM (VALUES ${uids.map((uid, i) => `('${uid}'::uuid, ${moments[i]! / 1000})`).join(',')}) v (uid, at)
         WHERE e.account_id = ${growing.account} AND e.uid = v.uid`);
  const told = JSON.parse(
    psql(`SELECT json_agg(json_build_array(kind, extract(epoch FROM received_at) * 1000, payload->>'channel'))
            FROM event WHERE account_id = ${growing.account}`),
  ) as [string, number, string | null][];
  for (const granularity of ['day', 'week', 'month']) {
    const { text } = await growing.report({ report: 'contacts-growth', from, to, granularity });
    const rows = periods(granularity).map((period, i, all) => {
      const end = i + 1 < all.length ? all[i + 1]! : to;
      const number = (kind: string, channel?: string) =>
        told.filter(
          ([k, at, c]) =>
            k === kind && inside(at) && periodOf(dayOf(at), granularity) === period && (!channel || c === channel),
        ).length;
      const before = (kind: string) => told.filter(([k, at]) => k === kind && dayOf(at) < end).length;
      return [
        period,
        number('contact.created'),
        number('contact.merged'),
        number('contact.deleted'),
        number('contact.subscribed', 'email'),
        number('contact.unsubscribed', 'email'),
        number('contact.subscribed', 'sms'),
        number('contact.unsubscribed', 'sms'),
        before('contact.created') - before('contact.merged') - before('contact.deleted'),
      ].join(',');
    });
    const header =
      'period,created,merged,deleted,emailSubscribed,emailUnsubscribed,smsSubscribed,smsUnsubscribed,total';
    assert.equal(text, [header, ...rows, ''].join('\n'), granularity);
  }
});
