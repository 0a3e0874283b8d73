import type { Line } from './line.ts'
import type { Finding } from './stage.ts'

/** `ok`; `note`: it works, and could do better; `FAIL`: it may lose or invent an alarm. */
export type Verdict = 'ok' | 'note' | 'FAIL'
export type Result = {
  readonly name: string
  readonly title: string
  readonly should: string
  readonly did: string
  readonly findings: readonly Finding[]
}

export const verdictOf = ({ findings }: Pick<Result, 'findings'>): Verdict =>
  findings.some(({ level }) => level === 'must') ? 'FAIL' : findings.length > 0 ? 'note' : 'ok'

const MAX_SENT = 6
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** What the client sent, as it was seen on its way. Times count from the press. */
export function didOf(lines: readonly Line[]): string {
  return lines.map((line, n) => (lines.length > 1 ? `phone ${n + 1}: ` : '') + onePhone(line)).join('; ')
}

function onePhone({ sent, acknowledged, unauthorized }: Line): string {
  const shown = sent.slice(0, MAX_SENT).map(({ at, way, kind, outcome }) => `${seconds(at)} ${kind} ${way}: ${outcome}`)
  const more = sent.length > MAX_SENT ? [`${sent.length - MAX_SENT} more`] : []
  const refused = unauthorized > 0 ? [`${unauthorized} × refused`] : []
  const told = acknowledged[0] === undefined ? [] : [`acknowledged at ${seconds(acknowledged[0])}`]
  const all = [...refused, ...shown, ...more, ...told]
  return all.length === 0 ? 'sent nothing' : all.join(', ')
}

const said = ({ did, findings }: Result): string =>
  [did, ...findings.map(({ level, text }) => `${level === 'must' ? 'FAIL' : 'note'}: ${text}`)].join('. ')

/** A table for a page. */
export function markdown(results: readonly Result[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/[\r\n]+/g, ' ')
  const rows = results.map(
    (result) => `| ${[result.title, result.should, said(result)].map(cell).join(' | ')} | ${verdictOf(result)} |`,
  )
  return ['| situation | it should | it did | |', '|---|---|---|---|', ...rows].join('\n')
}

const COLUMNS = [26, 38, 44] as const

/** The same for a terminal. */
export function terminal(results: readonly Result[]): string {
  const line = COLUMNS.map((width) => '─'.repeat(width)).join('─┼─')
  const rows = results.flatMap((result) => [
    `${'─'.repeat(5)}┼─${line}`,
    ...inColumns(verdictOf(result), [result.title, result.should, said(result)]),
  ])
  return [...inColumns('', ['situation', 'it should', 'it did']), ...rows].join('\n')
}

function inColumns(verdict: string, texts: readonly string[]): readonly string[] {
  const columns = texts.map((text, n) => wrapped(text, COLUMNS[n]!))
  const height = Math.max(...columns.map(({ length }) => length))
  return Array.from({ length: height }, (_, row) => {
    const cells = columns.map((column, n) => (column[row] ?? '').padEnd(COLUMNS[n]!))
    return `${(row === 0 ? verdict : '').padEnd(5)}│ ${cells.join(' │ ')}`.trimEnd()
  })
}

function wrapped(text: string, width: number): readonly string[] {
  const lines = ['']
  for (const word of text.split(' ').flatMap((long) => long.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [''])) {
    const last = lines.at(-1)!
    if (last === '') lines[lines.length - 1] = word
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
