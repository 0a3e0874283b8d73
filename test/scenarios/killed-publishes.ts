import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { newMoment } from '../harness/moment.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { type ProcessSite, UNHURRIED } from '../harness/process-site.ts'
import { until } from '../harness/wait.ts'

/**
 * Clients that publish until the service is killed, again and again: what was acknowledged must be stored, and the rest
 * can be sent again.
 */
export async function publishes(t: TestContext, service: ProcessSite) {
  const site = await service.application({ settings: UNHURRIED })
  const trackers = [4, 5, 4].map((version, n) => new Tracker(`tracker-${n}`, version as 4 | 5))
  const pressers = [4, 5].map((version, n) => new Presser(`presser-${n}`, version as 4 | 5))
  const streams = [...trackers, ...pressers]
  return {
    /** The service has started. */
    async comesBack(): Promise<void> {
      await Promise.all(streams.map((stream) => stream.comesBack(site)))
    },

    async begins(): Promise<void> {
      const before = streams.map((stream) => stream.acknowledged.size)
      for (const stream of streams) stream.begins()
      await until('every stream flows', () => streams.every((stream, n) => stream.acknowledged.size > before[n]!))
    },

    /** The service has been killed. */
    ends(): void {
      for (const stream of streams) stream.ends()
    },

    /** To be called in the last run. */
    async isComplete(): Promise<void> {
      await Promise.all(streams.map((stream) => stream.isComplete(site)))
      const sent = streams.reduce((sum, stream) => sum + stream.sent.length, 0)
      const lost = streams.reduce((sum, stream) => sum + stream.repeated, 0)
      t.diagnostic(`${sent} sent, ${lost} of them sent again`)
      assert.ok(lost > 0, 'no kill met a publish under way')
    },
  }
}

/** A client that sends one publish after the other, and remembers which were acknowledged. */
abstract class Stream {
  readonly sent: string[] = []
  readonly acknowledged = new Set<string>()
  repeated = 0
  protected user: PhoneUser | null = null
  protected flowing = false
  readonly #externalUserId: string
  readonly #protocolVersion: 4 | 5

  constructor(externalUserId: string, protocolVersion: 4 | 5) {
    this.#externalUserId = externalUserId
    this.#protocolVersion = protocolVersion
  }

  /** Connects to the current service and resends everything without a PUBACK. */
  async comesBack(site: ProcessSite): Promise<void> {
    this.user = await site.user(this.#externalUserId)
    await this.user.connect({ protocolVersion: this.#protocolVersion })
    const open = this.sent.filter((moment) => !this.acknowledged.has(moment))
    this.repeated += open.length
    await Promise.all(open.map((moment) => this.publishes(moment)))
  }

  begins(): void {
    this.flowing = true
    this.flow().catch(() => {})
  }

  ends(): void {
    this.flowing = false
  }

  protected async publishesNew(): Promise<void> {
    const moment = newMoment()
    this.sent.push(moment)
    await this.publishes(moment)
  }

  async publishes(moment: string): Promise<void> {
    await this.publish(moment)
    this.acknowledged.add(moment)
  }

  protected abstract publish(moment: string): Promise<void>
  protected abstract flow(): Promise<void>
  /** Checks that everything ever sent is stored once. */
  abstract isComplete(site: ProcessSite): Promise<void>
}

/** Telemetry, with several publishes in flight. */
class Tracker extends Stream {
  protected publish(timestamp: string): Promise<void> {
    return this.user!.moves({ timestamp, mobileBattery: 50 })
  }

  protected async flow(): Promise<void> {
    const lane = async () => {
      while (this.flowing) await this.publishesNew()
    }
    await Promise.all(Array.from({ length: 10 }, lane))
  }

  async isComplete(site: ProcessSite): Promise<void> {
    const { userId } = this.user!
    const stored: string[] = []
    await site.look(async (store) => {
      let after: string | null = null
      do {
        const page = await store.telemetryHistory(userId, { after, limit: 100, from: null, to: null })
        assert.ok('items' in page)
        stored.push(...page.items.map(({ payload }) => payload.timestamp!))
        after = page.after
      } while (after !== null)
    })
    assert.deepEqual(stored.sort(), this.sent.sort())
  }
}

/** SOS, each cancelled before the next: every press opens an incident. */
class Presser extends Stream {
  readonly #cancelled = new Set<string>()

  override async comesBack(site: ProcessSite): Promise<void> {
    await super.comesBack(site)
    await this.#cancels()
  }

  protected publish(timestamp: string): Promise<void> {
    return this.user!.presses({ timestamp })
  }

  protected async flow(): Promise<void> {
    while (this.flowing) {
      await this.publishesNew()
      await this.#cancels()
    }
  }

  /** By name: without one, a node that has just stood still may leave the alarm open, and says so. rules.md#ends. */
  async #cancels(): Promise<void> {
    const timestamp = this.sent.at(-1)
    if (timestamp === undefined) return
    const { status, body } = await this.user!.rest('POST', '/v1/sdk/sos/cancel', { alert: { timestamp } })
    assert.deepEqual([status, body], [200, { incident: null, ended: true }])
    for (const moment of this.acknowledged) this.#cancelled.add(moment)
  }

  async isComplete(): Promise<void> {
    const incidents: any[] = []
    let cursor = ''
    do {
      const { body } = await this.user!.rest('GET', `/v1/sdk/sos/history?limit=100${cursor}`)
      incidents.push(...body.items)
      cursor = body.hasMore ? `&cursor=${encodeURIComponent(body.nextCursor)}` : ''
    } while (cursor !== '')
    assert.deepEqual(incidents.map(({ occurredAt }) => occurredAt).sort(), this.sent.sort())
    for (const { occurredAt, status } of incidents) {
      if (this.#cancelled.has(occurredAt)) assert.equal(status, 'cancelled')
    }
  }
}
