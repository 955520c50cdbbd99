SELECT rehash_key($1::bytea, $2::bytea, $3::integer)
