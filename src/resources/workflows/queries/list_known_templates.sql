SELECT template_id AS id, alias FROM template WHERE account_id = $1::bigint
