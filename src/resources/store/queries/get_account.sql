SELECT a.account_id, a.live_account_id, t.account_id AS test_account_id, a.state, a.name, a.created_at, a.delete_at,
       a.deletion_began_at, a.deleted_rows,
       (SELECT count(*) FROM stored_file f WHERE f.account_id = a.account_id) AS files
  FROM account a
  LEFT JOIN account t ON t.live_account_id = a.account_id
 WHERE a.account_id = $1::bigint
