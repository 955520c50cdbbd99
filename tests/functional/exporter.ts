// Shared by the export tests: a store that creates exports, waits for them and downloads them.
import assert from 'node:assert/strict';
import { after } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { eventually, newStore, psql, shopbell, url } from './support.ts';

export type Export = Schemas['Export'];
export type NewExport = Schemas['NewExport'];

export const reports = '/exports/type/data-explorer';
export const as = (key: string) => ({ authorization: `Bearer ${key}` });
/** The lines of a CSV file after its header. */
export const rowsOf = (text: string) => text.trimEnd().split('\n').slice(1);

export async function bytesOf(made: Export) {
  assert(made.fileUrl);
  const answer = await fetch(url + made.fileUrl);
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

export function newExporter(name: string) {
  const store = newStore(name);
  const { send, account } = store;
  const queue = async (body: object, path = '/exports/') => {
    const answer = await send('POST', path, body);
    assert.equal(answer.status, 201, await answer.clone().text());
    return (await answer.json()) as Export;
  };
  const read = async (id: string) => (await (await send('GET', `/exports/${id}`)).json()) as Export;
  const finished = (id: string) =>
    eventually(async () => {
      const now = await read(id);
      assert.notEqual(now.status, 'error', JSON.stringify(now.error));
      return now.status === 'finished' && now;
    });
  const file = async (body: object, path?: string) => {
    const made = await finished((await queue(body, path)).id);
    return { made, text: (await bytesOf(made)).toString() };
  };
  const report = (body: object) => file(body, reports);
  /** Returns the created or changed object, or nothing for a deletion. */
  const write = async (method: string, path: string, body?: object) => {
    const answer = await send(method, path, body);
    assert(answer.status < 300, await answer.clone().text());
    return answer.status === 204 ? undefined : ((await answer.json()) as { id: string });
  };
  const keyFor = (scopes: string) => {
    const made = shopbell(['key', 'create', '--account', account, '--name', 'few', '--scopes', scopes]);
    assert.equal(made.status, 0, made.stderr);
    return /^key=(\w+)$/m.exec(made.stdout)![1]!;
  };
  return { store, send, account, queue, read, finished, file, report, write, keyFor };
}

/** Creates the partitions of events of these days that are missing, until the test file ends. */
export function withEventsOf(days: string[]) {
  const added: string[] = [];
  for (const month of new Set(days.map((day) => day.slice(0, 7)))) {
    const name = `event_${month.replace('-', '_')}`;
    if (psql(`SELECT to_regclass('${name}') IS NOT NULL`) === 't') continue;
    const next = new Date(Date.parse(`${month}-28`) + 5 * 86_400_000).toISOString().slice(0, 7);
    psql(`SET lock_timeout = '5s';
          BEGIN;
          CREATE TABLE ${name} (LIKE event INCLUDING ALL EXCLUDING IDENTITY);
          ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;
          ALTER TABLE event ATTACH PARTITION ${name} FOR VALUES FROM ('${month}-01 00:00+00') TO ('${next}-01 00:00+00');
          COMMIT`);
    added.push(name);
  }
  after(() => {
    for (const name of added)
      psql(`SET lock_timeout = '5s'; ALTER TABLE event DETACH PARTITION ${name}; DROP TABLE ${name}`);
  });
}
