-- Prevents formula injection: a cell that begins with a formula sign (also full-width), a tab or a line break gets a
-- leading apostrophe.
CASE WHEN ascii({cell}) IN (9, 10, 13, 43, 45, 61, 64, 65291, 65293, 65309, 65312) THEN '''' || ({cell}) ELSE {cell} END
