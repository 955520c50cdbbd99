// Counts the pages that each named query on contacts reads. EXPLAIN counts them with the generic plan and under
// row-level security, as in the service.
import { idOf } from './contacts_data.mjs';
import { fillColumns, queriesOf } from './queries.mjs';

// Returns the columns of a contact's row that the statements list, in table order.
function columnsOf(database) {
  const lines =
    database.ask(`SELECT attname || ' ' || CASE WHEN format_type(atttypid, NULL) = 'timestamp with time zone'
      THEN 'timestamptz' ELSE format_type(atttypid, NULL) END
    FROM pg_attribute WHERE attrelid = 'contact'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     AND attname NOT IN ('account_id', 'contact_id', 'version') ORDER BY attnum`);
  return lines
    .split('\n')
    .map((line) => line.split(' '))
    .map(([name, ...type]) => ({ name, type: type.join(' ') }));
}

// Returns the values of contact `n` for `columns`.
function valuesOf(columns, n) {
  const values = {
    lane: 5,
    email: `'p${n}@example.org'`,
    email_key: `'p${n}@example.org'`,
    external_id: `'y${n}'`,
    first_name: `'a'`,
    last_name: `'b'`,
    name_key: `'a b'`,
    surname_key: `'b a'`,
    tags: `'{}'`,
    points: 1,
    fields: `'{}'`,
    email_subscription: `'none'`,
    sms_subscription: `'none'`,
    email_status: `'active'`,
    phone_status: `'active'`,
    has_consent: 'false',
    event_seq: 2,
    created_at: 'now()',
    updated_at: 'now()',
    purchases: `'{}'`,
  };
  return columns.map(({ name }) => values[name] ?? 'NULL');
}

// Turns each value of a row into an array with one element, as batch statements expect.
function each(row, columns) {
  const types = ['uuid', 'bigint', ...columns.map(({ type }) => (type.endsWith('[]') ? 'text' : type))];
  return row.map((value, i) => `ARRAY[${value}]::${types[i]}[]`);
}

// The parameters of each query for contact `n`. Hashes match no contact; lists ask for a page of 51.
function parameters(account, n, columns) {
  const id = idOf(n);
  const email = `'person${n}@example.com'`;
  const nobody = `ARRAY['\\x${'00'.repeat(32)}'::bytea]`;
  const none = [`'{}'`, `'{}'`, `'{}'`];
  const row = [account, id, 1, ...valuesOf(columns, n)];
  return {
    get_contact_by_email: [account, email],
    get_contact_by_external_id: [account, `'x${n}'`],
    get_contact: [account, id],
    get_person: [account, id],
    find_contacts: [account, `ARRAY[${email}]`, `ARRAY['x${n}']`],
    // The lanes read and lock the contacts of many accounts, called here with one contact.
    find_contacts_of_accounts: [`ARRAY[${account}]::bigint[]`, `ARRAY[${id}]::uuid[]`],
    lock_contacts_of_accounts: [`ARRAY[${account}]::bigint[]`, `ARRAY[${id}]::uuid[]`],
    lock_contacts: [account, `ARRAY[${email}]`, `'{}'`, `'{}'`],
    find_marks: [account, nobody],
    require_marks: [account, nobody, 0],
    get_knowledge: [account],
    require_contact: [account, id, 1],
    update_contact: row,
    insert_contact: row.with(1, 'gen_random_uuid()'),
    delete_contact: [account, id, 1],
    insert_consent: [account, id, `'email'`, `'subscribed'`, 'now()', ...Array(5).fill('NULL')],
    move_consent: [account, id, idOf(n + 1)],
    move_merged: [account, id, idOf(n + 1)],
    move_purchases: [account, id, idOf(n + 1), 5],
    insert_merged: [account, 'gen_random_uuid()', 5, id],
    delete_facets: [account, id, 'ARRAY[0]', `ARRAY['t${n % 1000}']`],
    insert_facets: [account, id, 'ARRAY[0]', `ARRAY['new']`],
    insert_suppression: [account, `'email'`, `'\\x${'00'.repeat(32)}'`, `'unsubscribed'`, 'now()'],
    lift_suppression: [account, `'email'`, `'\\x${'00'.repeat(32)}'`],
    insert_erasure: [account, `'\\x${'00'.repeat(32)}'`],
    forget_events: [account, id, 1000],
    // These are the batch statements of an import, called here with one contact.
    update_contacts: [account, ...each(row.slice(1), columns)],
    insert_contacts: [account, ...each(row.slice(1).with(0, 'gen_random_uuid()'), columns)],
    insert_consents: [
      account,
      `ARRAY[${id}]::uuid[]`,
      `'{email}'`,
      `'{subscribed}'`,
      'ARRAY[now()]',
      ...Array(5).fill(`'{NULL}'`),
    ],
    delete_facets_of_contacts: [account, `ARRAY[${id}]::uuid[]`, `'{0}'`, `'{t${n % 1000}}'`],
    insert_facets_of_contacts: [account, `ARRAY[${id}]::uuid[]`, `'{0}'`, `'{new}'`],
    insert_suppressions: [account, `'{email}'`, nobody, `'{unsubscribed}'`, 'ARRAY[now()]'],
    lift_suppressions: [account, `'{email}'`, nobody],
    list_newest_contacts: [account, id, 'NULL', ...none, 51],
    list_oldest_contacts: [account, id, 'NULL', ...none, 51],
    list_newest_contacts_of_facet: [account, id, 'NULL', ...none, 51, -1, `'none'`],
    list_oldest_contacts_of_facet: [account, id, 'NULL', ...none, 51, -1, `'none'`],
    search_contacts: [account, 'NULL', 'NULL', ...none, 51, 'false', `'bell ${n} '`, `'bell ${n}!'`],
    list_updated_contacts: [account, 'NULL', `now() - interval '60 seconds'`, ...none, 51, 'false'],
  };
}

function pages(plan) {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

// Returns { query: pages } for every query of the slice; throws if a query has no parameters in this file.
export function buffers(database, account, n) {
  const columns = columnsOf(database);
  const known = parameters(account, n, columns);
  const counted = {};
  for (const [name, text] of Object.entries(queriesOf('contacts'))) {
    if (!known[name]) throw new Error(`bench: no parameters for ${name}.sql`);
    const sql = fillColumns(text, columns, 4);
    const run = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE q(${known[name].join(', ')})`;
    const told = database.ask(`
      SET plan_cache_mode = force_generic_plan; SET ROLE shopbell_api; SET shopbell.account = ${account};
      PREPARE q AS ${sql};
      BEGIN; ${run}; ROLLBACK; BEGIN; ${run}; ROLLBACK`);
    const second = told.slice(told.lastIndexOf('\n[') + 1);
    counted[name] = pages(JSON.parse(second)[0].Plan);
  }
  return counted;
}
