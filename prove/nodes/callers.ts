import { setTimeout as sleep } from 'node:timers/promises'
import { alertTopic } from '../../bench/load/frames.ts'
import { newMoment } from '../../test/harness/moment.ts'
import type { PhoneUser } from '../../test/harness/phone-user.ts'
import type { TwilioStandIn } from '../../test/harness/twilio-stand-in.ts'
import type { Alert } from '../load/ledger.ts'
import { messagesOf } from '../load/messages.ts'
import { type Row, rowOf, unmet } from '../row.ts'
import { identityOf, Phone } from '../sos/phone.ts'
import { claimsIn, type LeftBehind } from './left-behind.ts'
import { type Nodes, seconds, tookMs } from './site.ts'

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

/** When nothing could be sent, epoch ms, and what was claimed then: that is looked up first. */
type Interruption = { readonly since?: number; readonly possibleAt?: number; readonly leftBehind?: LeftBehind | null }

/** What the row of a part says besides the counts. */
type Outcome = Pick<Row, 'part' | 'what'> & {
  /** Texts that left later than this count as late. */
  readonly lateAfterMs: number
  readonly interruption?: Interruption
  /** What must have been so on any machine, and on a quiet one. */
  readonly holds?: Readonly<Record<string, boolean>>
  readonly inTime?: Readonly<Record<string, boolean>>
  readonly remarks: readonly string[]
}

/**
 * People who press SOS once each, on whichever node answers, again and again until there is a PUBACK, as phones do. It
 * knows of each when it pressed and when the PUBACK came.
 */
export class Callers {
  readonly alerts: Alert[] = []
  readonly #nodes: Nodes
  readonly #graceMs: number
  readonly #ready: { readonly user: PhoneUser; readonly phone: string }[] = []
  readonly #phones = new Map<string, string>()
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
        this.#phones.set(user.userId, phone)
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

  /** Resolves when every press has its PUBACK. After that time nobody presses again: the rest is unanswered. */
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
    return this.#acknowledged.length
  }

  /** When the first press that was made after `since` was acknowledged, or null. */
  firstAnswerAfter(since: number): number | null {
    const times = this.alerts.flatMap(({ acknowledgedAt }) =>
      acknowledgedAt !== null && acknowledgedAt > since ? [acknowledgedAt] : [],
    )
    return times.length === 0 ? null : Math.min(...times)
  }

  /** The phone of a user's contact. */
  readonly phoneOf = (userId: string): string => this.#phones.get(userId) ?? ''

  /**
   * Waits until each contact has its text and nothing is claimed any more, or for that long: what was claimed by a node
   * that is gone may still be looked up, found or not, and be sent twice.
   */
  async settled(twilio: TwilioStandIn, timeoutMs: number): Promise<void> {
    const { servers } = this.#nodes
    await tookMs(async () => this.#messages(twilio).missing === 0 && (await claimsIn(servers)) === 0, timeoutMs)
  }

  get #acknowledged(): readonly Alert[] {
    return this.alerts.filter(({ acknowledgedAt }) => acknowledgedAt !== null)
  }

  #messages(twilio: TwilioStandIn) {
    return messagesOf(twilio, this.#acknowledged, this.#graceMs, false)
  }

  /**
   * Milliseconds that each text was late: after its grace window, after its PUBACK where that came later, or after
   * `possibleAt`, when it could be sent again. Only texts that left after `since`, and not those in `leftBehind`.
   */
  lateMs(
    twilio: TwilioStandIn,
    { since = 0, possibleAt = 0, leftBehind = null }: Interruption = {},
  ): readonly number[] {
    return this.alerts.flatMap(({ userId, contacts, pressedAt, acknowledgedAt }) => {
      const [text] = twilio.smsTo(contacts[0]!.phone)
      if (text === undefined || text.createdAt < since || acknowledgedAt === null || leftBehind?.has(userId)) return []
      const isStopped = text.createdAt > possibleAt && pressedAt + this.#graceMs < possibleAt
      const dueAt = Math.max(pressedAt + this.#graceMs, acknowledgedAt, isStopped ? possibleAt : 0)
      return [Math.max(0, text.createdAt - dueAt)]
    })
  }

  /** What became of the presses: what phones saw, beside what the database holds and the provider received. */
  async row(twilio: TwilioStandIn, { part, what, lateAfterMs, remarks, ...more }: Outcome): Promise<Row> {
    const { missing, doubled, early } = this.#messages(twilio)
    const late = this.lateMs(twilio, more.interruption)
    const incidents = await this.#nodes.servers.rows<{ userId: string }>('SELECT user_id AS "userId" FROM incidents')
    const stored = Map.groupBy(incidents, ({ userId }) => userId)
    const lost = this.#acknowledged.filter(({ userId }) => !stored.has(userId)).length
    const twice = this.alerts.filter(({ userId }) => (stored.get(userId)?.length ?? 0) > 1).length
    const counts = {
      acknowledged: this.acknowledged,
      unanswered: this.alerts.length - this.acknowledged,
      lost: lost + missing,
      late: late.filter((ms) => ms > lateAfterMs).length,
      doubled: doubled + twice,
    }
    const faults = unmet({
      'somebody pressed': counts.acknowledged > 0,
      'every press was answered in the end': counts.unanswered === 0,
      'nothing acknowledged was lost': counts.lost === 0,
      'nothing was doubled': counts.doubled === 0,
      'nothing left within its grace window': early === 0,
      'no claim was left over': (await claimsIn(this.#nodes.servers)) === 0,
      ...more.holds,
    })
    const slow = unmet({ [`no text left more than ${seconds(lateAfterMs)} late`]: counts.late === 0, ...more.inTime })
    const remark = [...remarks, `texts at most ${seconds(Math.max(0, ...late))} late`].join('; ')
    return rowOf({ part, what, ...counts, faults, slow, remark })
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
