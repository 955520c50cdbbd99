DELETE FROM suppression s
 USING unnest($2::text[], $3::bytea[]) AS gone (channel, address_hash)
 WHERE s.account_id = $1::bigint AND s.channel = gone.channel AND s.address_hash = gone.address_hash
   AND s.reason = 'unsubscribed'
