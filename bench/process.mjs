// Measures the cost of one more process: time to its first response, and memory, idle and with many connections.
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { rssMb, start, stop } from './engines.mjs';
import { Client } from './http.mjs';

const startTimeoutMs = 10_000;
const atOnce = 100; // number of connections that are opened concurrently

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {net.AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

async function another(service, key) {
  const listen = `127.0.0.1:${await freePort()}`;
  const begin = performance.now();
  const child = start(service.binary, ['--config', service.config, 'run'], {
    env: { SHOPBELL_HTTP_LISTEN: listen, SHOPBELL_PRIVATE_LISTEN: '127.0.0.1:0' },
  });
  return { child, begin, client: () => new Client(`http://${listen}/store/`, `Authorization: Bearer ${key}`) };
}

// Returns the milliseconds from starting the binary to its first 200 for GET /store/, which needs the database.
export async function startToAnswer(service, key) {
  const { child, begin, client } = await another(service, key);
  try {
    while (performance.now() - begin < startTimeoutMs) {
      const asking = client();
      const status = await asking
        .connect()
        .then(() => asking.get())
        .catch(() => 0);
      asking.close();
      if (status === 200) return performance.now() - begin;
      await sleep(1);
    }
    throw new Error('the service did not answer in time');
  } finally {
    await stop(child);
  }
}

// Returns the RSS after two seconds without a request, and with `wanted` open connections after one response on each.
export async function idleConnections(service, key, wanted) {
  const { child, client } = await another(service, key);
  const open = [];
  try {
    await sleep(2000);
    const before = rssMb(child.pid);
    try {
      while (open.length < wanted) {
        const batch = Array.from({ length: Math.min(atOnce, wanted - open.length) }, client);
        await Promise.all(batch.map((one) => one.connect().then(() => one.get())));
        open.push(...batch);
      }
    } catch (error) {
      if (open.length === 0) throw error;
      process.stderr.write(`bench/run: ${open.length} of ${wanted} connections: ${error.message}\n`);
    }
    await sleep(1000);
    return { before, with: rssMb(child.pid), connections: open.length };
  } finally {
    for (const one of open) one.close();
    await stop(child);
  }
}
