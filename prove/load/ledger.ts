import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { alertTopic, telemetryTopic } from '../../bench/load/frames.ts'
import { spreadOf } from '../../bench/statistics.ts'
import { parseEventTime } from '../../src/core/ingest/event-time.ts'
import { newMoment } from '../../test/harness/moment.ts'
import type { Contact, ProcessSite } from '../../test/harness/process-site.ts'
import type { SosFigures } from '../row.ts'
import { identityOf, Phone } from '../sos/phone.ts'

/** One press of SOS. Each is by a different user, so each must have an incident of its own. */
export type Alert = {
  readonly externalUserId: string
  readonly userId: string
  readonly contacts: readonly Contact[]
  readonly moment: string
  /** Epoch ms. */
  readonly pressedAt: number
  acknowledgedAt: number | null
}

type Tracker = {
  readonly externalUserId: string
  userId: string
  readonly sent: string[]
  readonly acknowledged: Set<string>
}

export type Flow = {
  /** The number of presses, and the time in ms within which they come. */
  readonly presses: number
  readonly withinMs: number
  /** The contacts of the next user. */
  readonly contacts: () => readonly Contact[]
}

const TRACKERS = 2
const IN_FLIGHT = 8
const PAGE = 1000
const CRAWLING_MS = 10_000

/** Records what was sent and what the service has acknowledged, to compare with what is stored after a disturbance. */
export class Ledger {
  readonly alerts: Alert[] = []
  readonly #trackers: readonly Tracker[] = Array.from({ length: TRACKERS }, (_, n) => ({
    externalUserId: `tracker-${n}`,
    userId: '',
    sent: [],
    acknowledged: new Set<string>(),
  }))
  readonly #lost = new Set<string>()
  #doubledRows = 0
  /** What has been checked so far: the number of alerts, and the time up to which rows were checked. */
  #checkedAlerts = 0
  #checkedFrom: string | null = null

  /**
   * Sends rows and presses until `over`, starting with everything not acknowledged yet, as clients do. Settles when it
   * has started, with a promise for when everything has stopped.
   */
  async begin(site: ProcessSite, over: AbortSignal, flow: Flow): Promise<{ readonly ended: Promise<unknown> }> {
    const open = this.alerts.filter((alert) => alert.acknowledgedAt === null)
    const [pressers, lanes] = await Promise.all([
      Promise.all(Array.from({ length: flow.presses }, () => this.#presser(site, flow))),
      Promise.all(this.#trackers.map((tracker) => this.#connected(site, tracker))),
    ])
    const rows = lanes.map((begin) => begin(over))
    const again = open.map((alert) => this.#press(site, alert))
    const fresh = pressers.map((press) => press(over))
    return { ended: Promise.allSettled([...rows, ...again, ...fresh]) }
  }

  async #connected(site: ProcessSite, tracker: Tracker): Promise<(over: AbortSignal) => Promise<void>> {
    const user = await site.user(tracker.externalUserId)
    tracker.userId = user.userId
    const phone = await Phone.connect(Number(new URL(site.mqtt).port), identityOf(user))
    const topic = telemetryTopic(user.userId)
    const publish = async (moment: string): Promise<void> => {
      const row = { timestamp: moment, latitude: 46.53, longitude: 12.13, mobileBattery: 76 }
      await phone.publish(topic, JSON.stringify(row))
      tracker.acknowledged.add(moment)
    }
    return async (over) => {
      const lane = async (): Promise<void> => {
        while (!over.aborted) {
          const moment = newMoment()
          tracker.sent.push(moment)
          await publish(moment)
        }
      }
      try {
        await Promise.all(tracker.sent.filter((moment) => !tracker.acknowledged.has(moment)).map(publish))
        await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
      } finally {
        phone.close()
      }
    }
  }

  /** A new user, with contacts, who presses at a random moment. */
  async #presser(site: ProcessSite, { withinMs, contacts }: Flow): Promise<(over: AbortSignal) => Promise<void>> {
    const externalUserId = `hiker-${randomUUID()}`
    const told = contacts()
    const { userId } = await site.user(externalUserId, told)
    return async (over) => {
      await sleep(Math.random() * withinMs)
      if (over.aborted) return
      const pressed = { externalUserId, userId, contacts: told, moment: newMoment(), pressedAt: Date.now() }
      const alert: Alert = { ...pressed, acknowledgedAt: null }
      this.alerts.push(alert)
      await this.#press(site, alert)
    }
  }

  /** Alternates between MQTT and REST. */
  async #press(site: ProcessSite, alert: Alert): Promise<void> {
    const payload = { timestamp: alert.moment, latitude: 46.53, longitude: 12.13 }
    const user = site.phone(alert.externalUserId)
    if (this.alerts.indexOf(alert) % 2 === 0) {
      const { status } = await user.rest('POST', '/v1/sdk/sos', payload)
      if (status < 200 || status > 299) return
    } else {
      await user.introduce()
      const phone = await Phone.connect(Number(new URL(site.mqtt).port), identityOf(user))
      await phone.publish(alertTopic(alert.userId), JSON.stringify(payload)).finally(() => phone.close())
    }
    alert.acknowledgedAt = Date.now()
  }

  /**
   * Settles after this many more acknowledgements, or after a while: on a very slow machine, a run must not end before
   * it has begun, nor wait forever.
   */
  async takesIn(acknowledgements: number): Promise<void> {
    const count = () => this.alertsAcknowledged + this.rowsAcknowledged
    const enough = count() + acknowledgements
    const deadline = performance.now() + CRAWLING_MS
    while (count() < enough && performance.now() < deadline) await sleep(5)
  }

  /** Looks for everything acknowledged since the last check, or `sinceEver`. */
  async check(site: ProcessSite, sinceEver = false): Promise<void> {
    const alerts = sinceEver ? this.alerts : this.alerts.slice(this.#checkedAlerts)
    const from = sinceEver || this.#checkedFrom === null ? null : parseEventTime(this.#checkedFrom)
    // Rows are sent in time order, and rows unacknowledged by then are sent again first.
    const next = new Date(Date.now() - 1).toISOString()
    await site.look(async (store) => {
      for (const { userId, moment, acknowledgedAt } of alerts) {
        if (acknowledgedAt !== null && (await store.openIncident(userId)) === null) this.#lost.add(moment)
      }
      let doubled = 0
      for (const { userId, acknowledged } of this.#trackers) {
        if (userId === '') continue
        const stored = new Map<string, number>()
        for (let after: string | null = null; ; ) {
          const page = await store.telemetryHistory(userId, { after, limit: PAGE, from, to: null })
          if ('refused' in page) throw new Error(page.refused)
          for (const { payload } of page.items) {
            const moment = payload.timestamp!
            stored.set(moment, (stored.get(moment) ?? 0) + 1)
          }
          after = page.after
          if (after === null) break
        }
        doubled += [...stored.values()].filter((times) => times > 1).length
        for (const moment of acknowledged) {
          const isAsked = from === null || (this.#checkedFrom !== null && moment >= this.#checkedFrom)
          if (isAsked && !stored.has(moment)) this.#lost.add(moment)
        }
      }
      if (from === null) this.#doubledRows = doubled
    })
    // An alert not yet acknowledged is checked once it is.
    const open = this.alerts.findIndex(({ acknowledgedAt }) => acknowledgedAt === null)
    this.#checkedAlerts = open === -1 ? this.alerts.length : open
    this.#checkedFrom = next
  }

  get rowsAcknowledged(): number {
    return this.#trackers.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0)
  }

  get alertsAcknowledged(): number {
    return this.alerts.filter(({ acknowledgedAt }) => acknowledgedAt !== null).length
  }

  get unanswered(): number {
    const rows = this.#trackers.reduce((sum, { sent, acknowledged }) => sum + sent.length - acknowledged.size, 0)
    return rows + this.alerts.length - this.alertsAcknowledged
  }

  get lost(): number {
    return this.#lost.size
  }

  get doubledRows(): number {
    return this.#doubledRows
  }

  /** Of the presses, including the time for which the service was down. */
  get sos(): SosFigures | null {
    const times = this.alerts.flatMap(({ pressedAt, acknowledgedAt }) =>
      acknowledgedAt === null ? [] : [acknowledgedAt - pressedAt],
    )
    if (times.length === 0) return null
    const { p50, max } = spreadOf(times)
    return { quietP50Ms: null, presses: times.length, pubackP50Ms: p50, pubackMaxMs: max, p50Ms: p50, maxMs: max }
  }
}
