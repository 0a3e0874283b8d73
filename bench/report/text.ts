import type { Spread } from '../statistics.ts'

const MB = 1024 * 1024

export const whole = (value: number): string => Math.round(value).toLocaleString('en')
export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`
export const micros = (value: number): string => `${value.toFixed(1)} µs`
export const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`
export const percent = (share: number): string => `${Math.round(share * 100)} %`

/** A figure that the system may not report: nothing, then. */
export const known = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '' : format(value)

export const spreadCells = ({ p50, p99, max }: Spread): string[] => [ms(p50), ms(p99), ms(max)]

/** Pads columns to their width: the first and the last left-aligned, figures right-aligned. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const last = rows[0]!.length - 1
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === 0 || column === last ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
    )
    return `  ${cells.join('   ')}`.trimEnd()
  })
}
