import { type ColumnKind, siteTables } from './site-tables.ts'

export type TableName = (typeof siteTables)[number]['name']

const tables = new Map(siteTables.map((table) => [table.name, table]))

/** A column under its name in the core's types: `user_id` as `userId`. */
export const fieldOf = (column: string): string => column.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase())

/** The columns of a table with their kinds, under their own names. */
export const kindsOf = (table: TableName): readonly (readonly [column: string, kind: ColumnKind])[] =>
  Object.entries(tables.get(table)!.columns)

export const columnsOf = (table: TableName): readonly string[] => kindsOf(table).map(([column]) => column)

/** The columns of a table's key, and the others. */
export function keyAndRest(table: TableName): readonly [key: readonly string[], others: readonly string[]] {
  const columns = columnsOf(table)
  const { key } = tables.get(table)!
  return [columns.slice(0, key), columns.slice(key)]
}

/** Behind an insert: the row replaces the one with its key. */
export const replacing = (table: TableName): string => {
  const [key, others] = keyAndRest(table)
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`
}

/** The columns but those that the database itself fills in. */
export const columnsBut = (table: TableName, ...left: readonly string[]): readonly string[] =>
  columnsOf(table).filter((column) => !left.includes(column))

/**
 * The select list of a table for a type of the core, in both databases; every column or the given ones: `timers.user_id
 * AS "userId", …`.
 */
export const selected = (table: TableName, columns = columnsOf(table)): string =>
  columns.map((column) => `${table}.${column} AS "${fieldOf(column)}"`).join(', ')
