// Malicious or broken files over the API: each gets the expected result, and the process keeps running.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { newImporter } from './importer.ts';
import { url } from './support.ts';

const { send, key, ended } = newImporter('Hostile');

type File = string | Buffer;
/** The result of a file: a rejected upload, a failed job, or its first row error with the counts. */
async function outcome(file: File, options: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/imports/?${new URLSearchParams({ type: 'contacts', ...options })}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv', ...headers },
    body: file as BodyInit,
  });
  const shown = (await answer.json()) as any;
  if (answer.status !== 201) return `${answer.status} ${shown.code}`;
  const done = await ended(shown.id);
  if (done.status !== 'finished') return `${done.status} ${(done.error as { code: string }).code}`;
  return [`${done.created}+${done.updated}+${done.unchanged}`, `!${done.failed}`, done.errors[0]?.code]
    .filter((part) => part !== undefined)
    .join(' ');
}

const head = 'externalId,firstName\n';
const row = (cell: File, before = head) =>
  Buffer.concat([Buffer.from(before), Buffer.from('h-1,'), Buffer.from(cell), Buffer.from('\nh-2,Good\n')]);
const bomb = Buffer.alloc(64 << 20, '\n');
const ndjson = { 'content-type': 'application/x-ndjson' };
const sent = { 'content-encoding': 'gzip' };
/** A zstd frame of blocks that repeat one byte: four bytes expand to 128 KiB. */
const zstdRuns = (blocks: number) => {
  const frame = Buffer.alloc(6 + 4 * blocks);
  frame.writeUInt32LE(0xfd2fb528, 0);
  frame.writeUInt8(0x00, 4);
  frame.writeUInt8(0x58, 5); // the frame header declares a window of 2 MiB
  for (let i = 0; i < blocks; ++i) {
    frame.writeUIntLE((131072 << 3) | (1 << 1) | (i === blocks - 1 ? 1 : 0), 6 + 4 * i, 3);
    frame.writeUInt8(10, 9 + 4 * i);
  }
  return frame;
};
const truncated = (packed: Buffer) => packed.subarray(0, packed.length - 12);
const noise = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919 + (i >> 3)) & 0xff));
const wide = (columns: number) => Array.from({ length: columns }, (_, i) => `fields.f${i}`).join(',');
const plenty = `externalId,firstName\n${Array.from({ length: 3000 }, (_, i) => `h-${i % 9},N${i}`).join('\n')}\n`;

const files: [string, string, File, Record<string, string>?, Record<string, string>?][] = [
  // Files that are empty.
  ['empty', '422 file-unreadable', ''],
  ['a byte order mark', 'error file-unreadable', '\ufeff'],
  ['a line feed', 'error file-unreadable', '\n'],
  ['blanks', 'error unknown-column', '   \n'],
  ['header only', '0+0+0 !0', 'externalId,firstName\n'],
  ['header only, no line feed', '0+0+0 !0', 'externalId,firstName'],
  ['header and empty lines', '0+0+0 !0', 'externalId,firstName\n\n\r\n\n'],
  ['no lines of JSON', '0+0+0 !0', '\n\n', {}, ndjson],
  // Files with an invalid header row.
  ['the same column twice', 'error file-unreadable', 'externalId,externalId\na,b\n'],
  ['a column without a name', 'error file-unreadable', 'externalId,\na,b\n'],
  ['an unknown column', 'error unknown-column', 'externalId,shoe\na,b\n'],
  ['an unknown field', 'error unknown-column', 'externalId,fields.none\na,b\n'],
  ['a path into a text', 'error unknown-column', 'externalId,firstName.x\na,b\n'],
  ['a path of dots', 'error unknown-column', 'externalId,...\na,b\n'],
  ['a name of 100 KB', 'error unknown-column', `externalId,${'x'.repeat(100_000)}\na,b\n`],
  ['10,000 columns', 'error file-unreadable', `${wide(10_000)}\n`],
  ['1,000 unknown columns', 'error unknown-column', `${wide(1000)}\n`],
  ['a NUL in the header', 'error file-unreadable', 'external\0Id,firstName\na,b\n'],
  ['a header in Latin-1', 'error file-unreadable', Buffer.from('externalId,f\xfcr\na,b\n', 'latin1')],
  ['a quote that is never closed in the header', 'error file-unreadable', '"externalId,firstName\na,b\n'],
  ['a header that never ends', 'error file-unreadable', `externalId,"${'x'.repeat(3 << 20)}`],
  ['__proto__', 'error unknown-column', 'externalId,__proto__\na,b\n'],
  // Files with invalid rows.
  ['too few cells', '1+0+0 !1 invalid-format', 'externalId,firstName\nh-1\nh-2,Good\n'],
  ['too many cells', '0+0+1 !1 invalid-format', 'externalId,firstName\nh-1,a,b\nh-2,Good\n'],
  ['a NUL', '0+0+1 !1 nul-byte', row('a\0b')],
  ['Latin-1', '0+0+1 !1 invalid-utf8', row(Buffer.from('J\xfcrgen', 'latin1'))],
  ['UTF-16', 'error file-unreadable', Buffer.from('\ufeffexternalId,firstName\nh-1,a\n', 'utf16le')],
  ['half of a surrogate', '0+0+1 !1 invalid-utf8', row(Buffer.from([0xed, 0xa0, 0x80]))],
  ['an overlong slash', '0+0+1 !1 invalid-utf8', row(Buffer.from([0xc0, 0xaf]))],
  ['text after a quote', '0+0+1 !1 text-after-quote', row('"a"b')],
  ['a quote that is never closed at the end', '0+0+0 !1 unclosed-quote', 'externalId,firstName\nh-1,"a\nb'],
  ['a lone quote at the end', '0+0+0 !1 unclosed-quote', 'externalId,firstName\nh-1,"'],
  ['a cell of 300 KB', '0+0+1 !1 cell-too-long', row('x'.repeat(300_000))],
  ['a name that is too long', '0+0+1 !1 too-long', row('x'.repeat(2000))],
  ['one line of 80 MB', '0+0+0 !1 row-too-long', Buffer.concat([Buffer.from(head), Buffer.alloc(80 << 20, 'x')])],
  [
    '80 MB in quotes',
    '0+0+0 !1 unclosed-quote',
    Buffer.concat([Buffer.from(`${head}h-1,"`), Buffer.alloc(80 << 20, 'x')]),
  ],
  ['a line of a million commas', '0+0+1 !1 too-many-columns', row(','.repeat(1_000_000))],
  ['a formula', '1+0+1 !0', row('=HYPERLINK("http://x.example")')],
  ['a formula in quotes', '0+1+1 !0', row('"=cmd|\' /C calc\'!A0"')],
  ['control characters', '0+0+1 !1 invalid-format', row('a\u0007b')],
  ['lines that end in CR', '0+0+2 !0', 'externalId,firstName\rh-1,\rh-2,Good\r'],
  ['an SQL injection', '0+1+1 !0', row("'); DROP TABLE contact; --")],
  ['a placeholder', '0+1+1 !0', row('$1 %s {} {{x}} ${x}')],
  ['nobody', '0+0+1 !1 required', 'externalId,firstName\n,Nobody\nh-2,Good\n'],
  ['the same person 3,000 times', '7+2993+0 !0', plenty],
  // NDJSON files with invalid lines.
  ['no JSON', '0+0+1 !1 malformed-json', '{"externalId":\n{"externalId":"h-2"}\n', {}, ndjson],
  ['a list', '0+0+0 !1 wrong-type', '[]\n', {}, ndjson],
  ['a number', '0+0+0 !1 wrong-type', '7\n', {}, ndjson],
  ['a member twice', '0+0+0 !1 malformed-json', '{"externalId":"h-1","externalId":"h-2"}\n', {}, ndjson],
  ['an unknown member', '0+0+0 !1 unknown-member', '{"externalId":"h-1","shoe":1}\n', {}, ndjson],
  ['100,000 deep', '0+0+0 !1 malformed-json', `${'['.repeat(100_000)}\n`, {}, ndjson],
  ['two objects a line', '0+0+0 !1 malformed-json', '{"externalId":"h-1"}{"externalId":"h-2"}\n', {}, ndjson],
  [
    'a number of 100,000 digits',
    '0+0+0 !1 out-of-range',
    `{"externalId":"h-1","points":${'9'.repeat(100_000)}}\n`,
    {},
    ndjson,
  ],
  ['1e999999', '0+0+0 !1 wrong-type', '{"externalId":"h-1","points":1e999999}\n', {}, ndjson],
  ['a line of 80 MB of JSON', '0+0+0 !1 too-long', Buffer.alloc(80 << 20, '{'), {}, ndjson],
  ['invalid UTF-8 in JSON', '0+0+0 !1 malformed-json', Buffer.from('{"externalId":"\xff"}\n', 'latin1'), {}, ndjson],
  ['an escaped NUL', '0+0+0 !1 malformed-json', '{"externalId":"a\\u0000b"}\n', {}, ndjson],
  ['a lone escaped surrogate', '0+0+0 !1 malformed-json', '{"externalId":"\\ud800"}\n', {}, ndjson],
  // Compressed files: bombs and damaged streams.
  ['a gzip bomb', 'error file-unreadable', gzipSync(bomb)],
  ['a zstd bomb', 'error file-unreadable', zstdRuns(512)],
  ['a gzip bomb as Content-Encoding', 'error file-unreadable', gzipSync(bomb), {}, sent],
  ['a bomb in a bomb', 'error file-unreadable', gzipSync(gzipSync(bomb))],
  ['gzip cut off', 'error file-unreadable', truncated(gzipSync(plenty))],
  ['zstd cut off', 'error file-unreadable', truncated(zstdRuns(8))],
  [
    'gzip with a wrong checksum',
    'error file-unreadable',
    Buffer.concat([truncated(gzipSync(plenty)), Buffer.alloc(12)]),
  ],
  ['gzip with trailing garbage', 'error file-unreadable', Buffer.concat([gzipSync(plenty), noise])],
  ['only the first bytes of gzip', 'error file-unreadable', gzipSync(plenty).subarray(0, 4)],
  ['a ZIP', '422 file-unreadable', Buffer.concat([Buffer.from('PK\x03\x04'), noise])],
  ['a PDF', 'error unknown-column', Buffer.concat([Buffer.from('%PDF-1.7\n'), noise])],
  ['noise', 'error file-unreadable', noise],
];

test(`${files.length} hostile files`, async (t) => {
  for (const [name, expected, file, options, headers] of files)
    await t.test(name, async () => assert.equal(await outcome(file, options, headers), expected));
  assert.equal((await send('GET', '/store/')).status, 200);
});
