import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Session } from '../../../../core/account/session.ts'
import { opens, relationTo, type ToldState, toldState } from '../../../../core/incident/told-state.ts'
import { ownTopics } from '../../../../core/ingest/topic.ts'
import { BoundedMap } from '../../../../lib/bounded-map.ts'
import { SECOND } from '../../../../lib/durations.ts'
import { checkEvery, inSteps } from '../../../../lib/in-steps.ts'
import { ReaderProgress } from '../../../../lib/reader-progress.ts'
import { COMMENT, startEvents } from '../event-stream.ts'
import { type Peer, peerOf } from '../listener/client.ts'

/** Streams at once of one user. Another one ends the oldest. */
const MAX_PER_USER = 3
const CHECK_MS = SECOND
/** A comment is due with the first check after this: at most 15 s after the one before. */
const BEAT_AFTER_MS = 14 * SECOND
/** As for MQTT: a reader without progress for so long, while bytes wait for it, is disconnected. */
const STALL_MS = 4 * SECOND
/** A reader so far behind is disconnected, too. */
const MAX_UNREAD_BYTES = 256 * 1024
/** Incidents whose newest version a stream remembers. A user has one open at a time. */
const MAX_REMEMBERED = 4

/** An event as the streams of its user get it. */
type Told = {
  readonly payload: string
  readonly text: string
  readonly incidentId: string | null
  readonly version: number | null
}

type Options = {
  readonly maxPerUser?: number
  readonly stallMs?: number
  readonly maxUnreadBytes?: number
  readonly checkMs?: number
  readonly beatAfterMs?: number
}

/** One stream, from the moment it counts among its user's. */
export class UserStream {
  readonly session: Session
  readonly #leave: (stream: UserStream) => void
  readonly #maxUnreadBytes: number
  #response: ServerResponse | null = null
  #peer: Peer | null = null
  /** Events that wait for the state; null once it is written. */
  #held: Told[] | null = []
  #heldBytes = 0
  /** The state that was told, until an event that is newer: events come in order. */
  #state: ToldState | null = null
  readonly #versions = new BoundedMap<string, number>(MAX_REMEMBERED)
  #hasLeft = false
  #beatAt = 0
  readonly #progress = new ReaderProgress()

  constructor(session: Session, leave: (stream: UserStream) => void, maxUnreadBytes: number) {
    this.session = session
    this.#leave = leave
    this.#maxUnreadBytes = maxUnreadBytes
  }

  /** Whether it has ended, perhaps before it began. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /**
   * Begins with the state, as JSON, unless every event of its incident waits: of a press right after the opening,
   * `processed` comes first. `state` null: there is none.
   */
  begin(reply: FastifyReply, state: string | null): void {
    const response = startEvents(reply)
    this.#response = response
    this.#peer = peerOf(reply.request.raw)
    this.#beatAt = performance.now()
    response.once('close', () => this.#gone())
    const held = this.#held ?? []
    this.#held = null
    const told = state === null ? null : toldState(state)
    if (state !== null && told !== null && !held.some(({ payload }) => opens(told, payload))) {
      this.#state = told
      this.#write(toldOf(state))
    }
    for (const event of held) this.tell(event)
    if (response.destroyed) this.#gone()
  }

  /** Nothing older follows anything newer of the same incident. */
  tell(event: Told): void {
    if (this.#hasLeft) return
    if (this.#held !== null) {
      this.#held.push(event)
      this.#heldBytes += event.text.length
      if (this.#heldBytes > this.#maxUnreadBytes) this.#gone()
      return
    }
    const { incidentId, version, payload } = event
    if (incidentId !== null && version !== null && version <= (this.#versions.get(incidentId) ?? 0)) return
    if (this.#state !== null) {
      const relation = relationTo(this.#state, payload)
      if (relation === 'known') return
      if (relation === 'newer') this.#state = null
    }
    this.#write(event)
  }

  #write({ incidentId, version, text }: Told): void {
    const response = this.#response!
    if (response.destroyed || response.writableEnded) return
    if (incidentId !== null && version !== null) this.#versions.set(incidentId, version)
    if (response.writableLength > this.#maxUnreadBytes) this.cut()
    else response.write(text)
  }

  /** Ends it after its pending writes. */
  end(): void {
    this.#response?.end()
    this.#gone()
  }

  /** Ends it at once: this client may no longer read the events that wait. */
  cut(): void {
    this.#response?.destroy()
    this.#gone()
  }

  /** Beats, and ends it if its client has gone, reads nothing, or wants something else. */
  check(now: number, { stallMs, beatAfterMs }: { readonly stallMs: number; readonly beatAfterMs: number }): void {
    const response = this.#response
    if (response === null || response.destroyed || response.writableEnded) return
    const peer = this.#peer
    if (peer !== null && (peer.gone() !== null || this.#isStalled(peer, now, stallMs))) this.cut()
    // The next request waits for the end of this answer, and it may be an SOS.
    else if (peer?.isFollowed()) this.end()
    else if (now - this.#beatAt >= beatAfterMs) {
      this.#beatAt = now
      response.write(COMMENT)
    }
  }

  #isStalled(peer: Peer, now: number, stallMs: number): boolean {
    const { writableLength: waiting } = this.#response!
    return this.#progress.stalledMs(now, { sent: peer.bytesSent(), waiting }) >= stallMs
  }

  readonly #gone = (): void => {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#held = null
    this.#leave(this)
  }
}

/**
 * The streams of server-sent events to apps that speak no MQTT (protocol.md#event-stream). They carry the broker's
 * events, and end when the broker's sessions of the same users would: on every node.
 */
export class UserStreams {
  readonly #options: Required<Options>
  /** The streams of a user, the oldest first, by each of the user's topics. */
  readonly #byTopic = new Map<string, Set<UserStream>>()
  readonly #all = new Set<UserStream>()
  #stopChecking: (() => void) | null = null
  #isSuspended = false
  #isClosed = false

  constructor({
    maxPerUser = MAX_PER_USER,
    stallMs = STALL_MS,
    maxUnreadBytes = MAX_UNREAD_BYTES,
    checkMs = CHECK_MS,
    beatAfterMs = BEAT_AFTER_MS,
  }: Options = {}) {
    this.#options = { maxPerUser, stallMs, maxUnreadBytes, checkMs, beatAfterMs }
  }

  get size(): number {
    return this.#all.size
  }

  /**
   * A stream that is among its user's from now on. Its events wait until it begins. Null: this node admits none now.
   */
  join(session: Session): UserStream | null {
    if (this.#isSuspended || this.#isClosed) return null
    const stream = new UserStream(session, this.#leave, this.#options.maxUnreadBytes)
    const topics = ownTopics(session.userId)
    const own = this.#byTopic.get(topics[0]!) ?? new Set()
    if (own.size >= this.#options.maxPerUser) for (const oldest of [...own].slice(0, 1)) oldest.end()
    for (const topic of topics) this.#byTopic.set(topic, own)
    own.add(stream)
    this.#all.add(stream)
    this.#stopChecking ??= checkEvery(this.#options.checkMs, (now) =>
      inSteps(this.#all, (one) => one.check(now, this.#options)),
    )
    return stream
  }

  /** Never waits, never fails. */
  publish(topics: readonly string[], payload: string): void {
    let event: Told | null = null
    for (const topic of topics) {
      for (const stream of this.#byTopic.get(topic) ?? []) {
        event ??= toldOf(payload)
        stream.tell(event)
      }
    }
  }

  sessions(): readonly Session[] {
    return [...this.#all].map(({ session }) => session)
  }

  closeWhere(predicate: (session: Session) => boolean): number {
    const ended = [...this.#all].filter(({ session }) => predicate(session))
    for (const stream of ended) stream.cut()
    return ended.length
  }

  /** Suspended, it admits none; suspending ends all. */
  suspend(isSuspended: boolean): void {
    this.#isSuspended = isSuspended
    if (isSuspended) this.closeWhere(() => true)
  }

  /** Ends all of them, so that no stop waits for them. */
  close(): void {
    this.#isClosed = true
    for (const stream of [...this.#all]) stream.end()
  }

  readonly #leave = (stream: UserStream): void => {
    if (!this.#all.delete(stream)) return
    const topics = ownTopics(stream.session.userId)
    const own = this.#byTopic.get(topics[0]!)
    own?.delete(stream)
    if (own?.size === 0) for (const topic of topics) this.#byTopic.delete(topic)
    if (this.#all.size > 0) return
    this.#stopChecking?.()
    this.#stopChecking = null
  }
}

/** The name of an event is its `type`. */
function toldOf(payload: string): Told {
  const { type, incidentId, snapshotVersion } = JSON.parse(payload)
  return {
    payload,
    text: `event: ${type}\ndata: ${payload}\n\n`,
    incidentId: typeof incidentId === 'string' ? incidentId : null,
    version: typeof snapshotVersion === 'number' ? snapshotVersion : null,
  }
}
