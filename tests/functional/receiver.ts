// A webhook receiver, like a store's: it records requests, and responds as the test defines.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Webhook } from 'standardwebhooks';

import { eventually } from './support.ts';

export interface Heard {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** The request's body: a CloudEvent. */
  event: {
    id: string;
    type: string;
    sequence: number;
    contactid?: string;
    data: { after?: Record<string, unknown> } | null;
    [member: string]: unknown;
  };
  /** The status of the response to this request. */
  status: number;
}

/** Returns the status of the response; may also change the response itself. */
export type Answer = (heard: Heard, response: ServerResponse) => number;

export async function listen() {
  const heard: Heard[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const headers = request.headers as Record<string, string>;
    const one = { path: request.url!, headers, body, event: JSON.parse(body), status: 204 };
    one.status = answers.get(one.path)?.(one, response) ?? 204;
    heard.push(one);
    response.writeHead(one.status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const heardAt = (path: string) => heard.filter((one) => one.path === path);
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    /** Sets how requests to this path are answered from now on; the default is 204. */
    answer: (path: string, answer: Answer) => answers.set(path, answer),
    heardAt,
    /** Waits for `count` requests to the path, and returns them. */
    until: (path: string, count: number, seconds = 20) =>
      eventually(() => heardAt(path).length >= count && heardAt(path), seconds),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A free port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Throws unless the request is signed with the secret. */
export const verify = (secret: string, { body, headers }: Heard) => new Webhook(secret).verify(body, headers);
