import type { ConsoleFigures } from '../measurements/console.ts'
import { aims } from '../plan.ts'
import type { Repeated } from '../statistics.ts'
import { ms, spreadCells, table, whole } from './text.ts'
import { threadText } from './threads.ts'

const ratio = ({ median, runs }: Repeated): string =>
  `${median.toFixed(2)} (${Math.min(...runs).toFixed(2)} to ${Math.max(...runs).toFixed(2)})`

export function formatConsole(figures: ConsoleFigures): string[] {
  const { openIncidents, consoles, pages, alone, besideConsoles, besidePages, slowdown } = figures
  const { heardMs, visibleMs, caseMs, reload, flood } = figures
  const statuses = Object.entries(flood.statuses).map(([status, count]) => `${whole(count)} × ${status}`)
  const rounds = [
    ['nobody looks', alone, ''],
    [`${consoles} consoles`, besideConsoles, `${ratio(slowdown.consoles)}, aim: ${aims.consoleSlowdown}`],
    [`${pages} live tracking pages`, besidePages, ratio(slowdown.pages)],
  ] as const
  return [
    '',
    `From the press to the \`processed\` event with ${whole(openIncidents)} open incidents, ${alone.processedMs.count} presses each`,
    ...table([
      ['', 'p50', 'p99', 'max', 'p99 of a round', 'to that with nobody'],
      ...rounds.map(([name, { processedMs, roundMs }, against]) => [
        name,
        ...spreadCells(processedMs),
        ms(roundMs.median),
        against,
      ]),
      [
        'all consoles read the board at once',
        ...spreadCells(reload.processedMs),
        '',
        `each has it after ${ms(reload.boardMs.p50)} (p50), ${ms(reload.boardMs.max)} (max)`,
      ],
      [
        'a flood of the operator API',
        ...spreadCells(flood.processedMs),
        '',
        `${whole(flood.floodRate)} requests/s: ${statuses.join(', ')}`,
      ],
      ['  to the PUBACK', ...spreadCells(flood.acknowledgedMs), '', `aim: p99 under ${aims.floodedPressMs} ms`],
    ]),
    'From the PUBACK of a press',
    ...table([
      ['', 'p50', 'p99', 'max', ''],
      [`until a console has its event, ${whole(heardMs.count)} events`, ...spreadCells(heardMs), ''],
      ...(visibleMs === null
        ? []
        : [['until Chromium shows its row', ...spreadCells(visibleMs), `aim: p99 under ${aims.consoleVisibleMs} ms`]]),
    ]),
    ...(visibleMs === null ? ['Chromium is not installed on this machine, so no board was looked at.'] : []),
    `A case that a console reads again: ${ms(caseMs.p50)} (p50), ${ms(caseMs.p99)} (p99), ${whole(caseMs.count)} of them.`,
    'Processor time a press, everything else that went on meanwhile included',
    ...rounds.map(([name, { threadMicros }]) => `  ${name}: ${threadText(threadMicros)}`),
  ]
}
