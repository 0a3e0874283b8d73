import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startProvider } from '../contenders/provider.ts'
import { startTocsin, type Tocsin } from '../contenders/tocsin.ts'
import { type Drift, driftOf } from '../drift.ts'
import { bringLoad } from '../load/load.ts'
import { startRescues } from '../load/rescues.ts'
import { residentBytesOf } from '../machine.ts'
import type { Plan } from '../plan.ts'
import { type Spread, spreadOf } from '../statistics.ts'

/** The service at one moment, and what happened since the moment before. */
export type SoakSample = {
  readonly atSeconds: number
  /** Null if the system does not report it. */
  readonly residentBytes: number | null
  readonly heapBytes: number
  /** The write-ahead log, and the database without it. */
  readonly logBytes: number
  readonly databaseBytes: number
  readonly eventLoopP99Ms: number
  /** From the press to the `processed` event; null without presses. */
  readonly presses: number
  readonly pressP50Ms: number | null
  readonly pressP99Ms: number | null
}

export type SoakFigures = {
  readonly minutes: number
  readonly telemetryPerSecond: number
  readonly pressesPerSecond: number
  readonly presses: Spread
  /** Presses that were acknowledged by a contact, and those that came to no such end, by reason. */
  readonly acknowledged: number
  readonly failures: Readonly<Record<string, number>>
  readonly withheld: number
  readonly drifts: readonly Drift[]
  readonly samples: readonly SoakSample[]
}

const CONTACTS = 1
const BURST = 5

/**
 * A site at a steady, modest rate: telemetry, and people who connect, subscribe, press SOS, are acknowledged by a
 * contact through the link in the SMS, cancel, and leave. Takes a sample at regular times, and says what drifts.
 */
export async function measureSoak(
  { dir, say }: { readonly dir: string; readonly say: (line: string) => void },
  plan: Plan['soak'],
): Promise<SoakFigures> {
  const { minutes, sampleMs, trackers, telemetryPerSecond, people, pressesPerSecond, answerMs } = plan
  const provider = await startProvider(answerMs)
  const tocsin = await startTocsin(join(dir, 'soak'), [], {
    ...provider.environment,
    TOCSIN_TWILIO_SMS_PER_SECOND: '100',
  })
  const application = await tocsin.createApplication('bench soak')
  const settings = ['--grace-seconds', '0', '--voice', 'off']
  await tocsin.cli('app', 'actuator', 'set', application.appId, 'emergency_contacts', ...settings)
  const identities = await tocsin.createUsers(application, 'tracker', trackers, 0)
  const pressers = await tocsin.createUsers(application, 'presser', people, CONTACTS, numberOf)

  say(`soak: ${minutes} min, ${telemetryPerSecond} telemetry messages and ${pressesPerSecond} presses a second`)
  const load = bringLoad({
    kind: 'pace',
    port: tocsin.port,
    identities,
    perSecond: telemetryPerSecond,
    burst: BURST,
  })
  await load.measuring
  const rescues = startRescues({
    tocsin,
    provider,
    people: pressers.map((identity, user) => ({ identity, phone: numberOf(user, CONTACTS) })),
    perSecond: pressesPerSecond,
  })
  const began = performance.now()
  const samples: SoakSample[] = []
  const times: number[] = []
  for (let next = sampleMs; next <= minutes * 60_000; next += sampleMs) {
    await wait(Math.max(0, began + next - performance.now()))
    const pressed = rescues.pressed()
    times.push(...pressed)
    const sample = await sampleOf(tocsin, (performance.now() - began) / 1000, pressed)
    samples.push(sample)
    say(lineOf(sample))
  }
  const { acknowledged, failures } = await rescues.stop()
  times.push(...rescues.pressed())
  load.stop()
  const { withheld } = await load.result
  await tocsin.stop()
  await provider.stop()
  const presses = spreadOf(times)
  const drifts = driftsOf(samples)
  return {
    minutes,
    telemetryPerSecond,
    pressesPerSecond,
    presses,
    acknowledged,
    failures,
    withheld,
    drifts,
    samples,
  }
}

async function sampleOf(tocsin: Tocsin, atSeconds: number, pressed: readonly number[]): Promise<SoakSample> {
  const { p50, p99 } = spreadOf(pressed)
  const sizeOf = (file: string) => statSync(join(tocsin.dir, 'data', file)).size
  const residentBytes = residentBytesOf(tocsin.pid)
  const metrics = await tocsin.metrics()
  return {
    atSeconds,
    residentBytes,
    heapBytes: metrics('nodejs_heap_size_used_bytes'),
    logBytes: sizeOf('tocsin.db-wal'),
    databaseBytes: sizeOf('tocsin.db'),
    // The service forgets it with each answer, so this is of the time since the last sample.
    eventLoopP99Ms: metrics('nodejs_eventloop_lag_p99_seconds') * 1000,
    presses: pressed.length,
    pressP50Ms: pressed.length === 0 ? null : p50,
    pressP99Ms: pressed.length === 0 ? null : p99,
  }
}

const MB = 1024 * 1024

/** What is watched for drift. The database grows with what is stored: its slope is a fact, not a fault. */
function driftsOf(samples: readonly SoakSample[]): Drift[] {
  const over = (name: string, unit: string, figure: (sample: SoakSample) => number | null) =>
    driftOf(
      { name, unit },
      samples.flatMap((sample) => {
        const value = figure(sample)
        return value === null ? [] : [{ at: sample.atSeconds / 3600, value }]
      }),
    )
  return [
    over('resident memory', 'MB', ({ residentBytes }) => (residentBytes === null ? null : residentBytes / MB)),
    over('heap', 'MB', ({ heapBytes }) => heapBytes / MB),
    over('log', 'MB', ({ logBytes }) => logBytes / MB),
    over('event-loop delay, p99', 'ms', ({ eventLoopP99Ms }) => eventLoopP99Ms),
    over('press, p50', 'ms', ({ pressP50Ms }) => pressP50Ms),
    over('press, p99', 'ms', ({ pressP99Ms }) => pressP99Ms),
  ]
}

function lineOf({ atSeconds, residentBytes, heapBytes, logBytes, pressP50Ms, pressP99Ms }: SoakSample): string {
  const mb = (bytes: number | null) => (bytes === null ? '?' : (bytes / MB).toFixed(1))
  const memory = `${mb(residentBytes)} MB resident, ${mb(heapBytes)} MB heap, ${mb(logBytes)} MB log`
  return `soak, ${Math.round(atSeconds)} s: ${memory}, press ${pressP50Ms?.toFixed(1) ?? '?'} / ${pressP99Ms?.toFixed(1) ?? '?'} ms`
}

/** Every contact has a unique number, which identifies an SMS. */
const numberOf = (user: number, contact: number): string => `+43660${String(user).padStart(6, '0')}${contact}`
