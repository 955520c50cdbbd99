// Isolation between accounts by row-level security and grants: it holds even if a query lacks its condition.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { databaseUrl, psql } from './support.ts';

const roles = ['api', 'worker', 'reader'] as const;
const rows = (sql: string, as?: string) => psql(sql, as).split('\n').filter(Boolean);
const tables = rows(
  `SELECT relname FROM pg_class
    WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`,
);
const [one, other] = rows('SELECT account_id FROM account WHERE live_account_id IS NULL LIMIT 2');
const permissionDenied = { message: '42501' };

// Lists every privilege to change existing rows. A migration that grants another one must add it here.
const changes = {
  api: {
    tables: [
      'claim UPDATE',
      'contact DELETE',
      'contact UPDATE',
      'contact_facet DELETE',
      'contact_field DELETE',
      'contact_field UPDATE',
      'contact_field_counter UPDATE',
      'coupon DELETE',
      'coupon_redemption DELETE',
      'coupon_set DELETE',
      'engine_interest UPDATE',
      'event_type DELETE',
      'integration DELETE',
      'job DELETE',
      'product DELETE',
      'product UPDATE',
      'purchase DELETE',
      'purchase UPDATE',
      'rejected_event DELETE',
      'suppression DELETE',
      'template DELETE',
      'template_version DELETE',
      'webhook DELETE',
      'workflow_reference DELETE',
      'workflow_schedule DELETE',
      'workflow_schedule UPDATE',
      'workflow_version DELETE',
    ],
    columns: [
      'account: country currency domains locale marketing_per_day marketing_per_week ' +
        'marketing_requires name time_zone updated_at url version',
      'api_key: allowed_addresses expires_at name request_burst requests_per_second revoked_at scopes ' +
        'updated_at version',
      'coupon: redeemed',
      'coupon_claim: contact_id',
      'coupon_redemption: contact_id',
      'coupon_set: expires_at is_low low_watermark name updated_at valid_from version',
      'coupon_slot: assigned available redeemed total',
      'erasure: erased_at',
      'event: payload',
      'event_type: fields headers name previous_signing_secret previous_valid_until signing_secret ' +
        'updated_at url version',
      'event_type_counter: version',
      'integration: color description events_enabled image_url name updated_at version',
      'job: done finished_at generation leased_until result state total updated_at',
      'merged_contact: into_id',
      'stored_file: job_id remove_at',
      'suppression: at reason',
      'template: draft_version published_version updated_at version',
      'template_version: published_at',
      'webhook: description enabled_at failing_since headers kinds previous_signing_secret ' +
        'previous_valid_until reason replay_after replay_at replay_from replay_to rests_until ' +
        'signing_secret state updated_at url version',
      'webhook_chain: head last_sequence',
      'webhook_delivery: attempts due_at ended_at failing_since sender state',
      'webhook_queue: next_due_at',
      'workflow: activated_at active_version draft_version finish_mode finished_at name status ' + 'updated_at version',
      'workflow_version: published_at',
    ],
  },
  worker: {
    tables: [
      'bucket_use DELETE',
      'bucket_use UPDATE',
      'contact UPDATE',
      'contact_facet DELETE',
      'count_delta DELETE',
      'count_delta UPDATE',
      'engine_interest DELETE',
      'engine_interest UPDATE',
      'enrolment DELETE',
      'enrolment UPDATE',
      'import_failure DELETE',
      'job DELETE',
      'job UPDATE',
      'key_use UPDATE',
      'log_parked DELETE',
      'message UPDATE',
      'node_count DELETE',
      'node_count UPDATE',
      'purchase_attribution DELETE',
      'purchase_attribution UPDATE',
      'run DELETE',
      'run UPDATE',
      'run_history DELETE',
      'run_history UPDATE',
      'stored_file DELETE',
      'stored_file UPDATE',
      'subject_wait DELETE',
      'subject_wait UPDATE',
      'suppression DELETE',
      'timer DELETE',
      'timer UPDATE',
      'workflow_schedule DELETE',
      'workflow_schedule UPDATE',
    ],
    columns: [
      'account: delete_at deletion_step_at request_burst requests_per_second state state_on_restore ' +
        'updated_at version',
      'api_key: revoked_at updated_at version',
      'count_merge: next_through next_xmax through',
      'suppression: at reason',
      'webhook: enabled_at failing_since reason replay_after replay_at replay_from replay_to ' +
        'rests_until state updated_at version',
      'webhook_chain: head last_sequence',
      'webhook_delivery: attempts due_at ended_at failing_since sender state status trouble',
      'webhook_queue: next_due_at',
    ],
  },
  reader: { tables: [], columns: [] },
};

for (const role of ['api', 'reader'] as const) {
  const as = databaseUrl(role);

  test(`${role} sees only the current account, without any condition`, () => {
    for (const account of [one, other]) {
      assert.deepEqual(rows(`SET shopbell.account = ${account}; SELECT account_id FROM account`, as), [account]);
      assert.deepEqual(rows(`SET shopbell.account = ${account}; SELECT account_id FROM store_usage`, as), [account]);
    }
  });

  test(`${role} sees nothing without a current account`, () => {
    for (const set of ['', `SET shopbell.account = '';`, 'SET shopbell.account = 0;']) {
      assert.equal(psql(`${set} SELECT count(*) FROM account`, as), '0');
      assert.equal(psql(`${set} SELECT count(*) FROM store_usage`, as), '0');
    }
  });

  test(`${role} cannot turn row-level security off`, () => {
    assert.throws(() => psql(`SET row_security = off; SELECT count(*) FROM account`, as), permissionDenied);
  });

  test(`${role} cannot read key hashes`, () => {
    assert.throws(() => psql(`SET shopbell.account = ${one}; SELECT hash FROM api_key`, as), permissionDenied);
  });
}

test('reader cannot read secrets, not even encrypted ones', () => {
  for (const table of ['event_type', 'webhook'])
    for (const secret of ['headers', 'signing_secret', 'previous_signing_secret'])
      assert.throws(
        () => psql(`SET shopbell.account = ${one}; SELECT ${secret} FROM ${table}`, databaseUrl('reader')),
        permissionDenied,
        `${table}.${secret}`,
      );
  // Encrypted and hashed values are bytea. A migration that grants another one must add it here.
  const bytes = `SELECT c.relname || '.' || a.attname FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.atttypid = 'bytea'::regtype
     WHERE c.relname = ANY ('{${tables}}') AND has_column_privilege('shopbell_reader', c.oid, a.attnum, 'SELECT')
     ORDER BY 1`;
  assert.deepEqual(rows(bytes), ['erasure.identifier_hash', 'purchase.content_hash', 'suppression.address_hash']);
});

test('api can neither change nor add rows of another account', () => {
  const as = databaseUrl('api');
  const asOne = (sql: string) => psql(`SET shopbell.account = ${one}; ${sql}`, as);
  assert.equal(asOne(`UPDATE account SET name = 'x' WHERE account_id = ${other} RETURNING 1`), '');
  assert.equal(asOne(`UPDATE api_key SET revoked_at = now() WHERE account_id = ${other} RETURNING 1`), '');
  const field = `'x', 1, 'x', 'text', false, false, now(), now()`;
  const columns = 'account_id, id, number, name, type, indexed, required, created_at, updated_at';
  assert.throws(() => asOne(`INSERT INTO contact_field (${columns}) VALUES (${other}, ${field})`), permissionDenied);
  assert.throws(() => asOne(`INSERT INTO claim VALUES (${other}, 'answer', sha256('x'), '', '')`), permissionDenied);
  const event = `gen_random_uuid(), 0, 'x', 1, now(), 'all', 0, 'api'`;
  const eventColumns = 'account_id, uid, lane, kind, format, occurred_at, trigger, hops, source';
  assert.throws(() => asOne(`INSERT INTO event (${eventColumns}) VALUES (${other}, ${event})`), permissionDenied);
  const month = psql(`SELECT to_char(now() AT TIME ZONE 'UTC', '"event_"YYYY_MM')`);
  for (const partition of ['claim_0', month])
    assert.throws(() => asOne(`SELECT count(*) FROM ${partition}`), permissionDenied);
});

test('api finds a key only by its hash', () => {
  const find = (hash: string) => psql(`SELECT count(*) FROM find_key(ARRAY['${hash}'::bytea])`, databaseUrl('api'));
  assert.equal(find(`\\x${'00'.repeat(32)}`), '0');
  assert.equal(find(psql('SELECT hash FROM api_key LIMIT 1')), '1');
  for (const role of ['worker', 'reader'] as const) {
    assert.throws(() => psql(`SELECT find_key('{}')`, databaseUrl(role)), permissionDenied);
  }
});

test('only api writes events of several accounts at once', () => {
  const call = `SELECT take_queued_events('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`;
  assert.equal(psql(call, databaseUrl('api')), '');
  for (const role of ['worker', 'reader'] as const) {
    assert.throws(() => psql(call, databaseUrl(role)), permissionDenied);
    assert.throws(() => psql(`SELECT present_accounts('{}')`, databaseUrl(role)), permissionDenied);
  }
});

for (const role of roles) {
  const as = databaseUrl(role);

  test(`${role} is a role without special privileges`, () => {
    assert.equal(psql('SELECT current_user', as), `shopbell_${role}`);
    const rights = 'rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls';
    assert.equal(psql(`SELECT ${rights} FROM pg_roles WHERE rolname = current_user`, as), 'f');
    assert.equal(psql(`SELECT count(*) FROM pg_auth_members WHERE member = 'shopbell_${role}'::regrole`), '0');
    assert.equal(psql(`SELECT count(*) FROM pg_class WHERE relowner = 'shopbell_${role}'::regrole`), '0');
  });

  test(`${role} can change only what it is granted`, () => {
    const granted = `SELECT relname || ' ' || right_ FROM pg_class,
        unnest('{UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER,MAINTAIN}'::text[]) AS right_
      WHERE relname = ANY ('{${tables}}') AND has_table_privilege('shopbell_${role}', oid, right_)
      ORDER BY 1`;
    assert.deepEqual(rows(granted), changes[role].tables);
    const columns = `SELECT relname || ': ' || string_agg(attname, ' ' ORDER BY attname)
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
      WHERE relname = ANY ('{${tables}}') AND NOT has_table_privilege('shopbell_${role}', pg_class.oid, 'UPDATE')
        AND has_column_privilege('shopbell_${role}', pg_class.oid, attnum, 'UPDATE')
      GROUP BY relname ORDER BY relname`;
    assert.deepEqual(rows(columns), changes[role].columns);
    for (const change of ['DELETE FROM account', 'TRUNCATE account', 'UPDATE account SET id = id']) {
      assert.throws(() => psql(`SET shopbell.account = ${one}; ${change}`, as), { message: /^(42501|25006)$/ }, change);
    }
  });

  test(`${role} cannot change the schema`, () => {
    const ddl = [
      'CREATE TABLE public.mine ()',
      'CREATE TEMP TABLE mine ()',
      'CREATE SCHEMA mine',
      'CREATE FUNCTION public.mine() RETURNS int RETURN 1',
      'ALTER TABLE account ADD COLUMN mine int',
      'ALTER TABLE account DISABLE ROW LEVEL SECURITY',
      'ALTER POLICY own_account ON account USING (true)',
      'DROP POLICY own_account ON account',
      'DROP TABLE account CASCADE',
      'ALTER FUNCTION find_key SECURITY INVOKER',
      'SET ROLE shopbell_owner',
      'ALTER ROLE shopbell_owner PASSWORD null',
    ];
    for (const statement of ddl) {
      assert.throws(
        () => psql(`SET default_transaction_read_only = off; ${statement}`, as),
        permissionDenied,
        statement,
      );
    }
  });
}

test('reader cannot write', () => {
  assert.equal(
    psql(`SELECT count(*) FROM pg_class WHERE relname = ANY ('{${tables}}')
    AND has_table_privilege('shopbell_reader', oid, 'INSERT')`),
    '0',
  );
  assert.equal(psql('SHOW default_transaction_read_only', databaseUrl('reader')), 'on');
});

test('every table with account data has row-level security', () => {
  const open = `SELECT c.relname FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id'
    WHERE c.relname = ANY ('{${tables}}') AND NOT a.attisdropped AND NOT c.relrowsecurity`;
  assert.deepEqual(rows(open), []);
  assert(tables.includes('account') && tables.includes('api_key'));
});

test('every column is marked as personal or not', () => {
  const silent = `SELECT table_name || '.' || column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND coalesce(
        col_description(format('%I.%I', table_schema, table_name)::regclass, ordinal_position), '')
      NOT IN ('personal', 'not personal')`;
  assert.deepEqual(rows(silent), []);
});

test('SECURITY DEFINER functions have a fixed search path that ends with pg_temp', () => {
  const definers = (which: string) => `SELECT proname FROM pg_proc
    WHERE prosecdef AND pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      AND ${which} ORDER BY 1`;
  // Otherwise a caller's temporary table could take the place of a table that the function means.
  assert.deepEqual(rows(definers(`coalesce('search_path=pg_catalog, public, pg_temp' <> ALL (proconfig), true)`)), []);
  assert.deepEqual(rows(definers('true')), [
    'advance',
    'advance_intake',
    'advance_usage',
    'analyze_grown',
    'beat',
    'beat',
    'begin_log_epoch',
    'claim_coupon',
    'claim_coupon_for_run',
    'copy_run_triggers',
    'count_usage',
    'delete_account_rows',
    'delete_expired_claims',
    'delete_expired_event_claims',
    'delete_old_audit',
    'delete_old_erasures',
    'delete_old_rejected_events',
    'drop_endpoint_of_type',
    'drop_facets',
    'drop_log_reader',
    'fence_lanes',
    'find_key',
    'forget_chains',
    'forget_deliveries',
    'forget_erased',
    'forget_log',
    'forget_passed_on',
    'forget_rejected_events',
    'forget_ticks',
    'hold_intake',
    'hold_intake',
    'keep_endpoint_of_type',
    'keep_event_partitions',
    'keep_monthly_partitions',
    'lane_positions',
    'leave',
    'leave_intake',
    'make_tick',
    'present_accounts',
    'purge_dropped_coupons',
    'purge_dropped_fields',
    'purge_dropped_webhooks',
    'rehash_key',
    'release_coupon',
    'require_signatures',
    'save_position',
    'share_intake',
    'take_queued_events',
    'tell_low_coupon_set',
    'tell_low_coupon_sets',
  ]);
});
