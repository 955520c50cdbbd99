UPDATE template_version
   SET published_at = $4::timestamptz
 WHERE account_id = $1::bigint AND template_id = $2::uuid AND version = $3::integer
