import type { OperatorPushes } from '../app/push/operator-pushes.ts'
import type { ownOperatorPush } from '../app/push/own-operator-push.ts'
import type { ownPush } from '../app/push/own-push.ts'
import type { PersonPushes } from '../app/push/person-pushes.ts'
import { appInForce } from '../core/account/app-invitation.ts'
import type { Timer } from '../core/timer/timer.ts'
import { MINUTE, SECOND } from '../lib/durations.ts'
import { onDemand } from '../lib/on-demand.ts'
import type { HttpCaller } from '../ports/http-caller.ts'
import type { Closers } from './closers.ts'
import type { Basis } from './storage.ts'

/** How soon a node notices the site's first subscription on another one. */
const LOOK_MS = 10 * SECOND
/** How often to check whether an application has the app; only while there is no key. */
const LOOK_FOR_APPS_MS = MINUTE

/** Web Push to people's and to operators' phones. Its code is loaded when a device asks for it, or has subscribed. */
export type WebPush = {
  readonly own: () => Promise<ReturnType<typeof ownPush>>
  readonly ownOperator: () => Promise<ReturnType<typeof ownOperatorPush>>
  /** The reminder of a timer, which this process alone has taken. */
  readonly remind: (timer: Timer) => void
  /** Why phones get none, if an application has the app in the box, as a sentence; else null. */
  readonly concern: () => string | null
  /** Resolves when nothing is being sent. */
  readonly settled: () => Promise<void>
}

type Loaded = {
  readonly own: ReturnType<typeof ownPush>
  readonly pushes: PersonPushes
  readonly ownOperator: ReturnType<typeof ownOperatorPush>
  readonly operators: OperatorPushes
}

/** `caller`: replaces the guarded one, in tests. */
export function prepareWebPush(
  basis: Basis,
  { publicUrl, caller }: { readonly publicUrl: () => string; readonly caller: HttpCaller | undefined },
  closers: Closers,
): WebPush {
  const { store, clock, door, talk, log, secrets } = basis
  /** Once it is loaded. */
  let pushes: PersonPushes | null = null
  let operators: OperatorPushes | null = null
  let isWanted = false
  let looking: Promise<boolean> | null = null
  let lookedAt = Number.NEGATIVE_INFINITY
  let isClosed = false
  /** Work that waits for the check and the code. */
  let working: Promise<void> = Promise.resolve()

  async function load(): Promise<Loaded> {
    const [
      { createHttpCaller },
      { systemResolve },
      { isBlockedHost },
      sending,
      keeping,
      telling,
      asking,
      ...ofOperators
    ] = await Promise.all([
      import('../adapters/outbound/http/http-call.ts'),
      import('../adapters/outbound/http/address-guard.ts'),
      import('../adapters/outbound/http/blocked-address.ts'),
      import('../adapters/outbound/web-push/web-push-sender.ts'),
      import('../app/push/push-keys.ts'),
      import('../app/push/person-pushes.ts'),
      import('../app/push/own-push.ts'),
      import('../app/push/operator-pushes.ts'),
      import('../app/push/own-operator-push.ts'),
      import('../app/operator/test-quota.ts'),
    ])
    // Always guarded, whatever the operator allows for chat: anyone who enrols names an endpoint.
    const guarded = () => createHttpCaller({ guarded: true, resolve: systemResolve(), now: () => clock.now(), log })
    const sender = sending.createWebPushSender({ caller: caller ?? guarded(), publicUrl, log })
    const keys = keeping.pushKeys({ ...basis, newKeys: sender.newKeys })
    const wanted = (): void => {
      isWanted = true
    }
    const [tellingOperators, askingOperators, { testQuota }] = ofOperators
    pushes = telling.personPushes({ ...basis, sender, keys })
    operators = tellingOperators.operatorPushes({ ...basis, sender, keys })
    const ownOperator = askingOperators.ownOperatorPush({
      ...{ ...basis, keys, isBlockedHost, wanted, pushes: operators },
      quota: testQuota(() => performance.now()),
    })
    return { pushes, operators, ownOperator, own: asking.ownPush({ ...basis, keys, isBlockedHost, wanted }) }
  }
  const loaded = onDemand(load)

  const anyWanted = async (): Promise<boolean> =>
    (await store.arePushesWanted()) || (await store.operatorPushes(null)).length > 0

  /** Whether a person's or an operator's phone has subscribed; false at once where this node has looked just now. */
  const areWanted = (): Promise<boolean> | boolean => {
    if (isWanted) return true
    const now = performance.now()
    if (looking === null && now - lookedAt >= LOOK_MS) {
      lookedAt = now
      looking = anyWanted().finally(() => {
        looking = null
      })
    }
    return looking ?? false
  }

  const withPushes = (work: (pushes: PersonPushes, operators: OperatorPushes) => void): void => {
    if (isClosed) return
    if (pushes !== null && operators !== null) {
      work(pushes, operators)
      return
    }
    const asked = areWanted()
    if (asked === false) return
    const before = working
    working = Promise.resolve(asked)
      .then(async (are) => {
        isWanted ||= are
        if (!are || isClosed) return
        const known = await loaded()
        work(known.pushes, known.operators)
      })
      .catch((error) => {
        if (!isClosed) log.warn({ err: error }, 'could not look whether phones want news by Web Push')
      })
      .then(() => before)
  }

  let isAppOn = false
  let lookedForAppsAt = Number.NEGATIVE_INFINITY
  /** The key is there or not from the start; without one no phone can subscribe, so nothing else would say it. */
  function concern(): string | null {
    const trouble = secrets.keyTrouble()
    if (trouble === null) return null
    if (performance.now() - lookedForAppsAt >= LOOK_FOR_APPS_MS) {
      lookedForAppsAt = performance.now()
      void store
        .applications()
        .then((all) => {
          isAppOn = all.some((application) => appInForce(application) !== null)
        })
        .catch((error) => log.warn({ err: error }, 'could not look whether an application has the app in the box'))
    }
    return isAppOn ? `phones with the app in the box get no news by Web Push: ${trouble}` : null
  }
  // So that the first who asks has the answer.
  concern()

  // Operators are told of silent alarms, too, and by one node: nothing marks what they were told.
  const isTeller = (): boolean => basis.lease?.isHousekeeper !== false
  door.follow(({ incidentId, events }) => {
    // An exercise, and an ended one that makes way, have events without topics.
    const isNews = events.some(({ topics, message }) => topics.length > 0 && message.silent !== true)
    if (incidentId === null || events.some(({ message }) => message.drill === true)) return
    const tells = isTeller()
    if (!isNews && !tells) return
    withPushes((pushes, operators) => {
      if (isNews) pushes.changed(incidentId)
      if (tells) operators.changed(incidentId)
    })
  })
  // The process that told, this one or another node, may have ended between an alarm and its push.
  const lookAround = (): void => {
    if (isTeller()) withPushes((_, operators) => operators.lookAround())
  }
  lookAround()
  basis.lease?.onOthers(lookAround)
  talk.followOwn((said) => {
    if (said.message.from.kind !== 'person' && said.silent !== true) withPushes((pushes) => pushes.said(said))
  })
  closers.add(async () => {
    isClosed = true
    await operators?.stop()
    await pushes?.stop()
  })
  return {
    own: async () => (await loaded()).own,
    ownOperator: async () => (await loaded()).ownOperator,
    concern,
    remind: (timer) => withPushes((pushes) => pushes.remind(timer)),
    async settled() {
      await working
      await pushes?.settled()
      await operators?.settled()
    },
  }
}
