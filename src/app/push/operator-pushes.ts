import { displayName } from '../../core/account/profile.ts'
import type { Incident } from '../../core/incident/incident.ts'
import { newsForOperators } from '../../core/incident/news.ts'
import {
  manyAlarmsTitle,
  operatorPushBody,
  operatorPushTitle,
  testPush,
} from '../../core/message/operator-push-text.ts'
import type { Operator } from '../../core/operator/operator.ts'
import { type OperatorPush, pushWaitMs, sentWith, type ToldNews, toldOf } from '../../core/operator/operator-push.ts'
import { mayDo } from '../../core/operator/role.ts'
import { hasEnded } from '../../core/operator/session.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { nextTurn } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { PushKeys, PushOutcome, PushSender } from '../../ports/push-sender.ts'
import type {
  AccountStore,
  ApplicationStore,
  IncidentStore,
  OperatorPushStore,
  OperatorStore,
} from '../../ports/store.ts'

/** Alarms that wait to be looked at. Of more, the oldest are left to the board. */
const MAX_WAITING = 1000
/** Under way at a time: a push service that hangs holds up nobody else's. */
const MAX_SENDING = 32
/** Alarms for which the told news are remembered. */
const MAX_KNOWN = 20_000
/** Browsers whose messages are counted, far more than operators have. */
const MAX_BROWSERS = 10_000
/** A phone that comes into coverage later shows the truth when the console is opened. */
const TTL_SECONDS = 600

type Needs = {
  readonly store: OperatorPushStore &
    Pick<OperatorStore, 'operators' | 'operatorSessions'> &
    Pick<IncidentStore, 'incident' | 'incidents'> &
    Pick<ApplicationStore, 'application'> &
    Pick<AccountStore, 'user'>
  readonly sender: Pick<PushSender, 'send'>
  readonly keys: () => Promise<PushKeys | null>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
  readonly meter: Pick<Meter, 'count'>
}

type Browser = Pick<OperatorPush, 'sessionId' | 'operatorId'>

/** The alarms that wait to be told to one browser, by id, each with its news. */
type Waiting = { readonly news: Map<string, ToldNews>; cancel: () => void }

export type OperatorPushes = {
  /** Something has changed in this alarm. Returns at once, and never throws. */
  changed(incidentId: string): void
  /** Looks for alarms that a process left untold when it ended. Returns at once, and never throws. */
  lookAround(): void
  /** Sends a test to the browser of this session. */
  test(push: OperatorPush): Promise<PushOutcome['kind'] | 'unavailable'>
  /** Resolves when nothing is being looked at or sent. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/**
 * Tells operators' phones by Web Push of new alarms and of those that need somebody again: after the commit, behind SMS
 * and calls, with connections of its own. News of the same moment is told together, within an hourly bound. It
 * writes nothing before it sends: one node of several does it. access.md#operator-push.
 */
export function operatorPushes({ store, sender, keys, clock, log, meter }: Needs): OperatorPushes {
  const changed = new Set<string>()
  const known = new BoundedMap<string, string>(MAX_KNOWN)
  const sentAt = new BoundedMap<string, readonly number[]>(MAX_BROWSERS)
  const waiting = new Map<string, Waiting>()
  /** Browsers that wait for their turn, each once. */
  const queue: (() => Promise<void>)[] = []
  let inTurn = 0
  const sending = new Set<Promise<unknown>>()
  let running: Promise<void> | null = null
  let isStopped = false

  const failed = (error: unknown): void => {
    if (!isStopped) log.warn({ err: error }, 'could not tell an operator by Web Push')
  }
  const follow = (work: Promise<unknown>): void => {
    const one: Promise<unknown> = work.catch(failed).finally(() => sending.delete(one))
    sending.add(one)
  }

  /** The news of an alarm now; null: none, or the alarm has ended meanwhile. */
  async function newsOf(incidentId: string): Promise<{ incident: Incident; what: ToldNews; mark: string } | null> {
    const incident = (await store.incident(incidentId))?.incident
    if (incident === undefined || incident.drill !== undefined) return null
    const news = newsForOperators(incident)
    const what = toldOf(news, clock.now())
    return what === null ? null : { incident, what, mark: `${what} ${news?.at}` }
  }

  /** Browsers of operators who may see alarms of this application, in sessions that have not ended. */
  async function browsersFor(appId: string): Promise<readonly OperatorPush[]> {
    const pushes = await store.operatorPushes(null)
    if (pushes.length === 0) return []
    const operators = new Map((await store.operators()).map((one) => [one.id, one]))
    const open: OperatorPush[] = []
    for (const push of pushes) {
      if (mayHear(operators.get(push.operatorId), appId) && (await isSignedIn(push))) open.push(push)
    }
    return open
  }
  const mayHear = (operator: Operator | undefined, appId: string): boolean =>
    operator !== undefined && !operator.disabled && mayDo(operator, 'incident.view', appId)
  const isSignedIn = async ({ operatorId, sessionId }: OperatorPush): Promise<boolean> => {
    const session = (await store.operatorSessions(operatorId)).find(({ id }) => id === sessionId)
    return session !== undefined && !hasEnded(session, clock.now())
  }

  async function lookAt(incidentId: string): Promise<void> {
    const found = await newsOf(incidentId)
    if (found === null || known.get(incidentId) === found.mark) return
    known.set(incidentId, found.mark)
    for (const push of await browsersFor(found.incident.appId)) gather(push, incidentId, found.what)
  }

  function gather({ sessionId, operatorId }: OperatorPush, incidentId: string, what: ToldNews): void {
    const before = waiting.get(sessionId)
    if (before !== undefined) {
      if (before.news.size < MAX_WAITING) before.news.set(incidentId, what)
      return
    }
    const one: Waiting = { news: new Map([[incidentId, what]]), cancel: () => {} }
    waiting.set(sessionId, one)
    const waitMs = pushWaitMs(sentAt.get(sessionId) ?? [], clock.now())
    const leave = (): void => {
      queue.push(() => {
        // News that come until its turn are told together.
        waiting.delete(sessionId)
        return tell({ sessionId, operatorId }, one.news)
      })
      if (inTurn < MAX_SENDING) follow(takeTurns())
    }
    if (waitMs === 0) leave()
    else one.cancel = clock.after(waitMs, leave)
  }

  async function takeTurns(): Promise<void> {
    inTurn += 1
    for (let next = queue.shift(); next !== undefined && !isStopped; next = queue.shift()) {
      await next().catch(failed)
      await nextTurn()
    }
    inTurn -= 1
  }

  /** Tells what still holds, with the rights that its operator has now. */
  async function tell({ sessionId, operatorId }: Browser, news: ReadonlyMap<string, ToldNews>): Promise<void> {
    const push = (await store.operatorPushes(operatorId)).find((one) => one.sessionId === sessionId)
    const own = await keys()
    if (push === undefined || own === null || !(await isSignedIn(push))) return
    const operator = (await store.operators()).find(({ id }) => id === operatorId)
    const left: { readonly incident: Incident; readonly what: ToldNews }[] = []
    for (const [incidentId, what] of news) {
      const incident = (await store.incident(incidentId))?.incident
      const isNews = incident !== undefined && (newsForOperators(incident)?.what ?? null) !== null
      if (isNews && mayHear(operator, incident.appId)) left.push({ incident, what })
    }
    const [first] = left
    if (first === undefined || isStopped) return
    sentAt.set(sessionId, sentWith(sentAt.get(sessionId) ?? [], clock.now()))
    await send(own, push, left.length > 1 ? many(push, left.length) : await single(push, first))
  }

  const many = ({ language }: OperatorPush, count: number) => ({
    title: manyAlarmsTitle(language, count),
    tag: 'alarms',
    path: '#/',
  })
  async function single({ language, wholeText }: OperatorPush, given: { incident: Incident; what: ToldNews }) {
    const { incident, what } = given
    const [application, user] = await Promise.all([store.application(incident.appId), store.user(incident.userId)])
    const name = user === null ? incident.externalUserId : displayName(user)
    return {
      title: operatorPushTitle(language, what, application?.name ?? ''),
      tag: `alarm ${incident.id}`,
      path: `#/incident/${incident.id}`,
      ...(wholeText && { body: operatorPushBody(language, name, incident.silent === true) }),
    }
  }

  async function send(own: PushKeys, push: OperatorPush, message: object): Promise<PushOutcome['kind']> {
    const { sessionId, endpoint } = push
    const payload = JSON.stringify(message)
    const about = { channel: 'push', deviceId: sessionId } as const
    const outcome = await sender.send(own, push, { payload, ttlSeconds: TTL_SECONDS, topic: 'alarm', about })
    meter.count('pushes_total', { outcome: outcome.kind })
    const at = clock.now()
    if (outcome.kind === 'gone') await store.removeOperatorPush(sessionId, endpoint)
    else if (outcome.kind === 'sent') await store.noteOperatorPush({ sessionId, endpoint }, { failure: null, at })
    else await store.noteOperatorPush({ sessionId, endpoint }, { failure: outcome.kind, at })
    return outcome.kind
  }

  async function findUntold(): Promise<void> {
    for (const { incident } of await store.incidents({ openOnly: true })) {
      if (toldOf(newsForOperators(incident), clock.now()) !== null) look(incident.id)
    }
  }

  function look(incidentId: string): void {
    if (isStopped) return
    changed.delete(incidentId)
    changed.add(incidentId)
    for (const oldest of changed.size > MAX_WAITING ? [...changed].slice(0, 1) : []) changed.delete(oldest)
    running ??= run().finally(() => {
      running = null
    })
  }

  const run = async (): Promise<void> => {
    for (let [first] = changed; first !== undefined && !isStopped; [first] = changed) {
      changed.delete(first)
      // Anything that came in meanwhile, such as an alarm, is handled first.
      await nextTurn()
      await lookAt(first).catch(failed)
    }
  }

  return {
    changed: look,
    lookAround() {
      if (!isStopped) follow(findUntold())
    },
    async test(push) {
      const own = await keys()
      return own === null
        ? 'unavailable'
        : send(own, push, { ...testPush(push.language), tag: 'test', path: '#/account' })
    },
    async settled() {
      while (running !== null || sending.size > 0) await Promise.all([running, ...sending])
    },
    async stop() {
      isStopped = true
      changed.clear()
      for (const { cancel } of waiting.values()) cancel()
      waiting.clear()
      await Promise.all([running, ...sending])
    },
  }
}
