import type { SlowDiskFigures } from '../measurements/slow-disk.ts'
import { known, micros, spreadCells, table, whole } from './text.ts'

export const formatSlowDisk = (levels: readonly SlowDiskFigures[]): string[] => [
  '',
  `On a slow disk: from the press to the \`processed\` event, ${levels[0]!.press.processedMs.count} presses each; and telemetry ingest, median of ${levels[0]!.ingest.runs.length}`,
  ...table([
    ['each fsync takes', 'p50', 'p99', 'max', 'PUBACK/s', 'CPU/message'],
    ...levels.map(({ delayMs, press, ingest, cpuMicros }) => [
      delayMs === 0 ? 'as long as here' : `${delayMs} ms longer`,
      ...spreadCells(press.processedMs),
      whole(ingest.median),
      known(cpuMicros?.median, micros),
    ]),
  ]),
]
