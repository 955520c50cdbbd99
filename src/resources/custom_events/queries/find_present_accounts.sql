SELECT account_id, definitions_version FROM present_accounts($1::bigint[])
