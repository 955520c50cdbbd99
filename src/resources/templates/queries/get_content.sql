-- The content of the version $4. If $4 is null: of the draft, else of the version published last.
SELECT v.version, v.content, v.created_at, v.published_at
  FROM template t
  JOIN template_version v ON v.account_id = t.account_id AND v.template_id = t.template_id
                         AND v.version = CASE WHEN $4::integer IS NULL THEN coalesce(t.draft_version, t.published_version)
                                              ELSE $4::integer END
 WHERE t.account_id = $1::bigint AND (t.alias = $2 OR t.template_id = $3::uuid)
