INSERT INTO bucket_use (account_id, bucket, process, counted_from, used, used_before, wanted, wanted_before, remaining)
SELECT told.account_id, told.bucket, $1::uuid, told.counted_from, told.used, told.used_before, told.wanted,
       told.wanted_before, told.remaining
  FROM unnest($2::bigint[], $3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
              $9::bigint[])
    AS told (account_id, bucket, counted_from, used, used_before, wanted, wanted_before, remaining)
ON CONFLICT (account_id, bucket, process) DO UPDATE
   SET counted_from = excluded.counted_from, used = excluded.used, used_before = excluded.used_before,
       wanted = excluded.wanted, wanted_before = excluded.wanted_before, remaining = excluded.remaining,
       at = excluded.at
