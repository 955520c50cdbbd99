// Shared by the import tests: a store that uploads files in all supported ways.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';

import type { Schemas } from '../../console/client/index.ts';
import { configFile, eventually, newStore, psql, url } from './support.ts';

export type Import = Schemas['Import'];

export const csv = 'email,firstName\nada@example.com,Ada\n';
export const asCsv = { 'content-type': 'text/csv' };

const directory = join(
  dirname(configFile),
  /^directory = "(.*)"$/m.exec(readFileSync(configFile, 'utf8'))?.[1] ?? 'files',
);

/** A multipart form with `parts` in their order. */
export function formOf(parts: [string, string | Blob, string?][]): FormData {
  const form = new FormData();
  for (const [name, value, fileName] of parts)
    if (value instanceof Blob) form.append(name, value, fileName);
    else form.append(name, value);
  return form;
}

/** A client that sends raw bytes on a separate connection. */
export class Wire {
  #socket: Socket;
  #text = '';
  ended = false;

  constructor(at = url) {
    const { hostname, port } = new URL(at);
    this.#socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    this.#socket.setEncoding('latin1').on('data', (text: string) => (this.#text += text));
    this.#socket.on('end', () => (this.ended = true)).on('error', () => (this.ended = true));
  }

  get text() {
    return this.#text;
  }
  send(text: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.#socket.write(text, () => resolve()));
  }
  until(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(() => pattern.exec(this.#text));
  }
  async status(): Promise<number> {
    return Number((await this.until(/^HTTP\/1\.1 ([2-5]\d\d) /m))[1]);
  }
  leave() {
    this.#socket.destroy();
  }
}

export function newUploader(name: string) {
  const store = newStore(name);
  const { account, key, send } = store;
  const post = (query: string, body: unknown, headers: Record<string, string> = {}, at = url) =>
    fetch(`${at}/imports/${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...headers },
      body,
      duplex: 'half',
    } as RequestInit);
  const upload = (parts: [string, string | Blob, string?][], headers = {}) => post('', formOf(parts), headers);
  const made = async (answer: Response | Promise<Response>) => {
    const response = await answer;
    assert.equal(response.status, 201, await response.clone().text());
    const shown = (await response.json()) as Import;
    assert.equal(response.headers.get('location'), `/imports/${shown.id}`);
    return shown;
  };
  /** The head of a request, without the final blank line. */
  const head = (query: string, fields: string[]) =>
    [`POST /imports/${query} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...fields].join('\r\n') + '\r\n\r\n';
  /** Names of the store's stored files, complete or not. */
  const files = () => {
    const own = join(directory, 'imports', account);
    return existsSync(own) ? readdirSync(own) : [];
  };
  const stored = (id: string) => {
    const file = psql(`SELECT options->>'file' FROM job WHERE job_id = '${id}'`);
    return readFileSync(join(directory, file));
  };
  /** Stored files that belong to no job. */
  const underWay = () =>
    Number(
      psql(`SELECT count(*) FROM stored_file f WHERE account_id = ${account} AND remove_at > now()
               AND NOT EXISTS (SELECT FROM job j WHERE j.account_id = f.account_id AND j.job_id = f.job_id)`),
    );
  return { ...store, send, post, upload, made, head, files, stored, underWay };
}
