import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Operators, signInOperators } from '../contenders/operators.ts'
import { startTocsin, type Tocsin } from '../contenders/tocsin.ts'
import { askOnAndOn } from '../load/asker.ts'
import { openBoardPage } from '../load/board-page.ts'
import { openConsoles } from '../load/consoles.ts'
import type { Identity } from '../load/frames.ts'
import { openPages } from '../load/pages.ts'
import { connectTrackers, type Pressed, type Tracker } from '../load/tracker.ts'
import type { Plan } from '../plan.ts'
import { type Repeated, repeated, type Spread, spreadOf } from '../statistics.ts'
import { type ByThread, microsBetween, threadSecondsOf } from '../threads.ts'
import { GRACE_SECONDS, type PressSpreads, pressEach, spreadsOf } from './press.ts'

/** Presses at one of the sites. `threadMicros`: processor time per press by thread, everything included. */
type Beside = PressSpreads & {
  /** p99 of each round until the `processed` event. */
  readonly roundMs: Repeated
  readonly threadMicros: Readonly<Record<string, Repeated>> | null
}

export type ConsoleFigures = {
  readonly openIncidents: number
  readonly consoles: number
  readonly pages: number
  /** The same presses: without viewers, beside the consoles, beside live tracking pages. */
  readonly alone: Beside
  readonly besideConsoles: Beside
  readonly besidePages: Beside
  /** p99 with over p99 without, round by round. */
  readonly slowdown: { readonly consoles: Repeated; readonly pages: Repeated }
  /** From the PUBACK of a press until each console is told, and until a browser shows its row; null: no browser. */
  readonly heardMs: Spread
  readonly visibleMs: Spread | null
  /** A case that a console read again after an event. */
  readonly caseMs: Spread
  /** All consoles read the board at once, and presses meanwhile. */
  readonly reload: PressSpreads & { readonly boardMs: Spread }
  /** One API token asks for lists, cases, exports and the audit log as fast as it is answered. */
  readonly flood: PressSpreads & {
    readonly floodRate: number
    readonly statuses: Readonly<Record<string, number>>
  }
}

type Ground = { readonly dir: string; readonly say: (line: string) => void }
type ConsolePlan = Plan['console']

const WARM_UP = 30
const SETTLE_MS = 1000
/** How long a browser on a busy machine may take to show an alarm. */
const VISIBLE_MS = 5000
/** Until the SMS with the link is in the outbox. */
const LINK_MS = 20_000

/**
 * Three services alike, each with many open incidents that have been taken: one without viewers, one with consoles
 * open, one with tracking pages. Presses come to each in turn, while some open incidents are pressed again. Then boards
 * that are read at once, a browser, and a flood of requests.
 */
export async function measureConsole({ dir, say }: Ground, plan: ConsolePlan): Promise<ConsoleFigures> {
  say(`console: three services with ${plan.openIncidents} open incidents each`)
  const sites: Site[] = []
  for (const name of ['alone', 'consoles', 'pages']) sites.push(await prepare(join(dir, `console-${name}`), plan))
  const [alone, watched, tracked] = sites as [Site, Site, Site]

  const shown = watched.again.map(({ incidentId }) => incidentId)
  const screens = openConsoles(
    watched.tocsin.http,
    watched.operators.sessions.map((proof, n) => ({ proof, shows: n % 2 === 0 ? null : shown[n % shown.length]! })),
  )
  await screens.opened
  const pages = await openPages(
    tracked.tocsin.http,
    tracked.again.map(({ link }) => link),
  )

  // Taken here: an administrator's proof, which a token needs, is valid for ten minutes.
  const tokens = { viewer: await watched.operators.token('viewer'), admin: await watched.operators.token('admin') }
  const rounds: Record<'alone' | 'consoles' | 'pages', Round[]> = { alone: [], consoles: [], pages: [] }
  for (let round = 1; round <= plan.rounds; round++) {
    say(`console: ${plan.presses} presses at each, round ${round} of ${plan.rounds}`)
    rounds.alone.push(await alone.round())
    rounds.consoles.push(await watched.round())
    rounds.pages.push(await tracked.round())
  }
  const { heard, caseMs } = await screens.told()
  const heardMs = heardAfter(rounds.consoles.flat(), heard)

  say(`console: ${plan.consoles} consoles read the board at once`)
  const [reloaded, boardMs] = await Promise.all([watched.presses(), screens.readBoards()])
  const browser = await openBoardPage(watched.tocsin.http, tokens.viewer)
  let visibleMs: Spread | null = null
  if (browser !== null) {
    say('console: a browser shows the board')
    await screens.told()
    const pressed = await watched.presses(plan.visible, VISIBLE_MS)
    visibleMs = visibleAfter(pressed, (await screens.told()).heard, await browser.shown())
    await browser.close()
  }
  say('console: one API token asks as fast as it is answered')
  const flood = askOnAndOn({
    origin: watched.tocsin.http,
    headers: { authorization: `Bearer ${tokens.admin}` },
    paths: floodPaths(shown[0]!),
    connections: plan.floodConnections,
  })
  await wait(SETTLE_MS)
  const flooded = await watched.presses()
  const { seconds, statuses } = await flood.stop()

  await Promise.all([screens.stop(), pages.stop()])
  for (const site of sites) await site.stop()
  const slowdownOf = (some: readonly Round[]): Repeated =>
    repeated(some.map((round, n) => p99Of(round) / p99Of(rounds.alone[n]!)))
  return {
    openIncidents: plan.openIncidents,
    consoles: plan.consoles,
    pages: plan.pages,
    alone: besideOf(rounds.alone),
    besideConsoles: besideOf(rounds.consoles),
    besidePages: besideOf(rounds.pages),
    slowdown: { consoles: slowdownOf(rounds.consoles), pages: slowdownOf(rounds.pages) },
    heardMs,
    visibleMs,
    caseMs: spreadOf(caseMs),
    reload: { ...spreadsOf(reloaded.pressed), boardMs: spreadOf(boardMs) },
    flood: {
      ...spreadsOf(flooded.pressed),
      floodRate: Object.values(statuses).reduce((sum, count) => sum + count, 0) / seconds,
      statuses,
    },
  }
}

const floodPaths = (incidentId: string): readonly string[] =>
  [
    'incidents?state=open&limit=1000',
    `incidents/${incidentId}`,
    'incidents?state=all&text=presser-7',
    `incidents/${incidentId}/report`,
    'incidents.csv',
    `incidents/${incidentId}/export.json`,
    'audit?limit=100',
    `incidents/${incidentId}/trail.gpx`,
  ].map((path) => `/v1/operator/${path}`)

type Site = Awaited<ReturnType<typeof prepare>>
type Round = Awaited<ReturnType<Site['round']>>

/** A service with open incidents that have been taken, others that are pressed repeatedly, and users who press. */
async function prepare(dir: string, plan: ConsolePlan) {
  const tocsin = await startTocsin(dir)
  const operators = await signInOperators(tocsin, plan.consoles)
  await standing(tocsin, operators, plan.openIncidents)
  const again = await pressedAgain(tocsin, operators, plan.pages)
  const application = await tocsin.createApplication('bench press')
  const settings = ['--grace-seconds', String(GRACE_SECONDS)]
  await tocsin.cli('app', 'actuator', 'set', application.appId, 'emergency_contacts', ...settings)
  const users = await tocsin.createUsers(application, 'presser', WARM_UP + (plan.rounds + 3) * plan.presses, 2)
  let next = 0

  /** Users who have not pressed yet do, and cancel when all have; others press again meanwhile. */
  const presses = async (count = plan.presses, lastingMs = 0) => {
    const some = users.slice(next, next + count)
    next += count
    const trackers = await connectTrackers(tocsin.port, some)
    const before = threadSecondsOf(tocsin.pid)
    let turn = 0
    const more = setInterval(() => {
      void again[turn++ % again.length]!.tracker.pressAgain().catch(() => undefined)
    }, 1000 / plan.againPerSecond)
    const pressed = await pressEach(trackers, plan.perSecond)
    clearInterval(more)
    const after = threadSecondsOf(tocsin.pid)
    await wait(lastingMs)
    for (const user of some) await tocsin.cancel(user)
    await wait(SETTLE_MS)
    const threads = before === null || after === null ? null : microsBetween(before, after, count)
    return { pressed: pressed.map((one, n) => ({ ...one, userId: some[n]!.userId })), threads }
  }
  await presses(WARM_UP)
  return {
    tocsin,
    operators,
    again,
    presses,
    round: () => presses(),
    async stop() {
      for (const { tracker } of again) tracker.close()
      await tocsin.stop()
    },
  }
}

/** Incidents that an operator has taken: a board full of them shows a new alarm at its top. */
async function standing(tocsin: Tocsin, operators: Operators, count: number): Promise<void> {
  const application = await tocsin.createApplication('bench standing')
  const settings = ['--grace-seconds', String(GRACE_SECONDS)]
  await tocsin.cli('app', 'actuator', 'set', application.appId, 'emergency_contacts', ...settings)
  const trackers = await connectTrackers(tocsin.port, await tocsin.createUsers(application, 'standing', count, 1))
  await Promise.all(trackers.map((tracker) => tracker.press()))
  for (const tracker of trackers) tracker.close()
  const { items } = await operators.get('/incidents?state=open&limit=1000')
  for (const { incidentId } of items) await operators.post(`/incidents/${incidentId}/take`)
}

type Again = { readonly tracker: Tracker; readonly incidentId: string; readonly link: string }

/** Incidents of people who press again and again, with the tracking link of a contact who was told. */
async function pressedAgain(tocsin: Tocsin, operators: Operators, count: number): Promise<readonly Again[]> {
  const application = await tocsin.createApplication('bench again')
  await tocsin.cli('app', 'actuator', 'set', application.appId, 'emergency_contacts', '--grace-seconds', '1')
  const users: Identity[] = await tocsin.createUsers(application, 'again', count, 1)
  const trackers = await connectTrackers(tocsin.port, users)
  await Promise.all(trackers.map((tracker) => tracker.press()))
  const { items } = await operators.get(`/incidents?state=open&app=${application.appId}`)
  const incidentOf = new Map<string, string>(items.map((item: any) => [item.userId, item.incidentId]))
  const links = await untilLinked(tocsin, new Set(incidentOf.values()))
  return trackers.map((tracker) => {
    const incidentId = incidentOf.get(tracker.userId)!
    return { tracker, incidentId, link: links.get(incidentId)! }
  })
}

type OutboxRow = { readonly incidentId: string; readonly text: string }
const LINK = /\/t\/[\w-]+/

async function untilLinked(tocsin: Tocsin, incidentIds: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const deadline = performance.now() + LINK_MS
  for (;;) {
    const links = new Map<string, string>()
    for (const { incidentId, text } of (await tocsin.cli('outbox', 'list')) as OutboxRow[]) {
      const [link] = LINK.exec(text) ?? []
      if (link !== undefined && incidentIds.has(incidentId)) links.set(incidentId, link)
    }
    if (links.size === incidentIds.size) return links
    if (performance.now() > deadline) throw new Error(`${links.size} of ${incidentIds.size} contacts were told`)
    await wait(SETTLE_MS)
  }
}

const p99Of = ({ pressed }: Round): number => spreadOf(pressed.map(({ processedMs }) => processedMs)).p99

function besideOf(rounds: readonly Round[]): Beside {
  const threads = rounds.flatMap((round) => (round.threads === null ? [] : [round.threads]))
  return {
    ...spreadsOf(rounds.flatMap(({ pressed }) => pressed)),
    roundMs: repeated(rounds.map(p99Of)),
    threadMicros: threads.length === 0 ? null : byThread(threads),
  }
}

function byThread(threads: readonly ByThread[]): Readonly<Record<string, Repeated>> {
  const names = new Set(threads.flatMap((one) => Object.keys(one)))
  return Object.fromEntries([...names].map((name) => [name, repeated(threads.map((one) => one[name] ?? 0))]))
}

type PressedBy = Pressed & { readonly userId: string }

const committedAt = ({ pressedAt, acknowledgedMs }: Pressed): number => pressedAt + acknowledgedMs

/** Milliseconds from each PUBACK to each console's event. It may come before the PUBACK has been read. */
function heardAfter(
  rounds: readonly { readonly pressed: readonly PressedBy[] }[],
  heard: readonly { readonly userId: string; readonly at: number }[],
): Spread {
  const committed = new Map(rounds.flatMap(({ pressed }) => pressed.map((one) => [one.userId, committedAt(one)])))
  return spreadOf(
    heard.flatMap(({ userId, at }) => {
      const since = committed.get(userId)
      return since === undefined ? [] : [Math.max(0, at - since)]
    }),
  )
}

/** An incident that the browser never showed counts as infinitely late. */
function visibleAfter(
  { pressed }: { readonly pressed: readonly PressedBy[] },
  heard: readonly { readonly userId: string; readonly incidentId: string }[],
  shown: ReadonlyMap<string, number>,
): Spread {
  const incidentOf = new Map(heard.map(({ userId, incidentId }) => [userId, incidentId]))
  return spreadOf(
    pressed.map((one) => Math.max(0, (shown.get(incidentOf.get(one.userId) ?? '') ?? Infinity) - committedAt(one))),
  )
}
