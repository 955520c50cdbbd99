// Previews of templates: locales, contacts, events, products, and invalid requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { expectProblem, faults } from './support.ts';
import { base, newTemplater, places } from './templater.ts';

const { send, newTemplate, saved, published, preview, letter } = newTemplater('Letters');

test('a preview takes the locale of the contact', async () => {
  const alias = await newTemplate({
    class: 'transactional',
    defaultLocale: 'en',
    locales: {
      en: { subject: 'Hello {{ contact.firstName }}', preheader: 'soon', html: '<p>{{ 1234.5 | money }}</p>' },
      de: { subject: 'Hallo {{ contact.firstName }}', text: '{{ 1234.5 | money }}' },
    },
  });
  const seen = async (contact: object, more = {}) => {
    const { locale, subject, text } = await preview(alias, { contact: { firstName: 'Eva', ...contact }, ...more });
    return [locale, subject, text.replace(/\s/g, ' ')];
  };
  assert.deepEqual(await seen({ locale: 'de-AT' }), ['de', 'Hallo Eva', '1.234,50 €']);
  assert.deepEqual(await seen({ locale: 'fr' }), ['en', 'Hello Eva', '€1,234.50']);
  assert.deepEqual(await seen({}), ['en', 'Hello Eva', '€1,234.50']);
  assert.deepEqual(await seen({ locale: 'de' }, { locale: 'en' }), ['en', 'Hello Eva', '€1,234.50']);
  const { html, preheader, textDerived, version, clipped } = await preview(alias, { contact: {} });
  assert.match(html!, /^<div style="display:none[^>]*>soon<\/div><p>€1,234.50<\/p>$/);
  assert.deepEqual([preheader, textDerived, version, clipped], ['soon', true, 1, false]);
  assert.deepEqual(await faults(await send('POST', `${base}${alias}/preview`, { contact: {}, locale: 'fr' })), [
    '/locale unknown-reference',
  ]);
});

test('a preview shows a stored contact with its cart, purchase and products', async () => {
  const product = (id: string, body: object) => send('PATCH', `/products/product-id/${id}`, body);
  await product('bell-1', { name: 'Bell', url: 'https://bells.example/bell-1', price: '17.90', currency: 'CHF' });
  await product('rope-2', { name: 'Rope <short>', url: 'https://bells.example/rope-2', price: '4.50' });
  const contact = { email: 'Ada@Bells.example', firstName: 'Ada', timeZone: 'Asia/Tokyo' };
  const integration = (await (await send('POST', '/custom-integrations/', { name: 'Shop' })).json()) as { id: string };
  await send('POST', `/custom-integrations/${integration.id}/custom-event-types/`, {
    name: 'Cart updated',
    direction: 'receive',
    alias: 'cart-updated',
    fields: [{ id: 'lines', name: 'Lines', type: 'lines' }],
  });
  const lines = [
    { productId: 'bell-1', name: 'old name', quantity: 2, unitPrice: '17.90' },
    { productId: 'gone', name: 'Gone', quantity: 1, unitPrice: '1.00' },
  ];
  for (const payload of [
    { cartId: 'c-1', lines: [] },
    { cartId: 'c-2', lines },
  ]) {
    const sent = await send('POST', '/custom-events/alias/cart-updated?createContact=true', { contact, payload });
    assert.equal(sent.status, 201, await sent.text());
  }
  const sold = await send('POST', '/purchases/', {
    purchaseId: 'p-1',
    contact: { email: contact.email },
    currency: 'EUR',
    total: '40.30',
    purchasedAt: '2026-03-01T16:30:00Z',
    lines: [{ productId: 'rope-2', name: 'Rope', quantity: 1, unitPrice: '4.50' }],
  });
  assert.equal(sold.status, 201, await sold.text());

  const alias = await newTemplate({
    class: 'transactional',
    locales: {
      en: {
        subject: '{{ contact.firstName }}, cart {{ event.data.cartId }}',
        html:
          '{% for line in event.data.lines %}<p>{{ line.quantity }} × ' +
          '{{ line.product.name | default: line.name }} {{ line.product.price | money }}</p>{% endfor %}',
        text: '{{ products["rope-2"].name }} of {{ store.name }}',
      },
    },
  });
  const cart = await preview(alias, {
    contact: { email: 'ada@bells.example' },
    event: { kind: 'custom.cart-updated' },
  });
  assert.equal(cart.subject, 'Ada, cart c-2');
  assert.equal(cart.html!.replace(/\u00a0/g, ' '), '<p>2 × Bell CHF 17.90</p><p>1 × Gone </p>');
  assert.equal(cart.text, 'Rope <short> of Letters');
  assert.deepEqual(cart.missingProducts, ['gone']);

  const receipt = await letter(
    '{{ trigger.data.orderNumber }}{% for line in trigger.data.lines %}{{ line.product.name }} ' +
      '{{ line.unitPrice | money }}{% endfor %}, {{ event.data.purchasedAt | date: "%-d %B, %H:%M" }}, ' +
      '{{ vars.coupon.code }} {{ run.key }}',
  );
  const { contactId } = (await (await send('GET', '/purchases/purchase-id/p-1')).json()) as { contactId: string };
  const body = {
    contact: { id: contactId },
    event: { kind: 'purchase.created' },
    vars: { coupon: { code: 'TEN' } },
    run: { key: 'k' },
  };
  // The time is that of the contact's zone.
  assert.equal((await preview(receipt, body)).html, 'Rope &lt;short&gt; €4.50, 2 March, 01:30, TEN k');

  // A published version can be previewed while there is a draft.
  await published(receipt);
  await saved(receipt, { class: 'transactional', locales: { en: { subject: 'New', text: 'new' } } });
  assert.equal((await preview(receipt, body)).text, 'new');
  assert.match((await preview(receipt, { ...body, version: 1 })).text, /^Rope/);
});

test('an event of the timeline can be used as it is', async () => {
  const alias = await letter('{{ event.kind }} {{ event.id }} {{ trigger.data.x }} {{ event.data.x }}');
  const event = { id: 'e', kind: 'custom.seen', occurredAt: 'o', receivedAt: 'r', contactId: 'c', data: { x: 1 } };
  const trigger = { kind: 'custom.started', data: { x: 2 } };
  assert.equal((await preview(alias, { contact: {}, event })).html, 'custom.seen e 1 1');
  assert.equal((await preview(alias, { contact: {}, event, trigger })).html, 'custom.seen e 2 1');
});

test('a preview names what is wrong with its data', async () => {
  const alias = await letter('{{ contact.firstName }}');
  const refused = (body: object) => send('POST', `${base}${alias}/preview`, body).then(faults);
  assert.deepEqual(await refused({}), ['/contact required']);
  assert.deepEqual(
    await refused({ contact: null, event: [], vars: 1, run: 'x', trigger: { kind: 1, data: [], x: 1 } }),
    [
      '/event wrong-type',
      '/vars wrong-type',
      '/run wrong-type',
      '/trigger/kind wrong-type',
      '/trigger/data wrong-type',
      '/trigger/x unknown-member',
      '/contact required',
    ],
  );
  assert.deepEqual(await refused({ contact: {}, event: {} }), ['/event/kind required']);
  assert.deepEqual(await refused({ contact: {}, event: { kind: 'custom.seen' } }), ['/event/data required']);
  await send('PATCH', '/contacts/external-id/eva?createContact=true', { firstName: 'Eva' });
  const eva = { contact: { externalId: 'eva' } };
  assert.equal((await preview(alias, eva)).html, 'Eva');
  assert.deepEqual(await refused({ ...eva, event: { kind: 'custom.seen' } }), ['/event/kind unknown-reference']);
  for (const contact of [{ externalId: 'nobody' }, { id: 'x' }, { email: 'nobody@bells.example' }])
    await expectProblem(await send('POST', `${base}${alias}/preview`, { contact }), 404, 'not-found');
});

test('a fault while rendering names its place', async () => {
  const alias = await letter('<p>\n{{ 1 | divided_by: contact.points }}</p>');
  const problem = await expectProblem(
    await send('POST', `${base}${alias}/preview`, { contact: { firstName: 'Eva' } }),
    422,
    'template-invalid',
  );
  assert.deepEqual(places(problem), ['/locales/en/html invalid-liquid 2:8']);
});

test('a preview of stored data needs the scopes to read them', async () => {
  const key = async (...scopes: string[]) => {
    const made = await send('POST', '/manage/keys/', { name: 'few', scopes: ['manage-templates:read', ...scopes] });
    return { authorization: `Bearer ${((await made.json()) as { token: string }).token}` };
  };
  await send('PATCH', '/contacts/external-id/scoped?createContact=true', {});
  const alias = await letter('{{ products["bell-1"].name }}{{ contact.firstName }}');
  const plain = await letter('{{ contact.firstName }}');
  const ask = (name: string, body: object, headers: object) => send('POST', `${base}${name}/preview`, body, headers);
  const made = { contact: { firstName: 'Eva' } };
  const stored = { contact: { externalId: 'scoped' } };
  assert.equal((await ask(plain, made, await key())).status, 200);
  await expectProblem(await ask(plain, stored, await key()), 403, 'scope-missing');
  assert.equal((await ask(plain, stored, await key('contacts:read'))).status, 200);
  await expectProblem(await ask(alias, made, await key()), 403, 'scope-missing');
  assert.equal((await ask(alias, made, await key('products:read'))).status, 200);
});
