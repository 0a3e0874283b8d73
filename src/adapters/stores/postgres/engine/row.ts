import { columnsOf, fieldOf, kindsOf, type TableName } from '../../shared/columns.ts'

/** A statement for `toRow` of an object. */
export const insertSql = (table: TableName): string => {
  const columns = columnsOf(table)
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, place) => `$${place + 1}`).join(', ')})`
}

/** An object of the core as the values of a row of `table`: JSON as its text. */
export function toRow<T extends object>(table: TableName): (object: T) => readonly unknown[] {
  const columns = kindsOf(table).map(([column, kind]) => [fieldOf(column), kind] as const)
  return (object) =>
    columns.map(([field, kind]) => {
      const value: unknown = Reflect.get(object, field)
      return kind === 'json' && value !== null ? JSON.stringify(value) : value
    })
}
