-- Restarts an ended delivery. Makes a pending one due now, without a guard: it may have become due meanwhile.
SELECT require(send_again($1::bigint, $2::uuid, ARRAY[$3::bigint]) = 1 OR NOT $4::boolean, 'SB001',
               'it is sent again already')
