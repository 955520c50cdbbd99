SELECT count(*) FILTER (WHERE state = 'inProgress' AND leased_until < transaction_timestamp() - interval '1 minute')
         AS abandoned,
       count(*) FILTER (WHERE state = 'queued' AND queued_at < transaction_timestamp() - interval '10 minutes')
         AS waiting,
       count(*) FILTER (WHERE state = 'inProgress' AND leased_until >= transaction_timestamp()) AS held
  FROM job WHERE state IN ('queued', 'inProgress')
