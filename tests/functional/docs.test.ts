import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openWindow, overflowing, screenshot } from './browser.ts';
import { ask, dereferenced, url } from './support.ts';

interface Described {
  operationId: string;
  responses: Record<string, { description: string; content?: Record<string, unknown> }>;
}

const served = dereferenced(await (await ask('/openapi.json')).json()) as {
  paths: Record<string, Record<string, Described>>;
};
const operations = Object.entries(served.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({
    path,
    method: method.toUpperCase(),
    id: described.operationId,
    codes: Object.values(described.responses)
      .filter(({ content }) => content?.['application/problem+json'])
      .flatMap(({ description }) => [...description.matchAll(/`([a-z-]+)`/g)].map((m) => m[1]!)),
  })),
);

test('every operation is documented, with all its problems', async (t) => {
  const { page, faults } = await openWindow(t, 1280);
  const answer = await page.goto('/docs');
  assert.equal(answer?.status(), 200);
  assert(operations.length > 0);
  for (const { id, method, path, codes } of operations) {
    const heading = page.locator(`section[id="${id}"] h3`);
    assert.equal((await heading.innerText()).replace(/\s+/g, ' ').trim(), `${method} ${path}`);
    const links = await page
      .locator(`section[id="${id}"] a[href^="problems/"]`)
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')!.slice(9)));
    assert.deepEqual(links.sort(), codes.sort(), id);
  }
  assert.equal(await page.locator('section h3').count(), operations.length);
  assert.deepEqual(faults, []);
});

test('no link is broken', async (t) => {
  const { page, faults } = await openWindow(t, 1280);
  await page.goto('/docs');
  const links = await page
    .locator('a')
    .evaluateAll((all) => [...new Set(all.map((link) => (link as HTMLAnchorElement).href))]);
  const here = new URL('/docs', url).href;
  const anchors = links.filter((link) => link.startsWith(`${here}#`));
  assert(anchors.length > operations.length);
  for (const anchor of anchors)
    assert.equal(await page.locator(`[id="${anchor.slice(here.length + 1)}"]`).count(), 1, anchor);
  const problems = (await (await ask('/problems/')).json()) as { data: { code: string }[] };
  assert(problems.data.length > 0);
  for (const { code } of problems.data) assert(links.includes(`${url}/problems/${code}`), code);
  for (const link of links.filter((each) => !anchors.includes(each)))
    assert.equal((await fetch(link)).status, 200, link);
  assert.deepEqual(faults, []);
});

for (const width of [390, 1280]) {
  test(`nothing overflows a window ${width} pixels wide`, async (t) => {
    const { page, faults } = await openWindow(t, width);
    await page.goto('/docs');
    await screenshot(t, page, `docs-${width}`);
    assert.deepEqual(await overflowing(page), []);
    await page.locator('details').evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')));
    assert.deepEqual(await overflowing(page), [], 'with all sections expanded');
    assert.deepEqual(faults, []);
  });
}
