// Reads the named queries of a slice from its .sql files, as the service runs them.
import { readFileSync, readdirSync } from 'node:fs';

const folderOf = (slice) => new URL(`../src/resources/${slice}/queries/`, import.meta.url);

// Returns { name: sql } of a slice. A file with both orders of a list defines two queries (cmake/embed_queries.cmake).
export function queriesOf(slice) {
  const found = {};
  for (const file of readdirSync(folderOf(slice)).sort()) {
    const name = file.replace('.sql', '');
    const sql = readFileSync(new URL(file, folderOf(slice)), 'utf8');
    if (!sql.includes('-- order: [newest|oldest]')) {
      found[name] = sql;
      continue;
    }
    for (const [i, order] of ['newest', 'oldest'].entries())
      found[name.replace(/^list_/, `list_${order}_`)] = sql.replaceAll(
        /\[([^\]|]*)\|([^\]|]*)\]/g,
        (_, ...sides) => sides[i],
      );
  }
  return found;
}

// Fills in the column lists of a statement that writes a wide row (src/pg/row_table.h).
// `columns` are { name, type }; their parameters begin with `first`.
export function fillColumns(sql, columns, first) {
  const list = (write) => columns.map((column, i) => write(column, `$${first + i}`)).join(', ');
  const array = ({ type }) => type.endsWith('[]');
  const ofRow = (column) => `n.${column.name}${array(column) ? `::${column.type}` : ''}`;
  const lists = {
    columns: list(({ name }) => name),
    values: list(({ type }, value) => `${value}::${type}`),
    assignments: list(({ name, type }, value) => `${name} = ${value}::${type}`),
    arrays: list((column, value) => `${value}::${array(column) ? 'text' : column.type}[]`),
    'row values': list(ofRow),
    'row assignments': list((column) => `${column.name} = ${ofRow(column)}`),
  };
  return sql.replaceAll(/\{([a-z ]+)\}/g, (marker, name) => lists[name] ?? marker);
}
