-- The whole schema on one page. Generated from the migrations by tools/generate; nothing runs it.

CREATE FUNCTION public.current_account() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('shopbell.account'::text, true), ''::text))::bigint;

CREATE TABLE public.account (
    account_id bigint NOT NULL,
    live_account_id bigint,
    id uuid NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    name text NOT NULL,
    url text,
    time_zone text NOT NULL,
    currency text NOT NULL,
    locale text NOT NULL,
    country text,
    domains text[] DEFAULT '{}'::text[] NOT NULL,
    marketing_requires text DEFAULT 'subscribed'::text NOT NULL,
    marketing_per_day integer,
    marketing_per_week integer,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT account_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT account_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT account_marketing_per_day_check CHECK ((marketing_per_day >= 0)),
    CONSTRAINT account_marketing_per_week_check CHECK ((marketing_per_week >= 0)),
    CONSTRAINT account_marketing_requires_check CHECK ((marketing_requires = ANY (ARRAY['subscribed'::text, 'notUnsubscribed'::text]))),
    CONSTRAINT account_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT account_state_check CHECK ((state = ANY (ARRAY['active'::text, 'suspended'::text]))),
    CONSTRAINT account_url_check CHECK ((octet_length(url) <= 2048))
);

COMMENT ON COLUMN public.account.account_id IS 'not personal';
COMMENT ON COLUMN public.account.live_account_id IS 'not personal';
COMMENT ON COLUMN public.account.id IS 'not personal';
COMMENT ON COLUMN public.account.state IS 'not personal';
COMMENT ON COLUMN public.account.name IS 'not personal';
COMMENT ON COLUMN public.account.url IS 'not personal';
COMMENT ON COLUMN public.account.time_zone IS 'not personal';
COMMENT ON COLUMN public.account.currency IS 'not personal';
COMMENT ON COLUMN public.account.locale IS 'not personal';
COMMENT ON COLUMN public.account.country IS 'not personal';
COMMENT ON COLUMN public.account.domains IS 'not personal';
COMMENT ON COLUMN public.account.marketing_requires IS 'not personal';
COMMENT ON COLUMN public.account.marketing_per_day IS 'not personal';
COMMENT ON COLUMN public.account.marketing_per_week IS 'not personal';
COMMENT ON COLUMN public.account.version IS 'not personal';
COMMENT ON COLUMN public.account.created_at IS 'not personal';
COMMENT ON COLUMN public.account.updated_at IS 'not personal';

CREATE TABLE public.api_key (
    account_id bigint NOT NULL,
    key_id uuid NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    hint text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

COMMENT ON COLUMN public.api_key.account_id IS 'not personal';
COMMENT ON COLUMN public.api_key.key_id IS 'not personal';
COMMENT ON COLUMN public.api_key.name IS 'not personal';
COMMENT ON COLUMN public.api_key.hash IS 'not personal';
COMMENT ON COLUMN public.api_key.hint IS 'not personal';
COMMENT ON COLUMN public.api_key.scopes IS 'not personal';
COMMENT ON COLUMN public.api_key.created_at IS 'not personal';
COMMENT ON COLUMN public.api_key.expires_at IS 'not personal';
COMMENT ON COLUMN public.api_key.revoked_at IS 'not personal';

CREATE FUNCTION public.find_key(hashes bytea[]) RETURNS TABLE(account_id bigint, key_id uuid, scopes text[], state text, expired boolean, revoked boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    BEGIN ATOMIC
 SELECT k.account_id,
     k.key_id,
     k.scopes,
     a.state,
     COALESCE((k.expires_at <= transaction_timestamp()), false) AS "coalesce",
     (k.revoked_at IS NOT NULL)
    FROM (public.api_key k
      JOIN public.account a ON ((a.account_id = k.account_id)))
   WHERE (k.hash = ANY (find_key.hashes));
END;

CREATE FUNCTION public.require(condition boolean, state text, message text) RETURNS void
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  IF condition IS NOT TRUE THEN
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message;
  END IF;
END $$;

CREATE TABLE public.schema_migration (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.schema_migration.number IS 'not personal';
COMMENT ON COLUMN public.schema_migration.name IS 'not personal';
COMMENT ON COLUMN public.schema_migration.checksum IS 'not personal';
COMMENT ON COLUMN public.schema_migration.applied_at IS 'not personal';

CREATE TABLE public.store_usage (
    account_id bigint NOT NULL,
    contacts bigint DEFAULT 0 NOT NULL,
    products bigint DEFAULT 0 NOT NULL,
    purchases bigint DEFAULT 0 NOT NULL,
    events_this_month bigint DEFAULT 0 NOT NULL,
    as_of timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.store_usage.account_id IS 'not personal';
COMMENT ON COLUMN public.store_usage.contacts IS 'not personal';
COMMENT ON COLUMN public.store_usage.products IS 'not personal';
COMMENT ON COLUMN public.store_usage.purchases IS 'not personal';
COMMENT ON COLUMN public.store_usage.events_this_month IS 'not personal';
COMMENT ON COLUMN public.store_usage.as_of IS 'not personal';

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (account_id, key_id);

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.store_usage
    ADD CONSTRAINT store_usage_pkey PRIMARY KEY (account_id);

CREATE INDEX account_live ON public.account USING btree (live_account_id) WHERE (live_account_id IS NOT NULL);
CREATE UNIQUE INDEX api_key_hash ON public.api_key USING btree (hash);

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_live_account_id_fkey FOREIGN KEY (live_account_id) REFERENCES public.account(account_id);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.store_usage
    ADD CONSTRAINT store_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE public.account ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.api_key ENABLE ROW LEVEL SECURITY;

CREATE POLICY every_account ON public.account TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.api_key TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.store_usage TO shopbell_worker USING (true);
CREATE POLICY own_account ON public.account TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.api_key TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.store_usage TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

ALTER TABLE public.store_usage ENABLE ROW LEVEL SECURITY;

REVOKE USAGE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO shopbell_api;
GRANT USAGE ON SCHEMA public TO shopbell_worker;
GRANT USAGE ON SCHEMA public TO shopbell_reader;

GRANT SELECT ON TABLE public.account TO shopbell_api;
GRANT SELECT ON TABLE public.account TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.account TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.api_key TO shopbell_worker;

REVOKE ALL ON FUNCTION public.find_key(hashes bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_key(hashes bytea[]) TO shopbell_api;

GRANT SELECT ON TABLE public.schema_migration TO shopbell_api;
GRANT SELECT ON TABLE public.schema_migration TO shopbell_worker;
GRANT SELECT ON TABLE public.schema_migration TO shopbell_reader;

GRANT SELECT ON TABLE public.store_usage TO shopbell_api;
GRANT SELECT ON TABLE public.store_usage TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.store_usage TO shopbell_worker;
