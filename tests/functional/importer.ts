// Shared by the import tests: a store that sends files, waits for them and reads their reports.
import assert from 'node:assert/strict';

import type { Schemas } from '../../console/client/index.ts';
import { eventually, newStore, psql, url } from './support.ts';

export type Import = Schemas['Import'];

export function newImporter(name: string) {
  const store = newStore(name);
  const { send, account, key } = store;
  const queue = async (type: string, file: string | Buffer, options: Record<string, string> = {}) => {
    const { format = 'csv', ...others } = options;
    const query = new URLSearchParams({ type, ...others });
    const answer = await fetch(`${url}/imports/?${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': format === 'csv' ? 'text/csv' : 'application/x-ndjson',
      },
      body: file as BodyInit,
    });
    assert.equal(answer.status, 201, await answer.clone().text());
    return (await answer.json()) as Import;
  };
  const read = async (id: string) => (await (await send('GET', `/imports/${id}`)).json()) as Import;
  // Another process takes over a killed process's import after ten seconds, and then needs time for the rest of the
  // file.
  const ended = (id: string) =>
    eventually(async () => {
      const now = await read(id);
      const waiting: unknown[] = ['queued', 'inProgress', 503]; // if the response is a problem, its `status` is 503
      return !waiting.includes(now.status) && now;
    }, 60);
  const run = async (type: string, file: string | Buffer, options: Record<string, string> = {}) => {
    const done = await ended((await queue(type, file, options)).id);
    assert.equal(done.status, 'finished', JSON.stringify(done));
    return done;
  };
  /** Returns the counts: created, updated, unchanged, failed. */
  const counts = (done: Import) => [done.created, done.updated, done.unchanged, done.failed];
  const report = async (done: Import) => {
    assert(done.errorReportUrl);
    const answer = await fetch(url + done.errorReportUrl);
    assert.equal(answer.status, 200);
    return answer.text();
  };
  const events = (kind = '%') =>
    Number(
      psql(
        `SELECT count(*) FROM event WHERE account_id = ${account} AND kind LIKE '${kind}' AND kind <> 'import.finished'`,
      ),
    );
  return { store, send, account, key, queue, read, ended, run, counts, report, events };
}

/** A generator of random numbers that repeat with the same seed. */
export function random(seed: number) {
  return (below: number) => {
    seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((seed ^ (seed >>> 13)) >>> 0) % below;
  };
}
