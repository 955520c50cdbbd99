SELECT {columns}
  FROM {from}
 WHERE {where}
 ORDER BY {order}
