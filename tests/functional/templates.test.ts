// Contents of templates: saving, faults with line and column, publishing, and versions.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { runPage } from './page.ts';
import { databaseUrl, expectProblem, faults, newStore, psql, shopbell } from './support.ts';
import { base, newTemplater, places, unsubscribe, type Content } from './templater.ts';

const { account, send, freshAlias, newTemplate, done, saved, published, preview } = newTemplater('Letters');
const hello = { locales: { en: { subject: 'Hello', html: `<p>Hello</p>${unsubscribe}` } } };

test('a template without a content stays legal', async () => {
  const alias = await newTemplate();
  const shown = await done<Schemas['Template']>('GET', alias);
  assert.deepEqual([shown.publishedVersion, shown.draftVersion], [null, null]);
  await expectProblem(await send('GET', `${base}${alias}/content`), 404, 'not-found');
  await expectProblem(await send('POST', `${base}${alias}/publish`), 404, 'not-found');
  await expectProblem(await send('POST', `${base}${alias}/preview`, { contact: {} }), 404, 'not-found');
  assert.deepEqual((await done('GET', `${alias}/versions/`)).data, []);
});

test('a draft is saved, read, replaced and published', async () => {
  const alias = await newTemplate();
  const content = {
    class: 'marketing',
    sender: { name: 'Bell', email: 'shop@bell.example', replyTo: null },
    defaultLocale: 'en',
    locales: {
      en: { subject: 'Hello', preheader: 'soon', html: unsubscribe, text: '{{ unsubscribe_url }}', mjml: '<mjml/>' },
      'de-AT': { subject: 'Servus', preheader: null, html: unsubscribe, text: null, mjml: null },
    },
  };
  const draft = await saved(alias, content);
  const { id, createdAt, ...rest } = draft;
  assert.deepEqual(rest, { alias, version: 1, status: 'draft', publishedAt: null, ...content });
  assert.deepEqual(await done('GET', `${alias}/content`), draft);
  const shown = await done<Schemas['Template']>('GET', alias);
  assert.deepEqual([shown.id, shown.publishedVersion, shown.draftVersion], [id, null, 1]);

  await saved(alias, hello);
  assert.deepEqual((await done<Content>('GET', `${alias}/content`)).defaultLocale, 'en');
  const first = await published(alias);
  assert.deepEqual([first.version, first.status], [1, 'published']);
  assert(first.publishedAt);
  assert.deepEqual(await published(alias), first); // there is no draft: nothing changes

  // A content that was read can be changed and sent back.
  first.locales['en']!.subject = 'Hello again';
  const second = await saved(alias, first);
  assert.deepEqual([second.version, second.status, second.publishedAt], [2, 'draft', null]);
  assert.equal((await done<Content>('GET', `${alias}/content?version=1`)).locales['en']!.subject, 'Hello');
  assert.equal((await done<Content>('GET', `${alias}/content`)).version, 2);
  await published(alias);
  assert.equal((await done<Content>('GET', `${alias}/content?version=1`)).status, 'superseded');
  await expectProblem(await send('GET', `${base}${alias}/content?version=3`), 404, 'not-found');
  await expectProblem(await send('GET', `${base}${alias}/content?version=1001`), 422, 'invalid-parameter');
});

test('versions are listed by page, newest first', async () => {
  const alias = await newTemplate(hello);
  for (let i = 0; i < 2; ++i) {
    await published(alias);
    await saved(alias, hello);
  }
  const list = async (query: string) => {
    const page = await done<Schemas['TemplateVersionPage']>('GET', `${alias}/versions/${query}`);
    return { seen: page.data.map(({ version, status }) => `${version} ${status}`), next: page.nextCursor };
  };
  assert.deepEqual((await list('')).seen, ['3 draft', '2 published', '1 superseded']);
  assert.deepEqual((await list('?order=asc')).seen, ['1 superseded', '2 published', '3 draft']);
  const first = await list('?limit=2');
  assert.deepEqual(first.seen, ['3 draft', '2 published']);
  assert.deepEqual(await list(`?limit=2&cursor=${first.next}`), { seen: ['1 superseded'], next: null });
  await expectProblem(await send('GET', `${base}nothing/versions/`), 404, 'not-found');
});

test('a template is created with its content, and published at once', async () => {
  const make = (query: string, content: object) => {
    const alias = freshAlias();
    return send('POST', `${base}${query}`, { alias, name: alias, content });
  };
  const shown = async (answer: Response) => {
    const { publishedVersion, draftVersion } = (await answer.json()) as Schemas['Template'];
    return [answer.status, publishedVersion, draftVersion];
  };
  assert.deepEqual(await shown(await make('', hello)), [201, null, 1]);
  assert.deepEqual(await shown(await make('?publish=true', hello)), [201, 1, null]);
  assert.deepEqual(await faults(await make('', { locales: { en: { html: '{{ x }}' }, 'x y': {} } })), [
    '/content/locales/x y invalid-format',
    '/content/locales/en/html invalid-liquid',
  ]);
  const refused = await expectProblem(await make('?publish=true', { locales: { en: {} } }), 422, 'template-invalid');
  assert.deepEqual(places(refused), ['/content/locales/en/subject required', '/content/locales/en/html required']);
  const named = await send('POST', `${base}?publish=true`, { alias: 'only-a-name', name: 'Only a name' });
  assert.deepEqual(await shown(named), [201, null, null]);
});

test('every fault is reported with its place', async () => {
  const alias = await newTemplate();
  const content = {
    class: 'spam',
    sender: { name: 'a\nb', email: 'nobody' },
    defaultLocale: 'fr',
    locales: {
      en: { subject: 'Hi {{ contact.firstName | upcsae }}', html: '<p>\n  {{ contcat.x }}\n{% if store %}' },
      de: { text: '{{ products["x"].name | append }}' },
      it: { subject: 'a\nb', zzz: 1 },
    },
  };
  const problem = await expectProblem(await send('PUT', `${base}${alias}/content`, content), 422, 'invalid-body');
  assert.deepEqual(places(problem).sort(), [
    '/class not-an-option',
    '/defaultLocale unknown-reference',
    '/locales/de/text invalid-liquid 1:25',
    '/locales/en/html invalid-liquid 2:6',
    '/locales/en/html invalid-liquid 3:1',
    '/locales/en/subject invalid-liquid 1:27',
    '/locales/it/subject invalid-format',
    '/locales/it/zzz unknown-member',
    '/sender/email invalid-format',
    '/sender/name invalid-format',
  ]);
  const unknown = problem.errors!.find(({ line }) => line === 2)!;
  assert.match(unknown.detail, /^2:6: There is no `contcat`\. Did you mean `contact`\?$/);
  await expectProblem(await send('GET', `${base}${alias}/content`), 404, 'not-found');
});

test('a template that cannot be sent is not published', async () => {
  const alias = await newTemplate({
    defaultLocale: 'en',
    locales: {
      en: { subject: ' ', html: '<p>Hello</p>' },
      de: { subject: 'Hallo', html: `<!-- ${unsubscribe} -->`, text: '{{ unsubscribe_url }}' },
      fr: { subject: 'Bonjour', html: unsubscribe, text: 'Bonjour' },
    },
  });
  const problem = await expectProblem(await send('POST', `${base}${alias}/publish`), 422, 'template-invalid');
  assert.deepEqual(places(problem), [
    '/locales/de/html no-unsubscribe-link',
    '/locales/en/subject required',
    '/locales/en/html no-unsubscribe-link',
    '/locales/fr/text no-unsubscribe-link',
  ]);
  assert.equal((await done<Content>('GET', `${alias}/content`)).status, 'draft');
  const empty = await newTemplate({ locales: {} });
  await expectProblem(await send('POST', `${base}${empty}/publish`), 422, 'template-invalid');
  const note = await newTemplate({ class: 'transactional', locales: { en: { subject: 'Paid', text: 'Thank you' } } });
  assert.equal((await published(note)).status, 'published');
});

test('the database keeps published versions as they are', async () => {
  const alias = await newTemplate(hello);
  const { id } = await published(alias);
  const as = (sql: string) => psql(`SET shopbell.account = ${account}; ${sql}`, databaseUrl('api'));
  const one = `WHERE template_id = '${id}'`;
  assert.equal(as(`UPDATE template_version SET published_at = now() ${one} RETURNING 1`), '');
  assert.equal(as(`DELETE FROM template_version ${one} RETURNING 1`), '');
  for (const change of [`SET content = '{}'`, 'SET version = 2'])
    assert.throws(() => as(`UPDATE template_version ${change} ${one}`), { message: '42501' }, change);
  await saved(alias, hello);
  // A draft can become published, and nothing else.
  assert.throws(() => as(`UPDATE template_version SET published_at = NULL ${one} AND version = 2`), {
    message: '42501',
  });
  assert.equal(as(`DELETE FROM template_version ${one} RETURNING version`), '2');
  assert.equal(psql(`SELECT version FROM template_version ${one}`), '1');
});

test('a deleted template takes its versions along', async () => {
  const alias = await newTemplate(hello);
  const { id } = await published(alias);
  await saved(alias, hello);
  assert.equal((await send('DELETE', base + alias)).status, 204);
  assert.equal(psql(`SELECT count(*) FROM template_version WHERE template_id = '${id}'`), '0');
});

test('two people who save at the same time: with If-Match, the second one notices', async () => {
  const alias = await newTemplate(hello);
  const read = await send('GET', `${base}${alias}/content`);
  const tag = { 'if-match': read.headers.get('etag')! };
  assert.equal((await send('PUT', `${base}${alias}/content`, hello, tag)).status, 200);
  await expectProblem(await send('PUT', `${base}${alias}/content`, hello, tag), 412, 'precondition-failed');
  await expectProblem(await send('POST', `${base}${alias}/publish`, undefined, tag), 412, 'precondition-failed');
  const again = await send('GET', `${base}${alias}/content`);
  const known = { 'if-none-match': again.headers.get('etag')! };
  assert.equal((await send('GET', `${base}${alias}/content`, undefined, known)).status, 304);
  // Without it, each write succeeds, and the versions stay in order.
  const answers = await Promise.all(
    [...Array(6).keys()].map((i) =>
      i % 2 ? send('PUT', `${base}${alias}/content`, hello) : send('POST', `${base}${alias}/publish`),
    ),
  );
  for (const answer of answers) assert.equal(answer.status, 200, await answer.text());
  const { data } = await done<Schemas['TemplateVersionPage']>('GET', `${alias}/versions/?order=asc`);
  assert.deepEqual(
    data.map(({ version }) => version),
    data.map((_, i) => i + 1),
  );
});

test('the number of versions is limited', async () => {
  const alias = await newTemplate(hello);
  const { id } = await published(alias);
  psql(`INSERT INTO template_version (account_id, template_id, version, content, created_at, published_at)
    SELECT ${account}, '${id}', n, '{}', now(), now() FROM generate_series(2, 1000) n;
    UPDATE template SET published_version = 1000 WHERE template_id = '${id}'`);
  await expectProblem(await send('PUT', `${base}${alias}/content`, hello), 409, 'limit-reached');
});

test('a content of half a megabyte is saved, and Gmail would clip it', async () => {
  const alias = await newTemplate();
  const html = `<p>${'bell '.repeat(104_000)}</p>`;
  await saved(alias, { class: 'transactional', locales: { en: { subject: 'Long', html, mjml: html } } });
  assert.equal((await preview(alias, { contact: {} })).clipped, true);
  const longer = { locales: { en: { subject: 'Long', html: 'ü'.repeat(300_000) } } };
  const problem = await expectProblem(await send('PUT', `${base}${alias}/content`, longer), 422, 'invalid-body');
  assert.deepEqual(places(problem), ['/locales/en/html invalid-liquid 1:1']);
  const many = { locales: Object.fromEntries(['en', 'de', 'fr', 'it', 'es'].map((tag) => [tag, { mjml: html }])) };
  await expectProblem(await send('PUT', `${base}${alias}/content`, many), 413, 'body-too-large');
});

test('an operator’s command creates a template without a content', async () => {
  const made = shopbell(['template', 'create', '--account', account, '--alias', 'by-command']);
  assert.equal(made.status, 0, made.stderr);
  assert.equal((await done<Schemas['Template']>('GET', 'by-command')).draftVersion, null);
});

test('the commands of the guide work', () => {
  runPage('docs/templates.md', newStore('Guide to templates').key, (file) => {
    assert.match(file('preview.html').toString(), /Bell, brass/);
    assert.match(file('preview.txt').toString(), /Unsubscribe/);
  });
});
