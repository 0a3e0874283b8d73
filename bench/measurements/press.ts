import { setTimeout as wait } from 'node:timers/promises'
import type { Application, Tocsin } from '../contenders/tocsin.ts'
import type { Identity } from '../load/frames.ts'
import { bringLoad } from '../load/load.ts'
import { connectTrackers, type Pressed, type Tracker } from '../load/tracker.ts'
import type { Plan } from '../plan.ts'
import { type Spread, spreadOf } from '../statistics.ts'

/** Milliseconds from the press until the user sees its result. */
export type PressFigures = {
  readonly idle: PressSpreads
  readonly loaded: PressSpreads & {
    /** Telemetry per second: requested, and acknowledged during the presses. */
    readonly wantedRate: number
    readonly reachedRate: number
    readonly withheld: number
  }
}

/** Longer than the measurement, which covers the press and not the notifications after it. */
export const GRACE_SECONDS = 3600
const CONTACTS = 2
/** Publishes that a background connection sends in one burst: as many as it has in flight under full load. */
const BURST = 20
const SETTLE_MS = 1000

/**
 * Presses SOS, each time as a different user, and waits for the `processed` event: first alone, then while telemetry
 * arrives at half of `ingestRate` (PUBACK/s), regardless of the answers. Every press opens an incident. Presses come at
 * random moments and do not wait for each other.
 */
export async function measurePress(
  parts: { readonly tocsin: Tocsin; readonly telemetry: readonly Identity[]; readonly say: (line: string) => void },
  ingestRate: number,
  plan: Plan['press'],
): Promise<PressFigures> {
  const { tocsin, say } = parts
  const application = await tocsin.createApplication('bench press')
  const press = await pressers(tocsin, application, plan, 2)

  say(`press: ${plan.presses} times, nothing else going on`)
  const idle = await press()

  const wantedRate = ingestRate / 2
  say(`press: ${plan.presses} times, under ${Math.round(wantedRate).toLocaleString('en')} telemetry messages a second`)
  const load = bringLoad({
    kind: 'pace',
    port: tocsin.port,
    identities: parts.telemetry,
    perSecond: wantedRate,
    burst: BURST,
  })
  await load.measuring
  await wait(SETTLE_MS)
  const loaded = await press()
  load.stop()
  const { measured, seconds, withheld } = await load.result
  return { idle, loaded: { ...loaded, wantedRate, reachedRate: measured / seconds, withheld } }
}

/** Uncounted presses: the first ones of a new process are slow, and real services run for longer than a minute. */
const WARM_UP = 50

/**
 * Connects enough users for `times` series of presses, and presses to warm up. The returned function makes the next
 * series.
 */
export async function pressers(
  tocsin: Tocsin,
  application: Application,
  { presses, perSecond }: Plan['press'],
  times: number,
): Promise<() => Promise<PressSpreads>> {
  const settings = ['--grace-seconds', String(GRACE_SECONDS)]
  await tocsin.cli('app', 'actuator', 'set', application.appId, 'emergency_contacts', ...settings)
  const users = await tocsin.createUsers(application, 'presser', WARM_UP + times * presses, CONTACTS)
  const trackers = await connectTrackers(tocsin.port, users)
  await pressAll(trackers.splice(0, WARM_UP), perSecond)
  await wait(SETTLE_MS)
  return () => pressAll(trackers.splice(0, presses), perSecond)
}

/** Milliseconds from the presses to their `processed` events, and to their PUBACKs. */
export type PressSpreads = { readonly processedMs: Spread; readonly acknowledgedMs: Spread }

/** Presses at random moments until all have pressed or `isOver`. Closes all trackers. */
export async function pressAll(
  trackers: readonly Tracker[],
  perSecond: number,
  isOver: () => boolean = () => false,
): Promise<PressSpreads> {
  return spreadsOf(await pressEach(trackers, perSecond, isOver))
}

/** The same; each press in the order of the trackers. */
export async function pressEach(
  trackers: readonly Tracker[],
  perSecond: number,
  isOver: () => boolean = () => false,
): Promise<readonly Pressed[]> {
  const pressed: Promise<Pressed>[] = []
  for (const tracker of trackers) {
    if (isOver()) break
    pressed.push(tracker.press())
    // Random gaps, because people press independently.
    await wait((-Math.log(1 - Math.random()) * 1000) / perSecond)
  }
  const times = await Promise.all(pressed)
  for (const tracker of trackers) tracker.close()
  return times
}

export const spreadsOf = (times: readonly Pressed[]): PressSpreads => ({
  processedMs: spreadOf(times.map((time) => time.processedMs)),
  acknowledgedMs: spreadOf(times.map((time) => time.acknowledgedMs)),
})
