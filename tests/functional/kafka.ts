// A broker of Apache Kafka for the tests of one file.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { after } from 'node:test';

/** Starts a broker. `settings` are the environment variables with which a service uses it. */
export function startKafka() {
  const dir = mkdtempSync('/tmp/shopbell-kafka.');
  const services = (command: string) => {
    const ran = spawnSync('tools/services', [command, dir], { encoding: 'utf8' });
    assert.equal(ran.status, 0, ran.stderr);
  };
  services('kafka');
  after(() => services('stop'));
  const settings: Record<string, string> = Object.fromEntries(
    [...readFileSync(`${dir}/kafka.env`, 'utf8').matchAll(/^(SHOPBELL_KAFKA_\w+)='(.*)'$/gm)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  );
  return { settings, kill: () => services('kill-kafka'), resume: () => services('resume-kafka') };
}
