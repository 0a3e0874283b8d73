import { columnsOf, fieldOf, keyAndRest, kindsOf, type TableName } from '../../shared/columns.ts'

/** Values for the named parameters of a statement. */
export type Row = { readonly [field: string]: string | number | null }

/** Inserts `toRow` of an object. */
export const insertSql = (table: TableName, columns = columnsOf(table)): string => {
  const values = columns.map((column) => `@${fieldOf(column)}`)
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`
}

/** Updates the row with the key of an object to `toRow` of it. */
export const updateSql = (table: TableName): string => {
  const [key, columns] = keyAndRest(table)
  const are = (column: string) => `${column} = @${fieldOf(column)}`
  return `UPDATE ${table} SET ${columns.map(are).join(', ')} WHERE ${key.map(are).join(' AND ')}`
}

/** An object of the core as a row of `table`: JSON as its text, booleans as 0 or 1. */
export const toRow = <T extends object>(table: TableName): ((object: T) => Row) =>
  converted<Row>(table, { json: JSON.stringify, boolean: Number })

/** A row of `selected(table)` as the object of the core. Joined columns stay as they are. */
export const fromRow = <T extends object>(table: TableName): ((row: object) => T) =>
  converted<T>(table, { json: (text) => JSON.parse(text as string), boolean: (bit) => bit === 1 })

type Conversions = { readonly [kind in 'json' | 'boolean']: (value: unknown) => unknown }

function converted<T extends object>(table: TableName, by: Conversions): (given: object) => T {
  const fields = kindsOf(table).flatMap(([column, kind]) =>
    kind === 'json' || kind === 'boolean' ? [[fieldOf(column), by[kind]] as const] : [],
  )
  return (given) => {
    const made: Record<string, unknown> = { ...given }
    for (const [field, convert] of fields) if (made[field] != null) made[field] = convert(made[field])
    return made as T
  }
}
