import { setTimeout as sleep } from 'node:timers/promises'
import { alertTopic } from '../../bench/load/frames.ts'
import { newMoment } from '../../test/harness/moment.ts'
import type { PhoneUser } from '../../test/harness/phone-user.ts'
import type { TwilioStandIn } from '../../test/harness/twilio-stand-in.ts'
import type { Alert } from '../load/ledger.ts'
import { messagesOf } from '../load/messages.ts'
import type { Row } from '../row.ts'
import { identityOf, Phone } from '../sos/phone.ts'
import type { Nodes } from './site.ts'

/** After this long a phone hangs up and tries another node. */
const PATIENCE_MS = 7_000
const AGAIN_MS = 100

/** The grace window of every application here, so short that texts are on their way at every moment. */
const GRACE_MS = 200
/** A text to the only contact, no call. */
export const SETTINGS = {
  'grace-seconds': GRACE_MS / 1000,
  'contact-interval-seconds': 0,
  'ack-timeout-seconds': 3600,
  voice: 'off',
  rounds: 1,
} as const

/** When nothing could be sent, epoch ms. */
type Interruption = { readonly since?: number; readonly possibleAt?: number }

/**
 * People who press SOS once each, on whichever node answers, again and again until there is a PUBACK, as phones do. It
 * knows of each when it pressed and when the PUBACK came.
 */
export class Callers {
  readonly alerts: Alert[] = []
  readonly #nodes: Nodes
  readonly #graceMs: number
  readonly #ready: { readonly user: PhoneUser; readonly phone: string }[] = []
  readonly #presses: Promise<void>[] = []
  /** No two of a run are the same person. */
  static #everMade = 0
  #made = 0
  #turn = 0
  #isOver = false

  /** `graceMs`: of the application. */
  constructor(nodes: Nodes, graceMs = GRACE_MS) {
    this.#nodes = nodes
    this.#graceMs = graceMs
  }

  /** Makes that many of them, with a contact each. */
  async prepare(count: number): Promise<void> {
    const lane = async (): Promise<void> => {
      while (this.#made < count) {
        this.#made += 1
        Callers.#everMade += 1
        const number = Callers.#everMade
        const phone = `+43660${String(number).padStart(7, '0')}`
        const user = await this.#nodes.any.user(`hiker-${number}`, [{ name: 'Ana', phone }])
        this.#ready.push({ user, phone })
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
  }

  /** Lets one of them press every so often: `count` of them, until `over`. Resolves when the last one has pressed. */
  async press(
    everyMs: number,
    { count = Number.POSITIVE_INFINITY, over }: { count?: number; over?: AbortSignal } = {},
  ): Promise<void> {
    for (let n = 0; n < count && over?.aborted !== true; n += 1) {
      const next = this.#ready.shift()
      if (next === undefined) return
      const { user, phone } = next
      const pressed = { moment: newMoment(), pressedAt: Date.now(), acknowledgedAt: null }
      const contacts = [{ name: 'Ana', phone }]
      const { externalUserId } = user.account
      const alert: Alert = { externalUserId, userId: user.userId, contacts, ...pressed }
      this.alerts.push(alert)
      this.#presses.push(this.#until(alert, user))
      await sleep(everyMs)
    }
  }

  /** Resolves when every press has its PUBACK; rejects if one does not get it in that time. */
  async answered(timeoutMs: number): Promise<void> {
    const timeout = new AbortController()
    const tooLate = sleep(timeoutMs, undefined, { signal: timeout.signal }).then(() => {
      this.#isOver = true
    })
    await Promise.race([Promise.all(this.#presses), tooLate])
    timeout.abort()
    await tooLate.catch(() => {})
  }

  async #until(alert: Alert, user: PhoneUser): Promise<void> {
    const payload = JSON.stringify({ timestamp: alert.moment, latitude: 46.53, longitude: 12.13 })
    while (!this.#isOver) {
      const site = this.#nodes.nth(this.#turn++)
      if (site !== null && (await presses(Number(new URL(site.mqtt).port), user, payload))) {
        alert.acknowledgedAt = Date.now()
        return
      }
      await sleep(AGAIN_MS)
    }
  }

  /** How many have their PUBACK. */
  get acknowledged(): number {
    return this.alerts.filter(({ acknowledgedAt }) => acknowledgedAt !== null).length
  }

  /** When the first press that was made after `since` was acknowledged, or null. */
  firstAnswerAfter(since: number): number | null {
    const times = this.alerts.flatMap(({ acknowledgedAt }) =>
      acknowledgedAt !== null && acknowledgedAt > since ? [acknowledgedAt] : [],
    )
    return times.length === 0 ? null : Math.min(...times)
  }

  /** How many of the acknowledged have no incident. */
  async lost(): Promise<number> {
    return this.#nodes.any.look(async (store) => {
      let lost = 0
      for (const { userId, acknowledgedAt } of this.alerts) {
        if (acknowledgedAt !== null && (await store.openIncident(userId)) === null) lost += 1
      }
      return lost
    })
  }

  /** Waits until each contact has its text, or for that long. */
  async settled(twilio: TwilioStandIn, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (this.#messages(twilio).missing > 0 && performance.now() < deadline) await sleep(200)
  }

  #messages(twilio: TwilioStandIn) {
    const acknowledged = this.alerts.filter(({ acknowledgedAt }) => acknowledgedAt !== null)
    return messagesOf(twilio, acknowledged, this.#graceMs, false)
  }

  /**
   * Milliseconds that each text was late: after its grace window, after its PUBACK where that came later, or after
   * `possibleAt` (epoch ms), when it could be sent again. Only texts that left after `since`.
   */
  lateMs(twilio: TwilioStandIn, { since = 0, possibleAt = 0 }: Interruption = {}): readonly number[] {
    return this.alerts.flatMap(({ contacts, pressedAt, acknowledgedAt }) => {
      const [text] = twilio.smsTo(contacts[0]!.phone)
      if (text === undefined || text.createdAt < since || acknowledgedAt === null) return []
      const isStopped = text.createdAt > possibleAt && pressedAt + this.#graceMs < possibleAt
      const dueAt = Math.max(pressedAt + this.#graceMs, acknowledgedAt, isStopped ? possibleAt : 0)
      return [Math.max(0, text.createdAt - dueAt)]
    })
  }

  /** How many texts left within the grace window. */
  early(twilio: TwilioStandIn): number {
    return this.#messages(twilio).early
  }

  /** The columns of a row. Texts that left later than `lateAfterMs` count as late. `interruption` as in `lateMs`. */
  async columns(
    twilio: TwilioStandIn,
    lateAfterMs: number,
    interruption: Interruption = {},
  ): Promise<Pick<Row, 'acknowledged' | 'unanswered' | 'lost' | 'late' | 'doubled'>> {
    const { missing, doubled } = this.#messages(twilio)
    return {
      acknowledged: this.acknowledged,
      unanswered: this.alerts.length - this.acknowledged,
      lost: (await this.lost()) + missing,
      late: this.lateMs(twilio, interruption).filter((ms) => ms > lateAfterMs).length,
      doubled,
    }
  }
}

/** One connection, one press. Whether there was a PUBACK. */
async function presses(port: number, user: PhoneUser, payload: string): Promise<boolean> {
  let phone: Phone | null = null
  let hungUp = false
  const work = (async () => {
    phone = await Phone.connect(port, identityOf(user))
    if (hungUp) phone.close()
    await phone.publish(alertTopic(user.userId), payload)
    return true
  })().catch(() => false)
  const timeout = new AbortController()
  const patience = sleep(PATIENCE_MS, false, { signal: timeout.signal }).catch(() => false)
  const isAcknowledged = await Promise.race([work, patience])
  timeout.abort()
  hungUp = true
  ;(phone as Phone | null)?.close()
  return isAcknowledged
}
