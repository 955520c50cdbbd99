// The receiver of the webhooks proof. Each path is an endpoint with its own behaviour, and every arrival becomes a line
// of a file. Signatures are verified with the package that receivers use, not with code of the service.
//
//   node webhook_receiver.mjs FILE SLOW_MS
//
// Reports three ports on standard error: for endpoints, for the redirect target, and for setting the secret of a path
// (PUT /fast, with the secret as body). PUT /sinks with `answer` or `disconnect` switches the paths /sink-…, which only
// count; GET /sinks returns how many requests they accepted. A line has: path, webhook-id, sequence, ms since 1970, 1 if the signature is
// valid, and the response's status (0: no response).
import { appendFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { Webhook } from 'standardwebhooks';

const [file, slowMs] = [process.argv[2], Number(process.argv[3])];
const secrets = new Map();
const tries = new Map(); // path and event → number of attempts
const sinks = { answer: true, accepted: 0 }; // paths /sink-…
let targetPort = 0;

// Returns a number between 0 and 1, always the same for an id.
const fractionOf = (text) => createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
const failsFirstAttempt = (path, id, attempt) => attempt === 1 && fractionOf(path + id) < 0.2;

const behaviours = {
  slow: async (answer, { id }) => {
    const fraction = fractionOf(id);
    await sleep(fraction < 0.1 ? slowMs : (fraction * slowMs) / 10);
    answer(200);
  },
  flaky: (answer, { path, id, attempt }) =>
    answer(failsFirstAttempt(path, id, attempt) ? 500 + Math.floor(fractionOf(id) * 5) : 204),
  busy: (answer, { path, id, attempt }) =>
    failsFirstAttempt(path, id, attempt) ? answer(429, { 'retry-after': '2' }) : answer(202),
  cut: (answer, { path, id, attempt, response }) => {
    if (!failsFirstAttempt(path, id, attempt)) return answer(200);
    response.writeHead(200, { 'content-length': 100 });
    response.write('half of it', () => response.destroy());
  },
  gone: (answer) => answer(410),
  moved: (answer) => answer(302, { location: `http://127.0.0.1:${targetPort}/target` }),
  silent: () => {},
  dead: () => {},
};

// Returns the status of the response before it is sent, because the line is written on arrival.
const statusOf = (behaviour, { path, id, attempt }) => {
  const fails = failsFirstAttempt(path, id, attempt);
  const known = {
    flaky: fails ? 500 : 204,
    busy: fails ? 429 : 202,
    cut: fails ? 0 : 200,
    gone: 410,
    moved: 302,
    silent: 0,
    dead: 0,
  };
  return known[behaviour] ?? 200;
};

function isSigned(path, body, headers) {
  try {
    new Webhook(secrets.get(path)).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

function sequenceOf(body) {
  try {
    return Number(JSON.parse(body).sequence ?? 0);
  } catch {
    return 0;
  }
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function receive(request, response) {
  const body = await bodyOf(request);
  if (request.url.startsWith('/sink-')) {
    if (!sinks.answer) return response.destroy();
    sinks.accepted += 1;
    return response.writeHead(204).end();
  }
  const at = Date.now();
  const path = request.url;
  const behaviour = path.slice(1).split('-')[0];
  const id = request.headers['webhook-id'] ?? 'none';
  const attempt = (tries.get(path + id) ?? 0) + 1;
  tries.set(path + id, attempt);
  const signed = isSigned(path, body, request.headers) ? 1 : 0;
  const arrival = { path, id, attempt, response };
  appendFileSync(file, `${path} ${id} ${sequenceOf(body)} ${at} ${signed} ${statusOf(behaviour, arrival)}\n`);
  const answer = (status, headers = {}) => response.writeHead(status, headers).end();
  await (behaviours[behaviour] ?? ((say) => say(200)))(answer, arrival);
}

async function learn(request, response) {
  if (request.url === '/sinks') {
    if (request.method === 'PUT') sinks.answer = (await bodyOf(request)) === 'answer';
    return response.end(String(sinks.accepted));
  }
  secrets.set(request.url, await bodyOf(request));
  response.writeHead(204).end();
}

const listen = (handle) =>
  new Promise((resolve) => {
    const server = http.createServer((request, response) => {
      response.on('error', () => {});
      handle(request, response).catch(() => response.destroy()); // the client has disconnected
    });
    server.keepAliveTimeout = 60_000;
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      resolve(port);
    });
  });

appendFileSync(file, '');
const port = await listen(receive);
targetPort = await listen(receive);
const controlPort = await listen(learn);
process.stderr.write(`ports ${port} ${targetPort} ${controlPort} \n`);
