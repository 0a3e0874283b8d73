import { setTimeout as wait } from 'node:timers/promises'
import type { Provider } from '../contenders/provider.ts'
import type { Tocsin } from '../contenders/tocsin.ts'
import type { Identity } from './frames.ts'
import { connectTrackers } from './tracker.ts'

/** Someone who presses again and again, and the number of the one contact. */
export type Person = { readonly identity: Identity; readonly phone: string }

export type Rescues = {
  /** Milliseconds from each press since the last call to its `processed` event. */
  pressed(): readonly number[]
  /** Starts no more, and settles when those under way are over. `failures`: their number by reason. */
  stop(): Promise<{ readonly acknowledged: number; readonly failures: Readonly<Record<string, number>> }>
}

const LOOK_MS = 100
/** How long an SMS may take. */
const SMS_MS = 30_000
/** The tracking link in the text of an SMS. */
const LINK = /\/t\/([\w-]+)/

/**
 * Starts `perSecond` rescues a second, one person after another: connect and subscribe, press, wait for the contact's
 * SMS, acknowledge through its link, cancel, disconnect. A person whose last rescue is not over is left out.
 */
export function startRescues(parts: {
  readonly tocsin: Tocsin
  readonly provider: Provider
  readonly people: readonly Person[]
  readonly perSecond: number
}): Rescues {
  const { tocsin, provider, people, perSecond } = parts
  const inbox = watchInbox(provider)
  const underWay = new Map<Person, Promise<void>>()
  const failures: Record<string, number> = {}
  let times: number[] = []
  let acknowledged = 0

  const rescue = async ({ identity, phone }: Person): Promise<void> => {
    const sms = inbox.next(phone)
    // The first failure before the end is the reason that counts.
    sms.catch(() => {})
    const [tracker] = await connectTrackers(tocsin.port, [identity])
    try {
      const { processedMs } = await tracker!.press()
      times.push(processedMs)
      const token = LINK.exec(await sms)?.[1]
      if (token === undefined) throw new Error('an SMS without a link')
      await tocsin.acknowledge(token)
      acknowledged += 1
    } finally {
      await tocsin.cancel(identity)
      tracker!.close()
    }
  }

  let next = 0
  const timer = setInterval(() => {
    const person = people[next++ % people.length]!
    if (underWay.has(person)) return
    const rescued = rescue(person)
      .catch(({ message }: Error) => {
        failures[message] = (failures[message] ?? 0) + 1
      })
      .finally(() => underWay.delete(person))
    underWay.set(person, rescued)
  }, 1000 / perSecond)

  return {
    pressed() {
      const sinceThen = times
      times = []
      return sinceThen
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay.values())
      await inbox.stop()
      return { acknowledged, failures }
    },
  }
}

/** Passes each SMS on to the one who waits for the next one to its number; the others are dropped. */
function watchInbox(provider: Provider) {
  const waiting = new Map<string, (text: string) => void>()
  let isOver = false
  const watch = async (): Promise<void> => {
    while (!isOver) {
      for (const { to, text } of await provider.received()) {
        if (!LINK.test(text)) continue
        waiting.get(to)?.(text)
        waiting.delete(to)
      }
      await wait(LOOK_MS)
    }
  }
  const watched = watch()
  return {
    /** Rejects if none comes. */
    next(phone: string): Promise<string> {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const timeout = setTimeout(() => reject(new Error(`no SMS within ${SMS_MS / 1000} s`)), SMS_MS)
      promise.then(
        () => clearTimeout(timeout),
        () => waiting.delete(phone),
      )
      waiting.set(phone, resolve)
      return promise
    },
    async stop(): Promise<void> {
      isOver = true
      await watched
    },
  }
}
