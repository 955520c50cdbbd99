SELECT DISTINCT e.subject FROM event e WHERE e.kind LIKE 'product.%' AND {changed}
