// Deletion of accounts by the operator: grace period, undo, and the removal of everything that an account has.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createKey, eventually, expectProblem, newStore, psql, shopbell, url } from './support.ts';

const account = (...args: string[]) => shopbell(['account', ...args]);
const line = (text: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1];
const show = (number: string) => account('show', number).stdout;
const isRefusal = ({ status, stdout, stderr }: ReturnType<typeof shopbell>) =>
  status === 1 && stdout === '' && /^shopbell: .+\n$/.test(stderr) && !/constraint|relation/.test(stderr);

test('a marked account is suspended at once and can be restored', async () => {
  const store = newStore('Marked');
  const testNumber = line(show(store.account), 'test_account')!;
  const testKey = createKey(testNumber, 'test');
  const statuses = async () =>
    Promise.all(
      [store.key, testKey].map(
        async (key) => (await fetch(`${url}/store/`, { headers: { authorization: `Bearer ${key}` } })).status,
      ),
    );
  assert.deepEqual(await statuses(), [200, 200]);

  assert(isRefusal(account('delete', testNumber)), 'a test account is deleted with its live account');
  assert(isRefusal(account('delete', '1')));
  assert(isRefusal(account('restore', store.account)), 'it is not marked');
  const marked = account('delete', store.account);
  assert.equal(marked.status, 0, marked.stderr);
  const days = (Date.parse(line(marked.stdout, 'delete_at')!) - Date.now()) / 86_400_000;
  assert(Math.abs(days - 30) < 0.1, `${days}`);
  await eventually(async () => (await statuses()).every((status) => status === 403));
  assert.equal(line(show(store.account), 'state'), 'suspended');
  assert.equal(line(show(store.account), 'deletion_began'), '-');
  assert.match(account('list').stdout, new RegExp(`^${store.account} +- +marked `, 'm'));
  assert(isRefusal(account('resume', store.account)), 'only `restore` removes the mark');
  assert(isRefusal(account('delete', store.account)), 'it is already marked');

  assert.equal(account('restore', store.account).status, 0);
  await eventually(async () => (await statuses()).every((status) => status === 200));
  assert.equal(line(show(store.account), 'delete_at'), undefined);
});

test('without a grace period the number must be given twice', () => {
  const store = newStore('Unconfirmed');
  assert(isRefusal(account('delete', store.account, '--grace', '0')));
  assert(isRefusal(account('delete', store.account, '--grace', '0', '--confirm', '1')));
  assert.notEqual(account('delete', store.account, '--grace', '366').status, 0);
  assert.equal(line(show(store.account), 'state'), 'active');
});

test('a deleted account leaves no rows and no files', async () => {
  const store = newStore('Gone');
  const { send } = store;
  await send('PATCH', '/contacts/email/eva@example.com?createContact=true', { firstName: 'Eva' });
  const exported = (await (await send('POST', '/exports/', { type: 'contacts' })).json()) as { id: string };
  const { fileUrl } = await eventually(async () => {
    const shown = (await (await send('GET', `/exports/${exported.id}`)).json()) as { fileUrl?: string };
    return shown.fileUrl ? { fileUrl: shown.fileUrl } : null;
  });
  assert.equal((await fetch(new URL(fileUrl, url))).status, 200);
  const page = (await (await send('GET', '/manage/keys/?limit=1')).json()) as { nextCursor: string | null };
  const directory = psql(`SELECT name FROM stored_file WHERE account_id = ${store.account} LIMIT 1`);
  assert.match(directory, new RegExp(store.account));

  const testNumber = line(show(store.account), 'test_account')!;
  const started = account('delete', store.account, '--grace', '0', '--confirm', store.account);
  assert.equal(started.status, 0, started.stderr);
  assert(isRefusal(account('restore', store.account)), 'the grace period is over');
  await eventually(() => line(show(store.account), 'deletion_began') !== '-');
  await eventually(() => account('show', store.account).status === 1, 60);
  assert.equal(account('show', testNumber).status, 1);

  const tables = psql(`SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE a.attname = 'account_id' AND NOT a.attisdropped AND c.relkind = 'r'`).split('\n');
  const left = tables.filter(
    (table) => psql(`SELECT count(*) FROM ${table} WHERE account_id IN (${store.account}, ${testNumber})`) !== '0',
  );
  assert.deepEqual(left, []);
  await expectProblem(await send('GET', '/store/'), 401, 'unauthorized');
  await expectProblem(await send('GET', `/manage/keys/?limit=1&cursor=${page.nextCursor ?? 'x'}`), 401, 'unauthorized');
  await expectProblem(await fetch(new URL(fileUrl, url)), 410, 'link-expired');
});
