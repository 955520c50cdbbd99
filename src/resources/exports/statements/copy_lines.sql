-- Each row as a line of JSON. JSON never contains the bytes 1 and 2: as quote and delimiter they make COPY quote
-- nothing.
/* exports.{name} */ COPY (SELECT row_to_json(r)::text FROM ({rows}) AS r)
  TO STDOUT WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
