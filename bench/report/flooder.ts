import type { FlooderFigures } from '../measurements/flooder.ts'
import { spreadCells, table, whole } from './text.ts'

export function formatFlooder({ connections, inFlight, quiet, telemetry, alerts }: FlooderFigures): string[] {
  return [
    '',
    `From the press to the \`processed\` event beside one user on ${connections} connections × ${inFlight} in flight, ${quiet.processedMs.count} presses each`,
    ...table([
      ['the flood', 'PUBACK/s', 'p50', 'p99', 'max', ''],
      ['none', '', ...spreadCells(quiet.processedMs), ''],
      ['telemetry', whole(telemetry.floodRate), ...spreadCells(telemetry.processedMs), ''],
      ['alerts', whole(alerts.floodRate), ...spreadCells(alerts.processedMs), ''],
    ]),
  ]
}
