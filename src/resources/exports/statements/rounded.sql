-- Rounds to the six fraction digits of decimals, half to even, as everywhere in the API.
CASE WHEN abs({number} * 1000000 - trunc({number} * 1000000)) = 0.5 AND mod(trunc({number} * 1000000), 2) = 0
     THEN trunc({number}, 6)
     ELSE round({number}, 6)
 END
