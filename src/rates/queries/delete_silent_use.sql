WITH silent AS (
  SELECT account_id, bucket, process FROM bucket_use
   WHERE at <= transaction_timestamp() - interval '60 seconds'
   LIMIT 10000 FOR UPDATE SKIP LOCKED
)
DELETE FROM bucket_use b USING silent s
 WHERE b.account_id = s.account_id AND b.bucket = s.bucket AND b.process = s.process
