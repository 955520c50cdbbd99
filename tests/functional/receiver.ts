// A receiver of webhooks, as a store has one: it keeps what it hears, and answers as the test says.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Webhook } from 'standardwebhooks';

import { eventually } from './support.ts';

export interface Heard {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** The CloudEvent. */
  event: {
    id: string;
    type: string;
    sequence: number;
    contactid?: string;
    data: { after?: Record<string, unknown> } | null;
    [member: string]: unknown;
  };
  /** What it was answered. */
  status: number;
}

/** Which status to answer; more can be said to the response. */
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
    /** Answers this way from now on whatever comes to the path; else 204. */
    answer: (path: string, answer: Answer) => answers.set(path, answer),
    heardAt,
    /** Waits for so many at the path. */
    until: (path: string, count: number, seconds = 20) =>
      eventually(() => heardAt(path).length >= count && heardAt(path), seconds),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A port that nobody listens on by now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Throws unless it was signed by the secret. */
export const verify = (secret: string, { body, headers }: Heard) => new Webhook(secret).verify(body, headers);
