(SELECT s::date AS period
   FROM generate_series(date_trunc('{unit}', {from} AT TIME ZONE {zone}),
                        ({to} AT TIME ZONE {zone}) - interval '1 microsecond', interval '1 {unit}') AS s) AS a
