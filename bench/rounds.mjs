// Shared by the benchmarks: command-line options, measurement rounds, and facts about the machine.
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { output, pgbench } from './engines.mjs';

export const say = (text) => process.stderr.write(`${text}\n`);

export function wholeNumber(options, name, otherwise, most) {
  const number = Number(options[name] ?? otherwise);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  say(`--${name} takes a whole number from 1 to ${most}`);
  process.exit(2);
}

export const patienceMs = 300_000; // timeout in milliseconds of every wait

// Polls until the condition `done` holds.
export async function until(what, done) {
  const end = performance.now() + patienceMs;
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`${what} did not happen`);
    await sleep(20);
  }
}

// Polls `count` until it reaches `wanted`. It polls rarely at first and more often towards the end, because polling
// takes CPU time from the service.
export async function untilAll(what, wanted, count) {
  const began = performance.now();
  for (let have = await count(); have < wanted; have = await count()) {
    const passed = performance.now() - began;
    if (passed > patienceMs) throw new Error(`${have} of ${wanted} ${what}`);
    const left = (passed / Math.max(have, 1)) * (wanted - have);
    await sleep(Math.min(Math.max(left / 2, 10), 250));
  }
}

// Returns the number of clients with which the bare engine is fastest. A smoke test does not search for it.
export async function bestClients(database, statement, seconds, quick) {
  if (quick) return 8;
  const probes = [];
  for (const clients of [4, 8, 16, 32, 64]) {
    probes.push({ clients, rate: await pgbench(database, statement, clients, Math.min(2, seconds)) });
  }
  say(`pgbench by clients: ${probes.map((p) => `${p.clients}: ${Math.round(p.rate)}/s`).join(', ')}`);
  return probes.sort((a, b) => b.rate - a.rate)[0].clients;
}

// Runs `one` and `other` directly after each other, `rounds` times, in alternating order.
export async function interleave(name, rounds, one, other) {
  const measured = { service: [], bare: [] };
  for (let round = 0; round < rounds; ++round) {
    const steps = [
      ['service', one],
      ['bare', other],
    ];
    for (const [who, measure] of round % 2 === 0 ? steps : steps.reverse()) {
      measured[who].push(await measure());
    }
    say(`${name}, round ${round + 1} of ${rounds}`);
  }
  return measured;
}

export const pick = (list, field) => list.map((entry) => entry[field]);

const postgresSettings = [
  'server_version',
  'shared_buffers',
  'max_wal_size',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
];

export function facts(database, binary, run) {
  const [{ model: processor }] = os.cpus();
  return {
    machine: {
      cores: os.cpus().length,
      processor,
      memoryMb: Math.round(os.totalmem() / 2 ** 20),
      kernel: os.release(),
    },
    postgresql: Object.fromEntries(postgresSettings.map((name) => [name, database.ask(`SHOW ${name}`)])),
    versions: {
      shopbell: output(binary, '--version'),
      node: process.version,
      wrk: output('wrk', '-v').match(/wrk (\S+)/)?.[1],
    },
    run: { date: new Date().toISOString(), ...run },
  };
}
