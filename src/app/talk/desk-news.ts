import type { ReadersEvent } from '../../core/incident/talk.ts'
import { SECOND } from '../../lib/durations.ts'
import { interruptibleWait, repeatedly } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorStore, PasskeyStore, TalkStore } from '../../ports/store.ts'
import { staffNow } from './desk.ts'

/** Of one walk. */
const MAX_INCIDENTS = 10_000
/** Each app that is told asks once: in a mass event not all in the same second. */
const AT_ONCE = 50
const PAUSE_MS = 250
const LOOK_MS = 30 * SECOND

type DeskNewsNeeds = {
  readonly store: Pick<TalkStore, 'openTalks'> & Pick<OperatorStore, 'operatorsSignedIn' | 'apiTokens'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
  /** Tells the person's own connections to this process. Must not throw. */
  readonly tell: (event: ReadersEvent) => void
}

/**
 * Tells apps with an open alarm of a sign-in or sign-out at the rescue desk, because the person sees the readers before
 * writing. Changes meanwhile are told once more, together. Nothing is written when a session expires, so every
 * process also looks by itself. rules.md#talk.
 */
export function deskNews({ store, clock, log, tell }: DeskNewsNeeds): {
  /** Returns at once. */
  changed(): void
  stop(): Promise<void>
} {
  const { wait, interrupt } = interruptibleWait(clock)
  let [isStopped, isDue] = [false, false]
  let telling: Promise<void> | null = null
  /** The staff that apps were last told of. Null: unknown. */
  let told: string | null = null

  async function staff(): Promise<string> {
    const { operators, used } = await staffNow({ store, clock })
    return [...operators, ...used].map(({ id }) => id).join()
  }

  async function tellAll(): Promise<void> {
    const now = await staff()
    const open = await store.openTalks(MAX_INCIDENTS)
    for (let at = 0; at < open.length; at += AT_ONCE) {
      if (at > 0) await wait(PAUSE_MS)
      if (isStopped) return
      for (const one of open.slice(at, at + AT_ONCE)) tell({ type: 'sos.readers', ...one })
    }
    told = now
  }

  async function run(): Promise<void> {
    while (isDue && !isStopped) {
      isDue = false
      await tellAll().catch((error) => log.warn({ err: error }, 'could not tell apps who is at the rescue desk'))
    }
    telling = null
  }

  function changed(): void {
    isDue = true
    telling ??= run()
  }

  /** Notices who has come or left without a write. */
  async function look(): Promise<void> {
    const now = await staff()
    // What changes while it tells is seen by the next look.
    if (telling !== null || now === told) return
    if (told === null) told = now
    else changed()
  }
  const stopLooking = repeatedly(clock, LOOK_MS, async () => {
    await look().catch((error) => log.warn({ err: error }, 'could not look who is at the rescue desk'))
    return LOOK_MS
  })

  return {
    changed,
    async stop() {
      isStopped = true
      interrupt()
      await Promise.all([telling, stopLooking()])
    },
  }
}

/** The writes after which others may be signed in. */
const OF_DESK = [
  'openSession',
  'acceptInvitation',
  'endSession',
  'changePassword',
  'updateOperator',
  'resetPasskeys',
] as const
type OfDesk = Pick<OperatorStore & PasskeyStore, (typeof OF_DESK)[number]>

/** The store, calling `changed` after each of its writes that changes who is signed in. */
export function tellingOfDesk<S extends OfDesk>(store: S, changed: () => void): S {
  const telling = (name: (typeof OF_DESK)[number]) => {
    const write = store[name] as (...args: unknown[]) => Promise<object>
    return async (...args: unknown[]): Promise<object> => {
      const result = await write(...args)
      if (!('refused' in result)) changed()
      return result
    }
  }
  return { ...store, ...Object.fromEntries(OF_DESK.map((name) => [name, telling(name)])) }
}
