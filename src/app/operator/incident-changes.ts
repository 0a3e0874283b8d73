import { secretHash } from '../../core/operator/secret.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import { type Change, ChangeFeed, type ChangeListener, type Following } from './change-feed.ts'

/** The fields this module reads. */
type Item = { readonly applicationId: string; readonly drill: boolean; readonly simulated: boolean }

/** Incidents whose last sent state is known, as a digest, so that none is sent twice. */
const MAX_KNOWN = 20_000
/** Incidents that may wait to be read. Beyond it, all listeners read the board again. */
const MAX_WAITING = 20_000
/** Screens are told this much later, so that the PUBACK and the event reach the person who pressed first. */
const ANSWER_MS = 5
/** Incidents read at a time, followed by a pause, so that screens do not use up what alarms need. */
const AT_ONCE = 8
const PAUSE_MS = 20
const PAUSE_AFTER_FAULT_MS = SECOND
/** How long changes are kept for a page that reconnects when nobody else listens. */
const LINGER_MS = 2 * MINUTE
const ERA_LENGTH = 10

type IncidentChangeNeeds = {
  /** The item of the board as it is now; null if the incident is gone. Rejects with a StoreError. */
  readonly read: (incidentId: string) => Promise<Item | null>
  readonly ids: Pick<Ids, 'secret'>
  readonly log: Log
  /** Calls `work` after `ms`, without keeping the process alive. Default: a timer. */
  readonly after?: (ms: number, work: () => void) => () => void
  readonly kept?: number
  readonly maxWaiting?: number
}

/**
 * The changes of incidents, in the order in which this node heard of them, for operators' screens. A commit only queues
 * the incident's id; its item is read once for all listeners, after the alarms. The numbers of changes continue across
 * reconnects to this node; after a restart, a fail-over or too long a silence, the listener is told to read the board
 * again. Nothing is read while nobody listens. A change that was sent is never sent again, and one that was not stays
 * queued until its item could be read. Drills wait behind everything real: a hundred of them can begin at once.
 */
export class IncidentChanges {
  readonly #needs: Required<Omit<IncidentChangeNeeds, 'kept'>>
  readonly #feed: ChangeFeed
  /** Digest by incident, in order of the last notification. */
  readonly #known = new BoundedMap<string, string>(MAX_KNOWN)
  /** Changed since they were last read, in order of arrival. */
  readonly #waiting = new Set<string>()
  /** The same for drills, if known to be some. */
  readonly #drillsWaiting = new Set<string>()
  /** Incidents that were drills when last read, the longest known first. */
  readonly #drills = new Set<string>()
  #isReading = false
  #isFailing = false
  #isOn = false
  #isClosed = false
  #forget: () => void = () => undefined

  constructor({ kept, ...needs }: IncidentChangeNeeds) {
    this.#needs = { after: onTimer, maxWaiting: MAX_WAITING, ...needs }
    this.#feed = new ChangeFeed({ newEra: () => needs.ids.secret().slice(0, ERA_LENGTH), log: needs.log, kept })
  }

  /**
   * An incident has changed, here or on another node. Costs nothing while nobody listens. `isDrill`: if the caller
   * knows; a drill always stays one.
   */
  changed(incidentId: string, isDrill = false): void {
    if (!this.#isOn || this.#isClosed) return
    if (isDrill) this.#noteDrill(incidentId)
    this.#wait(incidentId)
    if (this.#waitingCount() > this.#needs.maxWaiting) this.reset()
    else if (!this.#isReading) {
      this.#isReading = true
      this.#needs.after(ANSWER_MS, () => void this.#readAll())
    }
  }

  /** Announces a note or a tick, which the item may not show. */
  noted(incidentId: string): void {
    this.#known.delete(incidentId)
    this.changed(incidentId)
  }

  /** Changes may have been missed or undone: all listeners read the board again. */
  reset(): void {
    this.#known.clear()
    this.#waiting.clear()
    this.#drillsWaiting.clear()
    this.#feed.startAnew()
  }

  /** `known`: the id of the last change that the listener has; null if it is new. */
  follow(known: string | null, listener: ChangeListener): Following {
    this.#forget()
    this.#isOn = true
    const following = this.#feed.follow(known, listener)
    return { ...following, stop: () => this.#leave(following) }
  }

  /** Whether everything announced so far could be read; if not, screens may be outdated. */
  get isCurrent(): boolean {
    return !this.#isFailing
  }

  close(): void {
    this.#isClosed = true
    this.#forget()
    this.#waiting.clear()
    this.#drillsWaiting.clear()
    this.#feed.end()
  }

  #leave(following: Following): void {
    following.stop()
    if (this.#feed.isFollowed || this.#isClosed) return
    this.#forget()
    this.#forget = this.#needs.after(LINGER_MS, () => {
      this.#isOn = false
      this.reset()
    })
  }

  #wait(incidentId: string): void {
    const line = this.#drills.has(incidentId) ? this.#drillsWaiting : this.#waiting
    line.add(incidentId)
  }

  #waitingCount(): number {
    return this.#waiting.size + this.#drillsWaiting.size
  }

  #noteDrill(incidentId: string): void {
    this.#drills.add(incidentId)
    if (this.#drills.size > MAX_KNOWN) this.#drills.delete(this.#drills.values().next().value!)
  }

  /** The next ids, drills last. A change from here on queues the incident again. */
  #nextIds(): readonly string[] {
    const ids: string[] = []
    for (const line of [this.#waiting, this.#drillsWaiting]) {
      for (const id of line) {
        if (ids.length === AT_ONCE) break
        ids.push(id)
        line.delete(id)
      }
    }
    return ids
  }

  async #readAll(): Promise<void> {
    const ids = this.#nextIds()
    const { era } = this.#feed
    const items = await Promise.allSettled(ids.map((id) => this.#needs.read(id)))
    const fault = items.find((item) => item.status === 'rejected')
    if (era === this.#feed.era) this.#tell(ids, items)
    this.#noteFault(fault?.reason)
    if (this.#waitingCount() === 0 || this.#isClosed) {
      this.#isReading = false
      return
    }
    this.#needs.after(fault === undefined ? PAUSE_MS : PAUSE_AFTER_FAULT_MS, () => void this.#readAll())
  }

  #tell(ids: readonly string[], items: readonly PromiseSettledResult<Item | null>[]): void {
    const changes: Omit<Change, 'id'>[] = []
    for (const [place, item] of items.entries()) {
      const incidentId = ids[place]!
      if (item.status === 'rejected') {
        this.#wait(incidentId)
        continue
      }
      if (item.value === null) {
        this.#known.delete(incidentId)
        continue
      }
      const { applicationId, drill, simulated } = item.value
      const event = drill && !simulated ? 'drill' : 'incident'
      if (event === 'drill') this.#noteDrill(incidentId)
      const text = JSON.stringify(item.value)
      if (this.#isNew(incidentId, text)) changes.push({ event, applicationId, text })
    }
    if (changes.length > 0) this.#feed.append(changes)
  }

  #isNew(incidentId: string, text: string): boolean {
    const digest = secretHash(text)
    if (this.#known.get(incidentId) === digest) return false
    this.#known.set(incidentId, digest)
    return true
  }

  #noteFault(error: unknown): void {
    if (error !== undefined && !this.#isFailing) {
      this.#needs.log.warn({ err: error }, 'changed incidents cannot be read for the consoles; trying again')
    }
    this.#isFailing = error !== undefined
  }
}

function onTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms).unref()
  return () => clearTimeout(timer)
}
