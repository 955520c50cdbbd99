to_char({at}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
