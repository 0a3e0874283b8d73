import type { ConnectionFigures } from '../measurements/connections.ts'
import { aims } from '../plan.ts'
import { spreadCells, table, whole } from './text.ts'

export function formatConnections(figures: ConnectionFigures): string[] {
  const { wanted, tooFew, opened, failures, seconds, standing, bytesEach, whileOpeningMs, whileIdleMs } = figures
  const failed = Object.entries(failures).map(([reason, count]) => `${whole(count)} failed: ${reason}`)
  return [
    '',
    ...(tooFew === null ? [] : [tooFew]),
    `${whole(opened)} of ${whole(wanted)} connections over TLS in ${seconds.toFixed(1)} s (aim: ${aims.connectSeconds} s); ${whole(standing)} stood in the end${failed.map((line) => `; ${line}`).join('')}`,
    ...(bytesEach === null
      ? []
      : [`Memory of the service: ${(bytesEach / 1024).toFixed(1)} KB each (aim: under ${aims.connectionKb} KB)`]),
    'From the press to the `processed` event, over TLS',
    ...table([
      ['', 'presses', 'p50', 'p99', 'max', ''],
      ['while they connect', whole(whileOpeningMs.count), ...spreadCells(whileOpeningMs), ''],
      [
        'when they are connected',
        whole(whileIdleMs.count),
        ...spreadCells(whileIdleMs),
        `aim: p99 under ${aims.crowdedPressMs} ms`,
      ],
    ]),
  ]
}
