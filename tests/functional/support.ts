// Shared by the functional tests. They run inside `tools/try --exec`, whose environment names the service.
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as dial } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { connect } from '../../console/client/index.ts';
import type { Schemas } from '../../console/client/index.ts';

function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this by tools/try --exec`);
  return value;
}

export const url = given('SHOPBELL_URL');
export const key = given('SHOPBELL_KEY');
export const key2 = given('SHOPBELL_KEY_2');
export const privateUrl = given('SHOPBELL_METRICS_URL');
export const openapiDocument = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8'));
/** The same, with every reference replaced by its target. */
export const openapi = dereferenced(openapiDocument);

// The running service was started as `BINARY --config FILE run`; tests start further ones in the same way.
export const [binary, , configFile] = readFileSync(`/proc/${given('SHOPBELL_PID')}/cmdline`, 'utf8').split('\0') as [
  string,
  string,
  string,
];

/** Returns an OpenAPI document with every `$ref` replaced by its target. */
export function dereferenced(document: any, value = document): any {
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.$ref === 'string') {
    const names: string[] = value.$ref.slice(2).split('/');
    const target = names.reduce((found, name) => found[name], document);
    return dereferenced(document, target);
  }
  if (Array.isArray(value)) return value.map((each) => dereferenced(document, each));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, dereferenced(document, each)]));
}

/** Returns the connection string of a role from the running service's configuration. */
export function databaseUrl(role: 'api' | 'worker' | 'reader'): string {
  const found = new RegExp(`^${role} = "(.*)"$`, 'm').exec(readFileSync(configFile, 'utf8'));
  assert(found?.[1]);
  return found[1];
}

/** Runs `sql` and returns its unaligned output; throws an error with PostgreSQL's SQLSTATE as its message. */
export function psql(sql: string, as = `${given('SHOPBELL_PG')} dbname=shopbell`): string {
  const options = ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=sqlstate'];
  const ran = spawnSync('psql', [...options, as, '-f', '-'], { input: sql, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(/ERROR: +(\w{5})$/m.exec(ran.stderr)?.[1] ?? ran.stderr);
  return ran.stdout.trim();
}

/** Runs a command to its end, by default with the running service's configuration. */
export function shopbell(args: string[], config = configFile, settings = {}) {
  return spawnSync(binary, ['--config', config, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...settings },
  });
}

export function createAccount(name: string): string {
  const made = shopbell(['account', 'create', '--name', name, '--currency', 'EUR']);
  assert.equal(made.status, 0, made.stderr);
  return /^account=(\d+)$/m.exec(made.stdout)![1]!;
}

export function createKey(account: string, name: string): string {
  const made = shopbell(['key', 'create', '--account', account, '--name', name, '--scopes', 'all']);
  assert.equal(made.status, 0, made.stderr);
  return /^key=(\w+)$/m.exec(made.stdout)![1]!;
}

export interface Instance {
  url: string;
  privateUrl: string;
  process: ChildProcess;
  /** The service's log output so far. */
  log: () => string;
  /** Sends SIGTERM and waits until the service has exited. */
  stop: () => Promise<{ code: number | null; ms: number }>;
}

/** Starts another service on free ports, stopped after the test. `settings` are environment variables. */
export async function start(t: TestContext, settings: Record<string, string> = {}): Promise<Instance> {
  const ports = { SHOPBELL_HTTP_LISTEN: '127.0.0.1:0', SHOPBELL_PRIVATE_LISTEN: '127.0.0.1:0' };
  const child = spawn(binary, ['--config', configFile, 'run'], {
    env: { ...process.env, ...ports, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  t.after(() => child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const listening = await eventually(() => {
    assert.equal(child.exitCode, null, log);
    return /"url":"(.*?)","privateUrl":"(.*?)"/.exec(log);
  });
  const stop = async () => {
    const from = Date.now();
    child.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    return { code, ms: Date.now() - from };
  };
  return { url: listening[1]!, privateUrl: listening[2]!, process: child, log: () => log, stop };
}

type Maybe<T> = T | false | null | undefined;

/** Repeats `ask` until it returns a value; fails after `seconds`. */
export async function eventually<T>(ask: () => Maybe<T> | Promise<Maybe<T>>, seconds = 10): Promise<T> {
  for (const until = Date.now() + seconds * 1000; Date.now() < until; await sleep(20)) {
    const answer = await ask();
    if (answer) return answer;
  }
  throw new Error(`no result within ${seconds} s`);
}

export async function ready(instance: { privateUrl: string }) {
  const response = await fetch(`${instance.privateUrl}/ready`);
  return {
    status: response.status,
    ...((await response.json()) as { ready: boolean; troubles: string[] }),
  };
}

/** Sends a request with the demo store's key, unless `headers` has another. Does not follow redirects. */
export function ask(path: string, { headers = {}, ...rest }: RequestInit = {}, at = url): Promise<Response> {
  return fetch(at + path, {
    redirect: 'manual',
    headers: { authorization: `Bearer ${key}`, ...(headers as Record<string, string>) },
    ...rest,
  });
}

/** Sends raw bytes and reads to the end; `halfClose` ends the sending side right after writing. */
export async function raw(bytes: string, { at = url, halfClose = false } = {}): Promise<Response[]> {
  const { hostname, port } = new URL(at);
  const socket = dial({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.setTimeout(20_000, () => socket.destroy(new Error('the response did not end within 20 s')));
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  if (halfClose) socket.end(bytes);
  else socket.write(bytes);
  await once(socket, 'end');
  socket.destroy();
  return responses(Buffer.concat(received));
}

function responses(bytes: Buffer): Response[] {
  const all: Response[] = [];
  while (bytes.length > 0) {
    const end = bytes.indexOf('\r\n\r\n');
    assert(end > 0, `not a head: ${bytes}`);
    const [line, ...fields] = bytes.subarray(0, end).toString().split('\r\n');
    const headers = new Headers(fields.map((field) => field.split(/: ?(.*)/s, 2) as [string, string]));
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line!)?.[1]);
    const length = Number(headers.get('content-length') ?? 0);
    const body = bytes.subarray(end + 4, end + 4 + length);
    assert.equal(body.length, length, 'the body was cut off');
    all.push(
      new Response(status === 204 || status === 304 ? null : new Uint8Array(body), {
        status,
        headers,
      }),
    );
    bytes = bytes.subarray(end + 4 + length);
  }
  return all;
}

/** Expects this problem response with all its members. Its type's URL must return an explanation. */
export async function expectProblem(response: Response | undefined, status: number, code: string, at = url) {
  assert(response);
  const problem = (await response.json()) as Schemas['Problem'];
  assert.deepEqual([response.status, problem.code], [status, code]);
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  for (const member of openapi.components.schemas.Problem.required) assert(member in problem, member);
  assert.equal(problem.status, status);
  assert.equal(problem.requestId, response.headers.get('x-request-id'));
  const explained = await fetch(new URL(problem.type, at));
  const kind = (await explained.json()) as { code: string; status: number };
  assert.deepEqual([explained.status, kind.code, kind.status], [200, code, status]);
  return problem;
}

/** Creates a store without a rate limit. */
export function newStore(name: string) {
  const account = createAccount(name);
  assert.equal(shopbell(['account', 'rate', account, '--per-second', '100000']).status, 0);
  const key = createKey(account, name);
  const send = (method: string, path: string, body?: unknown, headers = {}, at = url) =>
    ask(
      path,
      {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      } as RequestInit,
      at,
    );
  return { account, key, send, client: connect({ url, key }) };
}

/** The faults of a rejected body, as `pointer code`. */
export async function faults(response: Response): Promise<string[]> {
  const problem = await expectProblem(response, 422, 'invalid-body');
  return problem.errors!.map(({ pointer, code }) => `${pointer} ${code}`);
}
