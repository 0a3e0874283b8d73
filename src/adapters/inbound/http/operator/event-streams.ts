import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { OperatorCaller } from '../../../../app/operator/callers.ts'
import type { Change, Following } from '../../../../app/operator/change-feed.ts'
import type { IncidentChanges } from '../../../../app/operator/incident-changes.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import { type Grant, mayDo } from '../../../../core/operator/role.ts'
import { SECOND } from '../../../../lib/durations.ts'
import { checkEvery } from '../../../../lib/in-steps.ts'
import { type Place, Places } from '../../../../lib/places.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { Log } from '../../../../ports/log.ts'
import { eventOf, startEvents } from '../event-stream.ts'

/** Streams at once: of one operator or token, and of all together. The next one is refused. */
const STREAMS_PER_CALLER = 20
const MAX_STREAMS = 200
/** Interval at which each stream checks that its caller is still admitted: a revoked one ends within this time. */
const CHECK_MS = 1.5 * SECOND
/** A heartbeat is due with the first check after this: at most 15 s after the one before. */
const BEAT_AFTER_MS = 13 * SECOND
/** A client this far behind is disconnected, and starts over. An item of the board is about 1 KB. */
const MAX_UNREAD_BYTES = 512 * 1024
/** A browser waits so long before it connects again. */
const RETRY_MS = 2 * SECOND

type Stream = {
  readonly response: ServerResponse
  readonly place: Place
  readonly following: Following
  /** The caller as of now; null: no longer admitted. Rejects with a StoreError. */
  readonly callerNow: () => Promise<OperatorCaller | null>
  /** With each heartbeat: the screen may be in view, of somebody with this grant now. */
  readonly noteLook: (grant: Grant) => void
  grant: Grant
  beatAt: number
}

type StreamNeeds = {
  readonly changes: IncidentChanges
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'error'>
}

type Options = {
  readonly perCaller?: number
  readonly maxStreams?: number
  readonly monotonicMs?: () => number
  /** Default: on a timer. */
  readonly every?: typeof checkEvery
}

/**
 * The streams of server-sent events to the consoles: `incident` with the item of the board, in the order of changes,
 * `drill` with that of an exercise, which a client that does not know the event ignores rather than shows as an alarm,
 * `reload` where continuity cannot be promised, `heartbeat` at least every 15 s. Each write only fills a buffer, which
 * is bounded: a screen that does not read is disconnected and stalls no other. A caller who is no longer admitted is
 * disconnected within two seconds, on every node; a change of what a caller may see takes effect as fast. A heartbeat
 * says that the store answers and that every known change has been sent: without it the screen must not be trusted.
 */
export class EventStreams {
  readonly #changes: IncidentChanges
  readonly #clock: Pick<Clock, 'now'>
  readonly #log: Pick<Log, 'error'>
  readonly #places: Places
  readonly #monotonicMs: () => number
  readonly #every: NonNullable<Options['every']>
  readonly #streams = new Set<Stream>()
  #stopChecking: (() => void) | null = null

  constructor(
    { changes, clock, log }: StreamNeeds,
    { perCaller = STREAMS_PER_CALLER, maxStreams = MAX_STREAMS, ...options }: Options = {},
  ) {
    this.#changes = changes
    this.#clock = clock
    this.#log = log
    this.#places = new Places({ max: maxStreams, maxPerAddress: perCaller })
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now())
    this.#every = options.every ?? checkEvery
  }

  /** Starts streaming to this caller. False if there is no room. `known`: the last id that the browser has. */
  open(
    reply: FastifyReply,
    {
      caller,
      known,
      callerNow,
      noteLook,
    }: { readonly caller: OperatorCaller; readonly known: string | null } & Pick<Stream, 'callerNow' | 'noteLook'>,
  ): boolean {
    const place = this.#places.take(caller.actor.id, () => reply.raw.destroy())
    if (place === null) return false
    // It keeps its place until it ends: a new stream must not displace a wall screen.
    place.works()
    const response = startEvents(reply, { retryMs: RETRY_MS })
    const following = this.#changes.follow(known, {
      changed: (changes) => this.#tell(stream, changes),
      reload: (id) => this.#write(stream, eventOf('reload', {}, id)),
      end: () => response.end(),
    })
    const { grant } = caller
    const stream: Stream = { response, place, following, callerNow, noteLook, grant, beatAt: this.#monotonicMs() }
    this.#streams.add(stream)
    response.once('close', () => this.#leave(stream))
    this.#stopChecking ??= this.#every(CHECK_MS, () => this.#check())
    const { missed } = following
    if (missed === 'reload') this.#write(stream, eventOf('reload', {}, following.id()))
    else this.#tell(stream, missed)
    this.#beat(stream)
    if (response.destroyed) this.#leave(stream)
    return true
  }

  #tell(stream: Stream, changes: readonly Change[]): void {
    const seen = changes.filter(({ applicationId }) => mayDo(stream.grant, 'incident.view', applicationId))
    if (seen.length > 0) this.#write(stream, seen.length === changes.length ? bytesOf(changes) : textOf(seen))
  }

  #beat(stream: Stream): void {
    stream.beatAt = this.#monotonicMs()
    stream.noteLook(stream.grant)
    this.#write(stream, eventOf('heartbeat', { at: isoAt(this.#clock.now()) }, stream.following.id()))
  }

  #write({ response }: Stream, events: string | Buffer): void {
    if (response.destroyed || response.writableEnded) return
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy()
    else response.write(events)
  }

  async #check(): Promise<void> {
    for (const stream of this.#streams) {
      let caller: OperatorCaller | null
      try {
        caller = await stream.callerNow()
      } catch {
        // The store does not answer, which others log. Without a heartbeat the screens say so.
        break
      }
      this.#followSafely(stream, caller)
      // A look may never wait, and two hundred of them in a row would be in the way of an alarm.
      await setImmediate()
    }
  }

  /** A stream that fails keeps no other from its heartbeat, nor from being ended. */
  #followSafely(stream: Stream, caller: OperatorCaller | null): void {
    try {
      this.#follow(stream, caller)
    } catch (error) {
      this.#log.error({ err: error }, 'the stream of a console failed; it has to connect again', 'stream')
      stream.response.destroy()
    }
  }

  #follow(stream: Stream, caller: OperatorCaller | null): void {
    if (caller === null || !mayDo(caller.grant, 'incident.view', null)) {
      // The buffer may still hold what this caller may no longer see.
      stream.response.destroy()
      return
    }
    const changesScope = JSON.stringify(caller.grant.applications) !== JSON.stringify(stream.grant.applications)
    stream.grant = caller.grant
    if (changesScope) this.#write(stream, eventOf('reload', {}, stream.following.id()))
    const isDue = this.#monotonicMs() - stream.beatAt >= BEAT_AFTER_MS
    if (isDue && this.#changes.isCurrent) this.#beat(stream)
  }

  #leave(stream: Stream): void {
    if (!this.#streams.delete(stream)) return
    stream.following.stop()
    stream.place.leaves()
    if (this.#streams.size > 0) return
    this.#stopChecking?.()
    this.#stopChecking = null
  }
}

const textOf = (changes: readonly Change[]): string =>
  changes.map(({ id, event, text }) => `id: ${id}\nevent: ${event}\ndata: ${text}\n\n`).join('')

const encoded = new WeakMap<readonly Change[], Buffer>()

/** The events of changes that many screens are told together, encoded once for all of them. */
function bytesOf(changes: readonly Change[]): Buffer {
  const known = encoded.get(changes)
  if (known !== undefined) return known
  const bytes = Buffer.from(textOf(changes))
  encoded.set(changes, bytes)
  return bytes
}
