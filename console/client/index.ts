// The typed client of Shopbell's interface. Paths, parameters, bodies and answers are those of
// docs/api/openapi.json, so a call that does not fit the interface does not compile.
import createClient, { type Client } from 'openapi-fetch';

import type { components, paths } from './schema.d.ts';

export type Schemas = components['schemas'];
export type Shopbell = Client<paths>;

/**
 * Connects to a Shopbell at `url`, its base path included, with the API key `key`.
 *
 * A call never throws on an answer: it resolves to `{ data, response }` on success and to
 * `{ error, response }`, with `error` a problem (RFC 9457), otherwise. It rejects when there is no
 * answer at all.
 *
 *     const shopbell = connect({ url: 'https://bell.example', key: 'sb_live_…' });
 *     const { data, error } = await shopbell.GET('/store/');
 */
export function connect({ url, key }: { url: string; key: string }): Shopbell {
  return createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });
}
