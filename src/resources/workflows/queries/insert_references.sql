INSERT INTO workflow_reference (account_id, workflow_id, version, number, field_id, event_type_id, template_id,
                                coupon_set_id)
SELECT $1::bigint, $2::uuid, $3::integer, row_number() OVER (), named.field, named.event_type, named.template, named.coupon_set
  FROM (SELECT unnest($4::text[]) AS field, NULL::uuid AS event_type, NULL::uuid AS template, NULL::uuid AS coupon_set
        UNION ALL
        SELECT NULL, unnest($5::uuid[]), NULL, NULL
        UNION ALL
        SELECT NULL, NULL, unnest($6::uuid[]), NULL
        UNION ALL
        SELECT NULL, NULL, NULL, unnest($7::uuid[])) AS named
