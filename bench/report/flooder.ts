import type { FlooderFigures } from '../measurements/flooder.ts'
import { spreadCells, table, whole } from './text.ts'

/** What floods, by the name of its figures. A file of an earlier run may not have all of them. */
const floods = {
  telemetry: 'telemetry, PUBACKs',
  alerts: 'alerts, PUBACKs',
  requests: 'alerts over REST, answers',
  unreadable: 'bodies without an end over REST, answers',
  newConnections: 'new connections',
  handshakes: 'new TLS connections',
} as const

export function formatFlooder(figures: Partial<FlooderFigures> & Pick<FlooderFigures, 'quiet'>): string[] {
  const { connections, inFlight, requestConnections, quiet } = figures
  const overRest = requestConnections === undefined ? '' : `, over REST on ${requestConnections}`
  return [
    '',
    `From the press to the \`processed\` event beside one user on ${connections} connections × ${inFlight} in flight${overRest}, ${quiet.processedMs.count} presses each`,
    ...table([
      ['the flood', 'a second', 'p50', 'p99', 'max', ''],
      ['none', '', ...spreadCells(quiet.processedMs), ''],
      ...Object.entries(floods).flatMap(([name, what]) => {
        const beside = figures[name as keyof typeof floods]
        return beside === undefined ? [] : [[what, whole(beside.floodRate), ...spreadCells(beside.processedMs), '']]
      }),
    ]),
  ]
}
