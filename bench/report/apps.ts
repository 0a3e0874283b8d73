import type { AppFigures } from '../measurements/apps.ts'
import { known, micros, ms, spreadCells, table, whole } from './text.ts'

const DAY_SECONDS = 86_400

export function formatApps(figures: AppFigures): string[] {
  const { installed, opening, standingMicros, peakPerSecond, alone, beside, slowdown } = figures
  const { requests, connections, bytesReceived, bytesSent, commits, openMs, threadMicros } = opening
  const perSecond = installed / DAY_SECONDS
  const threads = Object.entries(threadMicros ?? {}).filter(([, each]) => each >= 1)
  const allMicros = threads.reduce((sum, [, each]) => sum + each, 0)
  const coreShare = (rate: number): string => `${((allMicros * rate) / 10_000).toFixed(2)} % of a core`
  return [
    '',
    `One opening of an installed app over TLS, the mean of ${whole(openMs.count)}`,
    `  ${requests.toFixed(1)} requests on ${connections.toFixed(1)} connections, ${whole(bytesReceived)} bytes received and ${whole(bytesSent)} sent, ${commits.toFixed(2)} commits`,
    `  all answered after ${ms(openMs.p50)} (p50), ${ms(openMs.p99)} (p99)`,
    ...(threads.length === 0
      ? []
      : [
          `  processor time ${micros(allMicros)}: ${threads.map(([name, each]) => `${name} ${micros(each)}`).join(', ')}`,
          `  ${whole(installed)} once a day, ${perSecond.toFixed(2)} a second: ${coreShare(perSecond)}; at the peak, ${peakPerSecond.toFixed(1)} a second: ${coreShare(peakPerSecond)}`,
        ]),
    ...known(standingMicros, (value) => `  left open: ${micros(value)} a minute each`)
      .split('\n')
      .filter(Boolean),
    `From the press to the \`processed\` event, ${alone.processedMs.count} presses each, the middle round`,
    ...table([
      ['', 'p50', 'p99', 'max', ''],
      ['no app is opened', ...spreadCells(alone.processedMs), ''],
      [
        'beside the peak',
        ...spreadCells(beside.processedMs),
        `p99 to that alone ${slowdown.median.toFixed(2)} (${Math.min(...slowdown.runs).toFixed(2)} to ${Math.max(...slowdown.runs).toFixed(2)})`,
      ],
    ]),
    `  Opened beside the presses: ${whole(beside.openMs.count)}, all answered after ${ms(beside.openMs.p50)} (p50), ${ms(beside.openMs.p99)} (p99)`,
  ]
}
