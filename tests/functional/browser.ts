// A page in Debian's Chromium, with an empty profile. Forbidden actions of the page are collected in `faults`.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';

import { chromium, type Page } from 'playwright-core';

import { url } from './support.ts';

// These options disable Chromium's own network requests.
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
  '--no-sandbox',
];

export interface Window {
  page: Page;
  /** Console errors, exceptions, and requests to another origin, which are blocked. */
  faults: string[];
}

/** Opens a window on the service; closes it after the test. */
export async function openWindow(t: TestContext, width: number, height = 900): Promise<Window> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: quiet });
  t.after(() => browser.close());
  const page = await browser.newPage({ baseURL: url, viewport: { width, height } });
  page.setDefaultTimeout(10_000);
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  await page.route(
    (asked) => asked.origin !== new URL(url).origin,
    (route) => {
      faults.push(`another origin: ${route.request().url()}`);
      return route.abort();
    },
  );
  return { page, faults };
}

/** Elements that make the page wider than the window; empty if it scrolls only vertically. */
export function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const scrolls = (element: Element | null): boolean =>
      element !== null && (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
    const wide = [...document.body.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth)
      .filter((element) => !scrolls(element.parentElement))
      .map((element) => element.outerHTML.slice(0, 120));
    return [`${scrollWidth} pixels in a window of ${clientWidth}`, ...wide.slice(0, 5)];
  });
}

/** If SHOPBELL_SCREENSHOT names a directory, saves the whole page there as an image. */
export async function screenshot(t: TestContext, page: Page, name: string): Promise<void> {
  const directory = process.env['SHOPBELL_SCREENSHOT'];
  if (!directory) return;
  mkdirSync(directory, { recursive: true });
  const path = resolve(join(directory, `${name}.png`));
  await page.screenshot({ path, fullPage: true, timeout: 120_000 }); // long pages take a long time
  t.diagnostic(`screenshot: ${path}`);
}
