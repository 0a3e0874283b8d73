import type { FlooderFigures } from '../measurements/flooder.ts'
import { aims } from '../plan.ts'
import { spreadCells, table, whole } from './text.ts'

export function formatFlooder({ connections, inFlight, quiet, telemetry, alerts }: FlooderFigures): string[] {
  return [
    '',
    `From the press to the \`processed\` event beside one user on ${connections} connections × ${inFlight} in flight, ${quiet.processedMs.count} presses each`,
    ...table([
      ['', 'flood/s', 'p50', 'p99', 'max', ''],
      ['nobody floods', '', ...spreadCells(quiet.processedMs), ''],
      [
        'telemetry',
        whole(telemetry.floodRate),
        ...spreadCells(telemetry.processedMs),
        `aim: p99 under ${aims.loadedPressMs} ms`,
      ],
      [
        'alerts',
        whole(alerts.floodRate),
        ...spreadCells(alerts.processedMs),
        `aim: p99 under ${aims.loadedPressMs} ms`,
      ],
    ]),
  ]
}
