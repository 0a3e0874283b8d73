/** `auto`: text if stdout is a terminal, otherwise JSON. */
const logFormats = ['auto', 'json', 'text'] as const
export type LogFormat = (typeof logFormats)[number]

/** The fields of pino's output that are shown. */
type Line = Readonly<Record<string, unknown>> & {
  readonly level: string
  readonly time: string
  readonly msg?: string
  readonly err?: { readonly message?: string; readonly stack?: string }
}

const RESET = '\u001b[0m'
const colours: Readonly<Record<string, string>> = {
  time: '\u001b[2m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
}

/** The form of the lines: text for people at a terminal, JSON for programs. */
export const formOf = (format: LogFormat, isTerminal: boolean): 'json' | 'text' =>
  format === 'auto' ? (isTerminal ? 'text' : 'json') : format

/**
 * Formats a JSON line for people: `12:03:04 WARN what happened key=value …`, with any stack below it. `time` is in this
 * machine's time zone.
 */
export function readableLine(json: string, { coloured = false }: { readonly coloured?: boolean } = {}): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(json) as Line
  const paint = (name: string, text: string): string =>
    coloured && colours[name] !== undefined ? `${colours[name]}${text}${RESET}` : text
  const head = `${paint('time', clockOf(time))} ${paint(level, level.toUpperCase().padEnd(5))} ${plain(msg)}`
  const error = err === undefined ? [] : [`err=${valueText(err.message ?? err)}`]
  const rest = [...Object.entries(fields).flatMap(([key, value]) => flat(key, value)), ...error]
  const stack = err?.stack === undefined ? '' : `\n${stackOf(err.stack)}`
  return `${[head, ...rest].join('  ')}${stack}\n`
}

const clockOf = (time: string): string => new Date(time).toTimeString().slice(0, 8)

const flat = (key: string, value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([inner, of]) => flat(`${key}.${inner}`, of))
    : [`${plain(key)}=${valueText(value)}`]

/** The value, quoted if it could run into its neighbours. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return typeof value === 'string' && !/^\S+$/.test(value) ? plain(JSON.stringify(value)) : plain(text)
}

/** Control characters replaced: names and texts may come from strangers, and terminals obey control characters. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�')

const stackOf = (stack: string): string =>
  stack
    .split('\n')
    .slice(1)
    .map((line) => `    ${plain(line.trim())}`)
    .join('\n')
