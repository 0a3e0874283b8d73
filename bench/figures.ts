import { readFileSync } from 'node:fs'
import type { Machine } from './machine.ts'
import type { AppFigures } from './measurements/apps.ts'
import type { ConnectionFigures } from './measurements/connections.ts'
import type { ConsoleFigures } from './measurements/console.ts'
import type { DeadlineFigures } from './measurements/deadlines.ts'
import type { FlooderFigures } from './measurements/flooder.ts'
import type { GrowthFigures } from './measurements/growth.ts'
import type { IngestFigures } from './measurements/ingest.ts'
import type { NodesFigures } from './measurements/nodes.ts'
import type { NotificationFigures } from './measurements/notifications.ts'
import type { PressFigures } from './measurements/press.ts'
import type { SlowDiskFigures } from './measurements/slow-disk.ts'
import type { SoakFigures } from './measurements/soak.ts'
import type { StartUpFigures } from './measurements/start-up.ts'
import type { aims } from './plan.ts'

/** All measurements of one run; null: not requested. */
export type Figures = {
  readonly machine: Machine
  readonly quick: boolean
  /** What this machine lacks, and what is therefore not measured: sentences for the report. */
  readonly missing: readonly string[]
  readonly aims: typeof aims
  readonly ingest: readonly IngestFigures[] | null
  readonly press: PressFigures | null
  readonly deadlines: DeadlineFigures | null
  readonly flooder: FlooderFigures | null
  readonly slowDisk: readonly SlowDiskFigures[] | null
  readonly notifications: readonly NotificationFigures[] | null
  readonly connections: ConnectionFigures | null
  readonly startUp: StartUpFigures | null
  readonly console: ConsoleFigures | null
  readonly apps: AppFigures | null
  readonly nodes: readonly NodesFigures[] | null
  readonly growth: readonly GrowthFigures[] | null
  readonly soak: SoakFigures | null
}

/** Thrown for a file that holds no figures; the message is for the operator. */
export class BadFile extends Error {}

/** The figures in a file that an earlier run with `--json` wrote. An older version's lack what it did not measure. */
export function readFigures(file: string, read = (path: string) => readFileSync(path, 'utf8')): Figures {
  const bad = (what: string) => new BadFile(`${file}: ${what}; write it with npm run -s bench -- --json > FILE`)
  let figures: unknown
  try {
    figures = JSON.parse(read(file))
  } catch (error) {
    throw bad((error as Error).message)
  }
  if (typeof figures !== 'object' || figures === null || !('machine' in figures) || !('aims' in figures)) {
    throw bad('JSON, but not the figures of a benchmark')
  }
  return figures as Figures
}
