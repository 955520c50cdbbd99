-- One that has ended begins anew; one that is on its way is only sent sooner, which it may have been by itself.
SELECT require(send_again($1::bigint, $2::uuid, ARRAY[$3::bigint]) = 1 OR NOT $4::boolean, 'SB001',
               'it is sent again already')
