// Runs the commands of a documentation page.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs all sh blocks of the page in one shell; every line must succeed. `look` gets the files they created. */
export function runPage(
  page: string,
  key: string,
  look: (file: (name: string) => Buffer) => void,
  settings: Record<string, string> = {},
) {
  const blocks = spawnSync('tests/sh-blocks', [page], { encoding: 'utf8' });
  assert.equal(blocks.status, 0, blocks.stderr);
  const directory = mkdtempSync(join(tmpdir(), 'page-'));
  try {
    const ran = spawnSync('bash', ['-euo', 'pipefail', '-c', blocks.stdout], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, SHOPBELL_KEY: key, ...settings },
    });
    assert.equal(ran.status, 0, ran.stderr + ran.stdout);
    look((name) => readFileSync(join(directory, name)));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The only block of the page in that language. */
export function blockOf(page: string, language: string): string {
  const found = [...readFileSync(page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))];
  assert.equal(found.length, 1, `${page} has ${found.length} blocks of ${language}`);
  return found[0]![1]!;
}
