-- {columns} and {values} are filled in from contact_columns.cc.
INSERT INTO contact (account_id, contact_id, version, {columns})
VALUES ($1::bigint, $2::uuid, $3::bigint + 1, {values})
