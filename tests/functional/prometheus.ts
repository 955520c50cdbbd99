// A real Prometheus over real services, with the rules of deploy/prometheus on a shorter timescale.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { eventually } from './support.ts';

export interface Rule {
  name: string;
  query: string;
  health: string;
}

export interface Alert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  state: 'pending' | 'firing';
}

export interface Sample {
  metric: Record<string, string>;
  value: [number, string];
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** The rules with a minute shortened to two seconds, and nothing over 24 s. */
function hurried(rules: string): string {
  const seconds = (minutes: string) => `${Math.min(2 * Number(minutes), 24)}s`;
  return rules.replace(/(\[|for: |offset )(\d+)m\b/g, (_, before, minutes) => before + seconds(minutes));
}

/** Starts Prometheus. It scrapes each target twice a second, and slow (`patient`) ones every two seconds. */
export async function startPrometheus(t: TestContext, { targets, patient }: { targets: string[]; patient: string[] }) {
  const dir = mkdtempSync(join(tmpdir(), 'shopbell-prometheus.'));
  const rules = readFileSync('deploy/prometheus/alerts.yaml', 'utf8');
  writeFileSync(join(dir, 'alerts.yaml'), hurried(rules));
  const scrape = (name: string, interval: string, all: string[]) => ({
    job_name: name,
    scrape_interval: interval,
    scrape_timeout: interval,
    static_configs: [{ targets: all, labels: { job: 'shopbell' } }],
  });
  // The configuration is written as JSON, which is valid YAML.
  const config = {
    global: { evaluation_interval: '1s' },
    rule_files: ['alerts.yaml'],
    scrape_configs: [scrape('all', '500ms', targets), scrape('patient', '2s', patient)],
  };
  writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(config));
  const at = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${dir}/prometheus.yml`,
      `--storage.tsdb.path=${dir}/data`,
      `--web.listen-address=${at}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = once(child, 'close');
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true });
  });

  const get = async <T>(path: string, parameters: Record<string, string> = {}): Promise<T> => {
    const answer = await fetch(`http://${at}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string };
    assert.equal(status, 'success', `${path} ${JSON.stringify(parameters)}: ${error}`);
    return data;
  };
  await eventually(async () => {
    assert.equal(child.exitCode, null, log);
    return (await fetch(`http://${at}/-/ready`).catch(() => null))?.ok;
  }, 20);
  return {
    rules: async () => (await get<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap(({ rules }) => rules),
    alerts: async () => (await get<{ alerts: Alert[] }>('alerts')).alerts,
    query: async (query: string) => (await get<{ result: Sample[] }>('query', { query })).result,
    series: (match: string) => get<Record<string, string>[]>('series', { 'match[]': match }),
  };
}
