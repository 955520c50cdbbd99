// Shared by the tests of templates: a store, and short forms of the operations on templates.
import assert from 'node:assert/strict';

import type { Schemas } from '../../console/client/index.ts';
import { newStore } from './support.ts';

export type Content = Schemas['TemplateContent'];
export type Preview = Schemas['TemplatePreview'];

export const base = '/manage/templates/';
export const unsubscribe = '<a href="{{ unsubscribe_url }}">Unsubscribe</a>';

export function newTemplater(name: string) {
  const store = newStore(name);
  const { send } = store;
  let count = 0;
  const freshAlias = () => `letter-${++count}`;
  /** Creates a template, with a draft if there is a content. */
  async function newTemplate(content?: object): Promise<string> {
    const alias = freshAlias();
    const made = await send('POST', base, { alias, name: alias, ...(content && { content }) });
    assert.equal(made.status, 201, await made.clone().text());
    return alias;
  }
  async function done<T = any>(method: string, path: string, body?: object): Promise<T> {
    const answer = await send(method, base + path, body);
    const text = await answer.text();
    assert(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }
  const saved = (alias: string, content: object) => done<Content>('PUT', `${alias}/content`, content);
  const published = (alias: string) => done<Content>('POST', `${alias}/publish`);
  const preview = (alias: string, body: object) => done<Preview>('POST', `${alias}/preview`, body);
  /** A template with this HTML in a transactional mail. */
  const letter = (html: string) =>
    newTemplate({ class: 'transactional', locales: { en: { subject: 'A letter', html } } });
  return { ...store, freshAlias, newTemplate, done, saved, published, preview, letter };
}

/** The faults as "pointer code line:column". */
export const places = (problem: Schemas['Problem']) =>
  problem.errors!.map(({ pointer, code, line, column }) => `${pointer} ${code}${line ? ` ${line}:${column}` : ''}`);
