import type { Figures } from '../figures.ts'
import { formatApps } from './apps.ts'
import { formatConnections } from './connections.ts'
import { formatConsole } from './console.ts'
import { formatDeadlines } from './deadlines.ts'
import { formatFlooder } from './flooder.ts'
import { formatGrowth } from './growth.ts'
import { formatIngest } from './ingest.ts'
import { formatNodes } from './nodes.ts'
import { formatNotifications } from './notifications.ts'
import { formatPress } from './press.ts'
import { formatSlowDisk } from './slow-disk.ts'
import { formatSoak } from './soak.ts'
import { formatStartUp } from './start-up.ts'
import { ms } from './text.ts'

/** Formats the figures for a terminal. */
export const formatReport = (figures: Figures): string =>
  [
    ...formatMachine(figures),
    ...formatted(figures.ingest, formatIngest),
    ...formatted(figures.press, formatPress),
    ...formatted(figures.deadlines, formatDeadlines),
    ...formatted(figures.flooder, formatFlooder),
    ...formatted(figures.slowDisk, formatSlowDisk),
    ...formatted(figures.notifications, formatNotifications),
    ...formatted(figures.connections, formatConnections),
    ...formatted(figures.startUp, formatStartUp),
    ...formatted(figures.console, formatConsole),
    ...formatted(figures.apps, formatApps),
    ...formatted(figures.nodes, formatNodes),
    ...formatted(figures.growth, formatGrowth),
    ...formatted(figures.soak, formatSoak),
    '',
  ].join('\n')

/** Nothing for what was not measured, or not known to the version that wrote the file. */
const formatted = <F>(figures: F | null | undefined, format: (figures: F) => string[]): string[] =>
  figures === null || figures === undefined ? [] : format(figures)

function formatMachine({ machine, quick, missing }: Figures): string[] {
  const { node, cores, loadAverage, syncMs } = machine
  return [
    '',
    `Node ${node}, ${cores} cores shared with the load generator, load average ${loadAverage.toFixed(2)} at the start.`,
    `To write 4 KiB and have them on disk takes ${ms(syncMs.p50)} (p50), ${ms(syncMs.p99)} (p99).`,
    ...(quick ? ['A quick run: too short for figures that mean much, and everything at the same time.'] : []),
    ...missing,
  ]
}
