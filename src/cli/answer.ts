/**
 * A command's answer: the value for `--json` with its readable form, or why the command was refused, one line per
 * reason. `warnings` are in `json`, too: as text they go to stderr, one line each. `failed`: why the exit code is 1
 * although there is an answer.
 */
export type Answer =
  | {
      readonly json: unknown
      readonly text: string
      readonly warnings?: readonly string[]
      readonly failed?: string
    }
  | { readonly refused: string | readonly string[]; readonly json?: unknown }

/**
 * Text made safe for a terminal: names, texts and topics come from strangers, and terminals obey control characters.
 */
export const forTerminal = (value: string): string =>
  value
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .join(' / ')
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�')

/** A value as readable text: `-` for null, `on` and `off` for booleans. */
function inWords(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return forTerminal(typeof value === 'string' ? value : JSON.stringify(value))
}

/** A table with headings, or `none` if there are no rows. The first row determines the columns. */
export function table(rows: readonly Readonly<Record<string, unknown>>[], none: string): string {
  const [first] = rows
  if (first === undefined) return none
  const columns = Object.keys(first)
  const lines = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => columns.map((name) => inWords(row[name]))),
  ]
  // Not Math.max(...lengths), which overflows the stack at a hundred thousand dead letters.
  const widths = columns.map((_, at) => lines.reduce((widest, line) => Math.max(widest, line[at]!.length), 0))
  return lines.map((line) => padded(line, widths)).join('\n')
}

/** One record, one line per field. */
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

/** Options that every command accepts. */
export type CommonOptions = { readonly json?: boolean; readonly config?: string }

/** Makes a commander action of a function that answers without the store. */
export type Answering = <A extends unknown[]>(
  work: (options: CommonOptions, ...given: A) => Promise<Answer>,
) => (...given: A) => Promise<void>
