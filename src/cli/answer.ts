/** What a command has to say: the value for `--json`, the same to read, or why it was not done. */
export type Answer =
  | { readonly json: unknown; readonly text: string }
  | { readonly refused: string; readonly json?: unknown }

// Names, texts and topics come from strangers, and a terminal obeys control characters.
const forTerminal = (value: string): string =>
  value.replace(/\s+/g, (space) => (/[\r\n]/.test(space) ? ' / ' : space)).replace(/\p{Cc}/gu, '�')

/** A value in words: nothing for null, on and off for yes and no. */
function inWords(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return forTerminal(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Rows under their headings, or `none` where there is no row. The columns are those of the first row. */
export function table(rows: readonly Readonly<Record<string, unknown>>[], none: string): string {
  const [first] = rows
  if (first === undefined) return none
  const columns = Object.keys(first)
  const lines = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => columns.map((name) => inWords(row[name]))),
  ]
  // Not Math.max(...lengths): that has no room for a hundred thousand dead letters.
  const widths = columns.map((_, at) => lines.reduce((widest, line) => Math.max(widest, line[at]!.length), 0))
  return lines.map((line) => padded(line, widths)).join('\n')
}

/** One thing, a line a field. */
export function record(fields: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => padded([name, inWords(value)], [width, 0]))
    .join('\n')
}

const padded = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, at) => cell.padEnd(widths[at]!))
    .join('  ')
    .trimEnd()
