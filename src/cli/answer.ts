/** What a command has to say: the value for `--json`, the same to read, or why it was not done: one line a reason. */
export type Answer =
  | { readonly json: unknown; readonly text: string }
  | { readonly refused: string | readonly string[]; readonly json?: unknown }

/**
 * A text as a terminal may have it: names, texts and topics come from strangers, and a terminal
 * obeys control characters.
 */
export const forTerminal = (value: string): string =>
  value
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .join(' / ')
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�')

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

/** The options that every command takes. */
export type CommonOptions = { readonly json?: boolean; readonly config?: string }

/** Makes a commander action of something that answers without the store. */
export type Answering = (work: (options: CommonOptions) => Promise<Answer>) => (...given: unknown[]) => Promise<void>
