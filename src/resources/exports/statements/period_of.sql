date_trunc('{unit}', {at} AT TIME ZONE {zone})::date
