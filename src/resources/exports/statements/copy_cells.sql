/* exports.{name} */ COPY ({rows}) TO STDOUT WITH (FORMAT csv, HEADER, DELIMITER {delimiter})
