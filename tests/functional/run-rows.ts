// Shared by the tests that manage running workflows: runs as rows, as the lanes store them.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';

import { eventually, newStore, psql } from './support.ts';

const nodes = [
  { id: 'day', type: 'wait', for: 'P1D', next: 'mark' },
  { id: 'mark', type: 'updateContact', set: { tags: ['marked'] } },
];
interface Given {
  contact?: string;
  state?: string;
  node?: string;
  version?: number;
  why?: string;
  trail?: string;
}
export interface Command {
  lane: number;
  contact_id: string | null;
  payload: any;
}

/** Stores a parked run of a stranger, as the lanes store it. Returns its id. */
export function insertParkedRun(account: string, workflow: string, node: string): string {
  const id = randomUUID();
  psql(`INSERT INTO run (account_id, contact_id, run_id, workflow_id, version, lane, state, node, seq, key, enrolment_key,
      started_at, node_since, visits, has_sent, converted, seen, trail, why)
    VALUES (${account}, gen_random_uuid(), '${id}', '${workflow}', 1, 1, 'parked', '${node}', 1, '', '', now(), now(), 1,
      false, false, '', '', 'broken')`);
  return id;
}

export function newRuns(name: string) {
  const store = newStore(name);
  const { send, account } = store;

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
  const insertRun = (
    workflow: string,
    { contact = randomUUID(), state = 'open', node = 'day', ...more }: Given = {},
  ) => {
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
  return { store, send, account, get, post, newWorkflow, laneOf, insertRun, commands, jobsEnded, insertNumbers, nodes };
}
