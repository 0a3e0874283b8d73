import type { Row } from './row.ts'

const HEAD = [
  'part',
  'what was done',
  'acknowledged',
  'unanswered',
  'lost',
  'late',
  'doubled',
  "B's SOS before",
  'p50',
  'max',
  'memory',
  'descriptors',
  '',
] as const

const count = (value: number | null): string => (value === null ? '' : value.toLocaleString('en'))
const ms = (value: number | null | undefined): string =>
  value === undefined || value === null
    ? ''
    : value < 1000
      ? `${value.toFixed(value < 10 ? 1 : 0)} ms`
      : `${(value / 1000).toFixed(1)} s`
const megabytes = (value: number | null): string => (value === null ? '' : `${count(value)} MB`)

const cellsOf = (row: Row): readonly string[] => [
  row.part,
  row.what,
  count(row.acknowledged),
  count(row.unanswered),
  count(row.lost),
  count(row.late),
  count(row.doubled),
  ms(row.sos?.quietP50Ms),
  ms(row.sos?.p50Ms),
  ms(row.sos?.maxMs),
  megabytes(row.rssMaxMb),
  count(row.descriptorsMax),
  row.skipped === null
    ? [row.remark, ...notHeld(row)].filter((text) => text !== '').join('; ')
    : `NOT RUN: ${row.skipped}`,
]

const notHeld = ({ faults, slow }: Row): readonly string[] => [
  ...faults.map((claim) => `FAILED: ${claim}`),
  ...slow.map((claim) => `TOO SLOW: ${claim}`),
]

/** The table for a terminal. */
export function asText(rows: readonly Row[]): string {
  const lines: (readonly string[])[] = [HEAD, ...rows.map(cellsOf)]
  const widths = HEAD.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  const aligned = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column < 2 || column === HEAD.length - 1 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd()
  return `${lines.map(aligned).join('\n')}\n`
}

const lineOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

/** The table in the form of docs/reliability.md. */
export function asMarkdown(rows: readonly Row[]): string {
  const rule = HEAD.map((_, column) => (column < 2 || column === HEAD.length - 1 ? '---' : '---:'))
  return `${[lineOf(HEAD), lineOf(rule), ...rows.map((row) => lineOf(cellsOf(row)))].join('\n')}\n`
}

const COMPARED = ['lost', 'unanswered', "B's SOS before", 'p50', 'max', 'memory', 'descriptors'] as const

/** The changes since an earlier run, in Markdown. Rows that the earlier run lacks show only the current values. */
export function compared(rows: readonly Row[], before: readonly Row[]): string {
  const head = ['part', 'what was done', ...COMPARED]
  const lines = rows.map((row) => {
    const cells = cellsOf(row)
    const ofPart = before.filter((one) => one.part === row.part)
    const earlier = ofPart.find((one) => one.what === row.what) ?? (ofPart.length === 1 ? ofPart[0]! : null)
    const was = earlier === null ? null : cellsOf(earlier)
    const changes = COMPARED.map((name) => {
      const column = HEAD.indexOf(name)
      return was === null || was[column] === '' ? cells[column]! : `${was[column]} → ${cells[column]}`
    })
    return lineOf([row.part, row.what, ...changes])
  })
  return `${[lineOf(head), lineOf(head.map(() => '---')), ...lines].join('\n')}\n`
}
