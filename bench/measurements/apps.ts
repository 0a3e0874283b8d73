import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Operators, signInOperators } from '../contenders/operators.ts'
import { startTocsin, type Tocsin } from '../contenders/tocsin.ts'
import { type Openings, openApps, type Phone } from '../load/apps.ts'
import type { Plan } from '../plan.ts'
import { type Repeated, repeated, type Spread } from '../statistics.ts'
import { type ByThread, microsBetween, threadSecondsOf } from '../threads.ts'
import { type PressSpreads, pressers } from './press.ts'

export type AppFigures = {
  /** How many have the app, and open it once a day. */
  readonly installed: number
  /** Of one opening. `threadMicros`: what the service takes beyond its rest, by thread. */
  readonly opening: {
    readonly requests: number
    readonly connections: number
    readonly bytesReceived: number
    readonly bytesSent: number
    readonly commits: number
    readonly openMs: Spread
    readonly threadMicros: ByThread | null
  }
  /** Processor time that one app takes in a minute while it stays open, in microseconds; null if unknown. */
  readonly standingMicros: number | null
  /** Openings a second when a tenth of all open within five minutes. */
  readonly peakPerSecond: number
  /** The same presses, in rounds that take turns: while no app is opened, and beside the peak. */
  readonly alone: PressSpreads
  readonly beside: PressSpreads & { readonly openMs: Spread }
  /** p99 of the `processed` event beside the peak over that alone, round by round. */
  readonly slowdown: Repeated
}

type Ground = { readonly dir: string; readonly say: (line: string) => void }

const ANY = { TOCSIN_HTTPS_HOST: '127.0.0.1', TOCSIN_HTTPS_PORT: '0' } as const
const SETTLE_MS = 2000
const PEAK_SHARE = 0.1
const PEAK_SECONDS = 300
const WARM_UP = 30

/**
 * Opens installed apps as phones do, over TLS, each with a credential of its own. First their cost, then presses over
 * MQTT in turn alone and beside as many openings a second as a tenth of all make in five minutes.
 */
export async function measureApps({ dir, say }: Ground, plan: Plan['apps']): Promise<AppFigures> {
  const tocsin = await startTocsin(join(dir, 'apps'), [], ANY)
  const origin = tocsin.https!
  const peakPerSecond = (plan.installed * PEAK_SHARE) / PEAK_SECONDS
  const seconds = plan.presses / plan.pressesPerSecond
  const beside = Math.ceil(seconds * peakPerSecond * 2)
  const count = WARM_UP + plan.openings + plan.rounds * beside
  say(`apps: enrolling ${count} phones`)
  const phones = await enrol(tocsin, await signInOperators(tocsin, 1), count)
  const next = (some: number): readonly Phone[] => phones.splice(0, some)
  const opens = (some: number, perSecond: number) => openApps({ origin, phones: next(some), perSecond })

  const warm = opens(WARM_UP, plan.perSecond)
  await warm.opened
  await warm.stop()
  await wait(SETTLE_MS)

  say(`apps: ${plan.openings} openings, ${plan.perSecond} a second`)
  const rest = await took(tocsin, () => wait(plan.standingMs))
  let openings: ReturnType<typeof openApps> | null = null
  const cost = await took(tocsin, async () => {
    openings = opens(plan.openings, plan.perSecond)
    await openings.opened
    await wait(SETTLE_MS)
  })
  const standing = await took(tocsin, () => wait(plan.standingMs))
  const opened = await openings!.stop()

  const press = await pressers(tocsin, await tocsin.createApplication('bench press'), pressPlan(plan), 2 * plan.rounds)
  const alone: PressSpreads[] = []
  const peak: { readonly pressed: PressSpreads; readonly openings: Openings }[] = []
  for (let round = 1; round <= plan.rounds; round += 1) {
    say(
      `apps: ${plan.presses} presses alone and beside ${peakPerSecond.toFixed(1)} openings a second, round ${round} of ${plan.rounds}`,
    )
    alone.push(await press())
    const apps = opens(beside, peakPerSecond)
    const pressed = await press()
    peak.push({ pressed, openings: await apps.stop() })
    await wait(SETTLE_MS)
  }
  await tocsin.stop()
  return {
    installed: plan.installed,
    opening: {
      requests: opened.requests / plan.openings,
      connections: opened.connections / plan.openings,
      bytesReceived: opened.bytesReceived / plan.openings,
      bytesSent: opened.bytesSent / plan.openings,
      commits: (cost.commits - (rest.commits * cost.seconds) / rest.seconds) / plan.openings,
      openMs: opened.openMs,
      threadMicros: beyond(rest, cost, plan.openings),
    },
    standingMicros: standingMicros(rest, standing, plan.openings),
    peakPerSecond,
    alone: middleOf(alone),
    beside: {
      ...middleOf(peak.map(({ pressed }) => pressed)),
      openMs: peak.map(({ openings }) => openings.openMs).toSorted((a, b) => a.p99 - b.p99)[
        Math.floor(peak.length / 2)
      ]!,
    },
    slowdown: repeated(peak.map(({ pressed }, n) => pressed.processedMs.p99 / alone[n]!.processedMs.p99)),
  }
}

const pressPlan = ({ presses, pressesPerSecond }: Plan['apps']): Plan['press'] => ({
  presses,
  perSecond: pressesPerSecond,
})

/** The round whose p99 is the median. */
const middleOf = (rounds: readonly PressSpreads[]): PressSpreads =>
  rounds.toSorted((a, b) => a.processedMs.p99 - b.processedMs.p99)[Math.floor(rounds.length / 2)]!

type Taken = { readonly seconds: number; readonly commits: number; readonly threads: ByThread | null }

async function took(tocsin: Tocsin, work: () => Promise<unknown>): Promise<Taken> {
  const commits = async (): Promise<number> => (await tocsin.metrics())('tocsin_commit_seconds_count')
  const [before, began] = [await commits(), performance.now()]
  const threads = threadSecondsOf(tocsin.pid)
  await work()
  const after = threadSecondsOf(tocsin.pid)
  const seconds = (performance.now() - began) / 1000
  const micros = threads === null || after === null ? null : microsBetween(threads, after, 1)
  return { seconds, commits: (await commits()) - before, threads: micros }
}

/** What a service that nobody uses takes as well is not theirs. */
function beyond(rest: Taken, cost: Taken, count: number): ByThread | null {
  if (rest.threads === null || cost.threads === null) return null
  const share = cost.seconds / rest.seconds
  return Object.fromEntries(
    Object.entries(cost.threads).map(([name, all]) => [name, (all - (rest.threads?.[name] ?? 0) * share) / count]),
  )
}

function standingMicros(rest: Taken, standing: Taken, count: number): number | null {
  const more = beyond(rest, standing, count)
  return more === null ? null : (Object.values(more).reduce((sum, one) => sum + one, 0) * 60) / standing.seconds
}

/** A user each, with an invitation and a browser of their own. */
async function enrol(tocsin: Tocsin, operators: Operators, count: number): Promise<Phone[]> {
  const { appId } = await tocsin.createApplication('bench app')
  await tocsin.cli('app', 'update', appId, '--web-app', 'on', '--country', 'AT')
  const phones: Phone[] = []
  for (let n = 0; n < count; n += 1) {
    const { link } = await operators.post(`/applications/${appId}/app-invitations`, { kind: 'person' })
    const answer = await fetch(`${tocsin.http}/v1/app/enrolments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        invitation: new URL(link).hash.slice(1),
        key: `key-of-phone-${n}`.padEnd(22, '_'),
        deviceName: 'Phone',
      }),
    })
    if (answer.status !== 201) throw new Error(`an enrolment: ${answer.status} ${await answer.text()}`)
    const { userId, credential } = (await answer.json()) as Phone
    phones.push({ appId, userId, credential })
  }
  return phones
}
