SELECT account_id, bucket, u.process, u.counted_from, u.used, u.used_before, u.wanted, u.wanted_before, u.remaining,
       u.at, (extract(epoch FROM transaction_timestamp() - u.at) * 1000)::bigint AS age_ms
  FROM unnest($2::bigint[], $3::uuid[]) AS asked (account_id, bucket)
  JOIN bucket_use u USING (account_id, bucket)
 WHERE u.process <> $1::uuid AND u.at > transaction_timestamp() - interval '60 seconds'
