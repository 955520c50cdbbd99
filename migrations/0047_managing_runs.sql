-- transactional
-- Managing workflows while they run: numbers that stay cheap to read, and jobs that send commands to many runs.

-- How far count_delta is merged into node_count. No row up to `through` can appear any more, so readers and the next
-- merge start there, and never meet the rows that a long snapshot keeps. `next_through` takes its place once every
-- transaction before `next_xmax` has ended. Writers of count_delta have their transaction id before their numbers.
CREATE TABLE count_merge (
  only_row     boolean NOT NULL DEFAULT true CHECK (only_row),
  through      bigint NOT NULL,
  next_through bigint NOT NULL,
  next_xmax    xid8 NOT NULL,
  PRIMARY KEY (only_row)
) WITH (fillfactor = 10);
INSERT INTO count_merge (through, next_through, next_xmax) VALUES (0, 0, '0');
GRANT SELECT ON count_merge TO shopbell_api, shopbell_worker, shopbell_reader;
GRANT UPDATE (through, next_through, next_xmax) ON count_merge TO shopbell_worker;

-- Numbers of people, exact at any time: add up the rows of one counter.
CREATE VIEW workflow_number WITH (security_invoker = true) AS
  SELECT account_id, workflow_id, node, counter, people FROM node_count
  UNION ALL
  SELECT account_id, workflow_id, node, counter, delta FROM count_delta
   WHERE number > (SELECT through FROM count_merge);
GRANT SELECT ON workflow_number TO shopbell_api, shopbell_worker, shopbell_reader;

-- A job of kind "run-commands" walks the runs of a workflow.
ALTER TABLE job DROP CONSTRAINT job_kind_check;
ALTER TABLE job ADD CONSTRAINT job_kind_check CHECK (kind IN ('export', 'import', 'run-commands'));

DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name IN ('count_merge', 'workflow_number')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;
