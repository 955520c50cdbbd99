-- Rows whose ids the query `changed` returns. A row that does not match the source, or no longer exists, counts as
-- deleted.
({changed}) AS w (id) LEFT JOIN {source} ON {id} = w.id AND {where}
