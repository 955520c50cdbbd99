DELETE FROM template_version
 WHERE account_id = $1::bigint AND template_id = $2::uuid AND version = $3::integer AND published_at IS NULL
