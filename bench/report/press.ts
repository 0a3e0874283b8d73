import type { PressFigures } from '../measurements/press.ts'
import { aims } from '../plan.ts'
import { spreadCells, table, whole } from './text.ts'

export function formatPress({ idle, loaded }: PressFigures): string[] {
  const { wantedRate, reachedRate, withheld } = loaded
  return [
    '',
    `From the press to the \`processed\` event, ${idle.processedMs.count} presses each`,
    ...table([
      ['', 'p50', 'p99', 'max', ''],
      ['idle', ...spreadCells(idle.processedMs), `aim: p99 under ${aims.idlePressMs} ms`],
      ['  to the PUBACK', ...spreadCells(idle.acknowledgedMs), ''],
      ['under half the load', ...spreadCells(loaded.processedMs), `aim: p99 under ${aims.loadedPressMs} ms`],
      ['  to the PUBACK', ...spreadCells(loaded.acknowledgedMs), ''],
    ]),
    `  Half the load: ${whole(wantedRate)} telemetry messages/s wanted, ${whole(reachedRate)} acknowledged${withheld > 0 ? `, ${whole(withheld)} not sent in time` : ''}.`,
  ]
}
