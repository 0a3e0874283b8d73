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

/** The columns of a table as objects of JSON have them: under their names in the core's types. */
export const givenColumns = (table: TableName): string =>
  kindsOf(table)
    .map(([column, kind]) => `"${fieldOf(column)}" ${types[kind]}`)
    .join(', ')

/** The objects of a list as rows of a table. */
const given = (table: TableName, list: string): string => `json_to_recordset(${list}) AS given (${givenColumns(table)})`

/** Inserts a list of objects as rows; the parameter `list` is `JSON.stringify(objects)`. */
export const insertFrom = (list: string, table: TableName, columns = columnsOf(table)): string => {
  const values = columns.map((column) => `given."${fieldOf(column)}"`)
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${given(table, list)}`
}

/** As `insertFrom`, in a statement whose only parameter is the list. */
export const insertSql = (table: TableName, columns = columnsOf(table)): string => insertFrom('$1', table, columns)

/** Updates the rows with the keys of a list of objects; the parameter is `JSON.stringify(objects)`. */
export const updateSql = (table: TableName): string => {
  const [key, columns] = keyAndRest(table)
  const are = (column: string) => `${column} = given."${fieldOf(column)}"`
  return `UPDATE ${table} SET ${columns.map(are).join(', ')} FROM ${given(table, '$1')}
    WHERE ${key.map((column) => `${table}.${are(column)}`).join(' AND ')}`
}
