import type { Machine } from './machine.ts'
import type { ConnectionFigures } from './measurements/connections.ts'
import type { DeadlineFigures } from './measurements/deadlines.ts'
import type { IngestFigures, Rate } from './measurements/ingest.ts'
import type { NotificationFigures } from './measurements/notifications.ts'
import type { PressFigures } from './measurements/press.ts'
import { aims } from './plan.ts'
import type { Spread } from './statistics.ts'

/** All measurements of one run; null: not requested. */
export type Figures = {
  readonly machine: Machine
  readonly quick: boolean
  readonly missing: readonly string[]
  readonly aims: typeof aims
  readonly ingest: readonly IngestFigures[] | null
  readonly press: PressFigures | null
  readonly deadlines: DeadlineFigures | null
  readonly notifications: readonly NotificationFigures[] | null
  readonly connections: ConnectionFigures | null
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`
const percent = (share: number): string => `${Math.round(share * 100)} %`

/** Formats the figures for a terminal. */
export function formatReport(figures: Figures): string {
  const { ingest, press, deadlines, notifications, connections } = figures
  return [
    ...formatMachine(figures),
    ...(ingest === null ? [] : formatIngest(ingest)),
    ...(press === null ? [] : formatPress(press)),
    ...(deadlines === null ? [] : formatDeadlines(deadlines)),
    ...(notifications === null ? [] : formatNotifications(notifications)),
    ...(connections === null ? [] : formatConnections(connections)),
    '',
  ].join('\n')
}

function formatMachine({ machine, quick, missing }: Figures): string[] {
  const { node, cores, loadAverage, syncMs } = machine
  return [
    '',
    `Node ${node}, ${cores} cores shared with the load generator, load average ${loadAverage.toFixed(2)} at the start.`,
    `To write 4 KiB and have them on disk takes ${ms(syncMs.p50)} (p50), ${ms(syncMs.p99)} (p99).`,
    ...(quick ? ['A quick run: too short for figures that mean much.'] : []),
    ...missing.map((name) => `${name} is not installed on this machine, so it is not compared.`),
  ]
}

function formatIngest(ingest: readonly IngestFigures[]): string[] {
  return ingest.flatMap(({ connections, inFlight, rates, ratios }) => [
    '',
    `Telemetry ingest, QoS 1, MQTT 3.1.1: ${connections} connections × ${inFlight} in flight, median of ${rates[0]!.runs.length} runs`,
    ...table([['', 'PUBACK/s', 'lowest', 'highest', 'CPU/message', 'generator', 'others', ''], ...rates.map(rateLine)]),
    ...Object.entries(ratios).map(
      ([peer, ratio]) => `  Tocsin / ${peer}: ${ratio.toFixed(2)} (aim: at least ${aims.ingestRatio})`,
    ),
  ])
}

const rateLine = ({ name, note, runs, median, cpuMicros, generatorLoad, othersLoad }: Rate): string[] => [
  name,
  whole(median),
  whole(Math.min(...runs)),
  whole(Math.max(...runs)),
  cpuMicros === null ? '' : `${cpuMicros.toFixed(1)} µs`,
  percent(generatorLoad),
  othersLoad === null ? '' : percent(othersLoad),
  note,
]

function formatPress({ idle, loaded }: PressFigures): string[] {
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

function formatDeadlines({ incidents, graceSeconds, openedWithinMs, latenessMs }: DeadlineFigures): string[] {
  return [
    '',
    `How late notifications leave: ${whole(incidents)} incidents opened within ${whole(openedWithinMs)} ms, each due ${graceSeconds} s later`,
    ...table([
      ['', 'p50', 'p99', 'max', ''],
      ['after dueAt', ...spreadCells(latenessMs), `aim: p99 within ${aims.latenessMs} ms`],
    ]),
  ]
}

function formatNotifications(runs: readonly NotificationFigures[]): string[] {
  const [first] = runs
  return [
    '',
    `How late each incident's first SMS comes to a provider that takes ${first!.answerMs} ms for one, ${whole(first!.incidents)} incidents with three contacts`,
    ...table([
      ['account', 'opened within', 'first SMS', 'p50', 'p99', 'max', 'mean queue wait', 'still waiting'],
      ...runs.map(({ name, openedWithinMs, begun, latenessMs, waiting, queueWaitMs }) => [
        name,
        ms(openedWithinMs),
        whole(begun),
        ...spreadCells(latenessMs),
        ms(queueWaitMs),
        whole(waiting),
      ]),
    ]),
  ]
}

function formatConnections(figures: ConnectionFigures): string[] {
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

const spreadCells = ({ p50, p99, max }: Spread): string[] => [ms(p50), ms(p99), ms(max)]

/** Pads columns to their width: the first and the last left-aligned, figures right-aligned. */
function table(rows: readonly (readonly string[])[]): string[] {
  const last = rows[0]!.length - 1
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === 0 || column === last ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
    )
    return `  ${cells.join('   ')}`.trimEnd()
  })
}
