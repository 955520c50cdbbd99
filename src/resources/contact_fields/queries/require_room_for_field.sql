SELECT require(count(*) < $2::bigint AND (NOT $4::boolean OR count(*) FILTER (WHERE indexed) < $3::bigint),
               'SB001', 'the limit was reached meanwhile')
  FROM contact_field
 WHERE account_id = $1::bigint
