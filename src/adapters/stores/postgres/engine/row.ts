import { columnsOf, fieldOf, keyAndRest, kindsOf, type TableName } from '../../shared/columns.ts'
import type { ColumnKind } from '../../shared/site-tables.ts'

const types = {
  integer: 'bigint',
  real: 'double precision',
  text: 'text COLLATE "C"',
  boolean: 'boolean',
  json: 'json',
  bytes: 'bytea',
} as const satisfies Record<ColumnKind, string>

/** The objects of the list $1 as rows of a table, with the columns under their names in the core's types. */
const given = (table: TableName): string => {
  const columns = kindsOf(table).map(([column, kind]) => `"${fieldOf(column)}" ${types[kind]}`)
  return `json_to_recordset($1) AS given (${columns.join(', ')})`
}

/** Inserts a list of objects as rows; the parameter is `JSON.stringify(objects)`. */
export const insertSql = (table: TableName, columns = columnsOf(table)): string => {
  const values = columns.map((column) => `given."${fieldOf(column)}"`)
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${given(table)}`
}

/** Updates the rows with the keys of a list of objects; the parameter is `JSON.stringify(objects)`. */
export const updateSql = (table: TableName): string => {
  const [key, columns] = keyAndRest(table)
  const are = (column: string) => `${column} = given."${fieldOf(column)}"`
  return `UPDATE ${table} SET ${columns.map(are).join(', ')} FROM ${given(table)}
    WHERE ${key.map((column) => `${table}.${are(column)}`).join(' AND ')}`
}
