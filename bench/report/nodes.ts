import type { NodesFigures } from '../measurements/nodes.ts'
import type { PressSpreads } from '../measurements/press.ts'
import { aims } from '../plan.ts'
import { known, micros, ms, table, whole } from './text.ts'

const ratio = (one: number, other: number): string => (one / other).toFixed(2)
const pressCells = ({ processedMs, acknowledgedMs }: PressSpreads): string[] =>
  [processedMs.p50, processedMs.p99, acknowledgedMs.p50, acknowledgedMs.p99].map(ms)

export function formatNodes(setUps: readonly NodesFigures[]): string[] {
  const [alone] = setUps
  if (alone === undefined) return []
  const near = setUps.find(({ name }) => name.startsWith('PostgreSQL'))
  const away = setUps.flatMap(({ distanceMs, ...others }) => (distanceMs === null ? [] : [{ distanceMs, ...others }]))
  return [
    '',
    `Several nodes: telemetry ingest, 50 connections × 20 in flight, median of ${alone.ingest.runs.length}`,
    ...table([
      ['', 'PUBACK/s', '/ SQLite', 'CPU/message: nodes', 'PostgreSQL', 'both / SQLite'],
      ...setUps.map(({ name, ingest, serviceMicros, databaseMicros }) => [
        name,
        whole(ingest.median),
        ratio(ingest.median, alone.ingest.median),
        known(serviceMicros?.median, micros),
        known(databaseMicros?.median, micros),
        serviceMicros === null || alone.serviceMicros === null
          ? ''
          : ratio(serviceMicros.median + (databaseMicros?.median ?? 0), alone.serviceMicros.median),
      ]),
    ]),
    `  Aim: one node on PostgreSQL at least ${aims.nodesIngestRatio} of SQLite's rate.`,
    '',
    `From the press to the \`processed\` event, ${alone.idle.processedMs.count} presses each, and to the PUBACK, which follows the commit`,
    ...table([
      ['', 'idle p50', 'p99', 'PUBACK p50', 'p99', 'half load p50', 'p99', 'PUBACK p50', 'p99', 'telemetry/s'],
      ...setUps.map(({ name, idle, loaded }) => [
        name,
        ...pressCells(idle),
        ...pressCells(loaded),
        whole(loaded.reachedRate),
      ]),
    ]),
    `  Aim: p99 under ${aims.nodesPressMs} ms idle beside the database. Half the load: of what each set-up took above.`,
    ...(away.length === 0 || near === undefined ? [] : formatDistances(near, away)),
  ]
}

function formatDistances(
  near: NodesFigures,
  away: readonly (NodesFigures & { readonly distanceMs: number })[],
): string[] {
  return [
    '',
    'How the PUBACK of a press follows the round trip to the database: p50, idle',
    ...table([
      ['', 'round trip in fact', 'PUBACK', 'more than near', 'in round trips', 'round trips a transaction'],
      ...away.map(({ name, distanceMs, idle, roundTrips }) => {
        const more = idle.acknowledgedMs.p50 - near.idle.acknowledgedMs.p50
        return [
          name,
          ms(distanceMs),
          ms(idle.acknowledgedMs.p50),
          ms(more),
          ratio(more, distanceMs),
          known(roundTrips, (count) => count.toFixed(2)),
        ]
      }),
    ]),
    `  Aim: no more than ${aims.nodesRoundTrips} round trips a transaction.`,
  ]
}
