// Shared by the tests of integrations and event types: a store that creates both.
import assert from 'node:assert/strict';

import type { Schemas } from '../../console/client/index.ts';
import { newStore } from './support.ts';

export type Integration = Schemas['CustomIntegration'];
export type EventType = Schemas['CustomEventType'];
export type Created = Schemas['CreatedCustomEventType'];
export type NewType = Schemas['NewCustomEventType'];

export const nobody = '00000000-0000-7000-8000-000000000000';
export const lenient = { prefer: 'handling=lenient' };
export const typesOf = (id: string) => `/custom-integrations/${id}/custom-event-types/`;
export const manage = (id: string) => `/manage/custom-event-types/${id}`;
export const sending = (body: object = {}) =>
  ({ direction: 'send', alias: null, url: 'https://pos.example/in', ...body }) as Partial<NewType>;

let names = 0;
/** A new alias on each call. */
export const nextAlias = () => `alias-${names++}`;

export function newIntegrator(name: string) {
  const store = newStore(name);

  async function integrate(body: Partial<Schemas['NewCustomIntegration']> = {}): Promise<Integration> {
    const { data, error } = await store.client.POST('/custom-integrations/', {
      body: { name: `Integration ${names++}`, ...body },
    });
    assert(data, JSON.stringify(error));
    return data;
  }

  async function define(id: string, body: Partial<NewType> = {}): Promise<Created> {
    const { data, error } = await store.client.POST('/custom-integrations/{id}/custom-event-types/', {
      params: { path: { id } },
      body: { name: 'x', direction: 'receive', alias: nextAlias(), ...body },
    });
    assert(data, JSON.stringify(error));
    return data;
  }

  return { ...store, integrate, define };
}
