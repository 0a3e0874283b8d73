import type { Change, Comparison, Figure } from '../compare.ts'
import type { Figures } from '../figures.ts'
import { table } from './text.ts'

const HEAD = ['figure', 'before', 'now', 'now / before', '']

/** Where the figures are not from the same machine, the ratios say little. */
function differences(before: Figures, now: Figures): string[] {
  const of = ({ machine, quick }: Figures) => [
    `Node ${machine.node}`,
    `${machine.cores} cores`,
    quick ? 'a quick run' : 'a full run',
  ]
  const [was, is] = [of(before), of(now)]
  return was.flatMap((text, n) => (text === is[n] ? [] : [`Not alike: ${text} before, ${is[n]} now.`]))
}

/** What has changed since an earlier run, for a terminal. */
export function formatComparison(file: string, before: Figures, now: Figures, comparison: Comparison): string {
  const { changes, onlyBefore, onlyNow } = comparison
  return [
    '',
    `Compared with ${file}: \`better\` and \`worse\` are beyond the spread of both; the others are within it, or have none.`,
    ...differences(before, now),
    ...(onlyBefore.length > 0 ? [`Only measured before: ${onlyBefore.join(', ')}.`] : []),
    ...(onlyNow.length > 0 ? [`Only measured now: ${onlyNow.join(', ')}.`] : []),
    ...(changes.length > 0 ? table([HEAD, ...changes.map(cellsOf)]) : []),
    '',
  ].join('\n')
}

const cellsOf = ({ name, before, now, ratio, verdict }: Change): string[] => [
  name,
  figureText(before),
  figureText(now),
  ratio === null ? '' : ratio.toFixed(2),
  verdict === 'same' ? '' : verdict,
]

/** Three digits or all before the point, with the spread. */
function figureText(figure: Figure | null): string {
  if (figure === null) return ''
  const { value, range } = figure
  return range === null ? digits(value) : `${digits(value)} (${digits(range[0])}–${digits(range[1])})`
}

const digits = (value: number): string =>
  value.toLocaleString('en', Math.abs(value) >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })
