import { sinceBoot } from '../../../../lib/waited.ts'
import type { Log } from '../../../../ports/log.ts'
import type { Notice } from '../../../../ports/store.ts'
import type { Connection } from '../engine/connection.ts'
import type { Announced } from './announced.ts'
import { CHANNEL } from './bell.ts'

/** Between reads requested by another node's bell. */
const BELL_MS = 20
/** A notice is kept this long after a node has seen it. */
const KEEP_MS = 60_000
const PURGE_MS = KEEP_MS / 2
/**
 * After this long without a look this process no longer tells its clients about changes. As long as a lease, and far
 * less than `KEEP_MS`: no notice that a client could miss has been deleted by then.
 */
const CUT_OFF_MS = 15_000
const CHECK_MS = 1_000
/** Texts that are read at a time. */
const TEXTS_AT_ONCE = 100
/** Notices that are deleted at a time: far fewer than the statement time-out allows, however many have gathered. */
const PURGED_AT_ONCE = 5_000

type Head = {
  readonly xmin: number
  /** By the server's clock, in ms. */
  readonly now: number
  readonly id: number | null
  readonly xact: number
  readonly origin: string
  readonly incidentId: string | null
  readonly mark: number | null
}
type Fresh = Head & { readonly id: number }
/** `xact`: a standby that had not got all may give an id out again. `at`: monotonic milliseconds. */
type Seen = { readonly xact: number; readonly at: number }

/**
 * Ids become visible out of order: a transaction may take one early and commit late. Of the transactions that had ended
 * when the previous look began all notices are known; of the others, those that have been read are. Without the texts,
 * because a long transaction elsewhere lets every look return the same rows again.
 */
const HEADS = {
  name: 'notice-heads',
  text: `SELECT horizon.xmin, horizon.now, notices.id, notices.xact, notices.origin, notices.incident_id AS "incidentId", notices.mark
    FROM (
      SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xmin,
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
    ) AS horizon
    LEFT JOIN notices ON notices.xact >= $1 ORDER BY notices.id`,
}
const TEXTS = { name: 'notice-texts', text: 'SELECT id, notice FROM notices WHERE id = ANY($1) ORDER BY id' }

type FollowerNeeds = {
  readonly connect: () => Promise<Connection>
  /** The name under which this process leaves notices. */
  readonly origin: string
  readonly announced: Announced
  /** Never throws. */
  readonly hear: (notice: Notice) => void
  /** Deletes notices that were seen `KEEP_MS` ago. Resolves with those still there: another node has them locked. */
  readonly purge: (ids: readonly number[]) => Promise<readonly number[]>
  /** Whether to listen for the bells of other nodes. */
  readonly listens: boolean
  /** Time between two reads without a bell. */
  readonly pollMs: number
  readonly clocks?: typeof machineClocks
  readonly log: Log
}

/**
 * Reads every notice that is left from its first look on, once, in the order of ids, by polling. Of its own process it
 * reads only events that have not been announced: the answer to their commit was lost.
 */
export class Follower {
  readonly #needs: FollowerNeeds
  #connection: Connection | null = null
  #xmin = 0
  /** By id, oldest first. */
  readonly #seen = new Map<number, Seen>()
  readonly #clocks: typeof machineClocks
  #lookedAt: ReturnType<typeof machineClocks>
  /** The same by the server's clock. */
  #serverAt = 0
  #purgedAt: number
  #isPurging = false
  /** Deleted by the last purge. */
  #purged: number[] = []
  #looking: Promise<void> | null = null
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  /** The moment of the next look, in monotonic milliseconds. */
  #nextAt = Number.POSITIVE_INFINITY
  #checks: NodeJS.Timeout | undefined
  #isFailing = false
  #isCutOff = false
  #isStopped = false

  constructor(needs: FollowerNeeds) {
    this.#needs = needs
    this.#clocks = needs.clocks ?? machineClocks
    this.#lookedAt = this.#clocks()
    this.#purgedAt = this.#lookedAt.monotonic
  }

  /** The first look. What was left before it is not delivered. Rejects with a StoreError if it fails. */
  async start(): Promise<void> {
    const heads = await this.#heads(await this.#session())
    this.#lookedAt = this.#clocks()
    this.#serverAt = heads.now
    for (const head of heads.fresh) this.#sees(head)
    this.#within(this.#needs.pollMs)
    this.#checks = setInterval(() => this.checkLate(), CHECK_MS).unref()
  }

  /** Resolves when everything that is committed by now has been delivered, or with `stop`. Never rejects. */
  caughtUp(): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#within(0)
    })
  }

  /** Age of the last look that succeeded, since its beginning, in ms. */
  get ageMs(): number {
    const [now, last] = [this.#clocks(), this.#lookedAt]
    return Math.max(now.monotonic - last.monotonic, now.sinceBoot - last.sinceBoot)
  }

  /** Announces `cut_off` if the last look is too long ago. */
  checkLate(): void {
    if (this.ageMs > CUT_OFF_MS) this.#cutOff()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    clearInterval(this.#checks)
    await this.#looking
    for (const resolve of this.#waiting.splice(0)) resolve()
    await this.#connection?.close()
  }

  #cutOff(): void {
    if (this.#isCutOff || this.#isStopped) return
    this.#isCutOff = true
    this.#needs.hear({ kind: 'cut_off' })
  }

  /** The next look comes after `ms` at the latest, or as long after the one under way. */
  #within(ms: number): void {
    const at = performance.now() + ms
    if (at >= this.#nextAt || this.#isStopped) return
    this.#nextAt = at
    if (this.#looking === null) this.#arm()
  }

  #arm(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => {
        this.#looking = this.#lookAndRest()
      },
      Math.max(0, this.#nextAt - performance.now()),
    )
    this.#timer.unref()
  }

  async #lookAndRest(): Promise<void> {
    const { log } = this.#needs
    const waiting = this.#waiting.splice(0)
    this.#nextAt = Number.POSITIVE_INFINITY
    try {
      await this.#look()
      for (const resolve of waiting) resolve()
      if (this.#isFailing) log.info({}, 'hears of changes on other nodes again')
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing && !this.#isStopped) log.error({ err: error }, 'cannot hear of changes on other nodes')
      this.#isFailing = true
      this.#waiting.unshift(...waiting)
      this.#nextAt = Number.POSITIVE_INFINITY
    }
    void this.#purge()
    this.#looking = null
    this.#within(this.#needs.pollMs)
    if (!this.#isStopped) this.#arm()
  }

  async #look(): Promise<void> {
    const { announced, hear, origin } = this.#needs
    // First: after a suspension this may run before the check.
    this.checkLate()
    const now = this.#clocks()
    const connection = await this.#session()
    const heads = await this.#heads(connection)
    // A virtual machine that was paused finds that out by its wall clock alone, which may also have been set.
    const passedMs = Math.min(now.wall - this.#lookedAt.wall, heads.now - this.#serverAt)
    if (passedMs > CUT_OFF_MS) this.#cutOff()
    const fresh = heads.fresh.filter(({ id, xact }) => this.#seen.get(id)?.xact !== xact)
    for (let at = 0; at < fresh.length; at += TEXTS_AT_ONCE) {
      const some = fresh.slice(at, at + TEXTS_AT_ONCE)
      try {
        await this.#deliver(
          connection,
          some.filter((head) => isWanted(head, announced, origin)),
        )
      } catch (error) {
        // These, and those behind them, are read again.
        this.#xmin = 0
        throw error
      }
      for (const head of some) this.#sees(head)
    }
    this.#lookedAt = now
    this.#serverAt = heads.now
    if (!this.#isCutOff) return
    this.#isCutOff = false
    hear({ kind: 'back' })
  }

  async #heads(connection: Connection): Promise<{ readonly now: number; readonly fresh: readonly Fresh[] }> {
    const heads = await connection.rows<Head>(HEADS, [this.#xmin])
    const { xmin, now } = heads[0]!
    this.#xmin = xmin
    return { now, fresh: heads.filter((head): head is Fresh => head.id !== null) }
  }

  #sees({ id, xact }: Fresh): void {
    this.#seen.delete(id)
    this.#seen.set(id, { xact, at: this.#clocks().monotonic })
  }

  async #deliver(connection: Connection, heads: readonly Fresh[]): Promise<void> {
    if (heads.length === 0) return
    const { announced, hear } = this.#needs
    const texts = await connection.rows<{ id: number; notice: string }>(TEXTS, [heads.map(({ id }) => id)])
    const headOf = new Map(heads.map((head) => [head.id, head]))
    for (const { id, notice } of texts) {
      const { incidentId, mark } = headOf.get(id)!
      // This process may have announced it in the meantime.
      if (incidentId === null || mark === null || announced.take(incidentId, mark)) hear(JSON.parse(notice))
    }
  }

  async #session(): Promise<Connection> {
    if (this.#connection?.isUsable) return this.#connection
    const { connect, listens, origin } = this.#needs
    const connection = await connect()
    this.#connection = connection
    // The server may have been restarted, or replaced by its standby, and then gives numbers of transactions out again
    // that were on no disk: those of rings, and of clocks confirmed. The next look reads everything.
    this.#xmin = 0
    if (listens) {
      await connection.listen(CHANNEL, (from) => {
        if (from !== origin) this.#within(BELL_MS)
      })
    }
    return connection
  }

  /** Beside the looks: it waits behind other upkeep, and in a mass alert that takes long. Never rejects. */
  async #purge(): Promise<void> {
    const now = this.#clocks().monotonic
    if (this.#isPurging || now - this.#purgedAt < PURGE_MS) return
    this.#isPurging = true
    this.#purgedAt = now
    // Not sooner: a look may have been reading them, and a standby that takes over may not know that they are gone.
    for (const id of this.#purged.splice(0)) this.#seen.delete(id)
    const old = [...this.#seen].filter(([, { at }]) => now - at >= KEEP_MS).map(([id]) => id)
    try {
      for (let at = 0; at < old.length && !this.#isStopped; at += PURGED_AT_ONCE) {
        const some = old.slice(at, at + PURGED_AT_ONCE)
        const left = new Set(await this.#needs.purge(some))
        for (const id of some) if (!left.has(id)) this.#purged.push(id)
      }
    } catch (error) {
      if (!this.#isStopped) this.#needs.log.warn({ err: error }, 'old notices could not be deleted; trying again')
    }
    this.#isPurging = false
  }
}

/** In ms. The monotonic one stops while the machine is suspended, and the wall clock may be set. */
const machineClocks = () => ({ monotonic: performance.now(), sinceBoot: sinceBoot(), wall: Date.now() })

const isWanted = ({ incidentId, mark, origin }: Head, announced: Announced, own: string): boolean =>
  incidentId === null || mark === null ? origin !== own : !announced.has(incidentId, mark)
