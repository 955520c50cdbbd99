SELECT set_config('shopbell.account', $1::bigint::text, true)
