-- Restarts an ended delivery. A pending one is only made due now, without a guard: it may have become due by itself.
SELECT require(send_again($1::bigint, $2::uuid, ARRAY[$3::bigint]) = 1 OR NOT $4::boolean, 'SB001',
               'it is sent again already')
