import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { tracking } from '../../../../app/answers/tracking.ts'
import type { TrackingPage } from '../../../../app/answers/tracking-page.ts'
import { HOUR, SECOND } from '../../../../lib/durations.ts'
import { type Place, Places } from '../../../../lib/places.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { Log } from '../../../../ports/log.ts'
import { StoreError } from '../../../../ports/store.ts'
import { eventOf, startEvents } from '../event-stream.ts'
import { type MapOwner, siteMap } from '../map/site-map.ts'
import { asOf, pageVersion, trackingContent } from './page.ts'
import { pageHeaders } from './style.ts'
import type { TrackingTexts } from './texts/texts.ts'

/** Pages that are live at once: of one link, and of all links together. The other ones are reloaded. */
const PAGES_PER_LINK = 8
const MAX_PAGES = 1_000
/** Interval at which a page is told that nothing has changed. A new position shows then, too. */
const BEAT_MS = 15 * SECOND
/** Changes in quick succession are sent as one. */
const GAP_MS = SECOND
/**
 * From reading one page to the next. Reading and writing one takes about a millisecond, which alarms need as well: in a
 * mass alert a thousand pages show a change within five seconds.
 */
const TURN_MS = 5
/** Then the browser connects again, to whichever node is there. */
const MAX_AGE_MS = HOUR
/** A page is some 10 KB. A reader this far behind reads nothing. */
const MAX_UNREAD_BYTES = 64 * 1024
/** A browser waits so long before it connects again. */
const RETRY_MS = 5 * SECOND

type LivePage = {
  readonly token: string
  readonly path: string
  readonly texts: TrackingTexts
  /** The version that the browser has. */
  known: string
  readonly response: ServerResponse
  readonly incidentId: string
  readonly place: Place
  readonly openedAt: number
  /** The next read of the store: a change, or the next beat. */
  timer: NodeJS.Timeout | undefined
  lookedAt: number
  isLooking: boolean
  /** Something has changed since the look that is under way began. */
  isOutdated: boolean
}

/** Content of a live page: the incident of its link, on the site's map. */
export type LivePageNeeds = MapOwner & {
  readonly tracking: ReturnType<typeof tracking>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

export type LivePagesOptions = {
  readonly pagesPerLink?: number
  readonly maxPages?: number
  readonly beatMs?: number
  readonly gapMs?: number
  readonly turnMs?: number
}

/**
 * The tracking pages that are open in browsers, each with a stream of server-sent events: `page` with the parts of a
 * changed page, `beat` with the time of the service, and `over` when there is nothing left to see. What a page shows is
 * read again from the store each time, so nothing is lost or doubled across reconnects and nodes.
 *
 * Bounded per link and in all; the link's page that has been open longest makes room for a new one. A stream never
 * holds a connection that an alarm needs.
 */
export class LivePages {
  readonly #needs: LivePageNeeds
  readonly #places: Places
  readonly #beatMs: number
  readonly #gapMs: number
  readonly #turnMs: number
  readonly #byIncident = new Map<string, Set<LivePage>>()
  /** Pages whose look is due, in the order in which they get one. It shows whatever has changed by then. */
  readonly #line = new Set<LivePage>()
  #isPausing = false
  #isClosed = false

  constructor(needs: LivePageNeeds, options: LivePagesOptions = {}) {
    const { pagesPerLink = PAGES_PER_LINK, maxPages = MAX_PAGES } = options
    const { beatMs = BEAT_MS, gapMs = GAP_MS, turnMs = TURN_MS } = options
    this.#needs = needs
    this.#places = new Places({ max: maxPages, maxPerAddress: pagesPerLink })
    this.#beatMs = beatMs
    this.#gapMs = gapMs
    this.#turnMs = turnMs
  }

  /** Starts streaming the page of an incident. False if there is no room. `known`: the version the browser has. */
  open(reply: FastifyReply, reader: Pick<LivePage, 'token' | 'path' | 'texts' | 'known' | 'incidentId'>): boolean {
    // Told, not cut off: it would come back at once, and take the place of the next one.
    const place = this.#isClosed ? null : this.#places.take(reader.token, () => reply.raw.end(eventOf('full', {})))
    if (place === null) return false
    const response = startEvents(reply, { headers: pageHeaders, retryMs: RETRY_MS })
    const now = performance.now()
    const state = { openedAt: now, lookedAt: now, isLooking: false, isOutdated: false }
    const live: LivePage = { ...reader, ...state, response, place, timer: undefined }
    const ofIncident = this.#byIncident.get(live.incidentId) ?? new Set()
    this.#byIncident.set(live.incidentId, ofIncident.add(live))
    response.once('close', () => this.#leave(live))
    if (response.destroyed) this.#leave(live)
    // Nobody here was told of changes since the caller read the page.
    else this.#lookIn(live, 0)
    return true
  }

  /** The incident has changed, here or on another node. */
  changed(incidentId: string): void {
    for (const live of this.#byIncident.get(incidentId) ?? []) {
      if (live.isLooking) live.isOutdated = true
      else if (!this.#line.has(live)) this.#lookIn(live, this.#gapMs)
    }
  }

  /** Ends every stream, so that no stop waits for them. The browsers connect to another node or to the next start. */
  close(): void {
    this.#isClosed = true
    for (const pages of this.#byIncident.values()) for (const { response } of pages) response.end()
  }

  /** Looks at the store `ms` after the last look, or at once if that has passed. */
  #lookIn(live: LivePage, ms: number): void {
    clearTimeout(live.timer)
    const due = Math.max(0, live.lookedAt + ms - performance.now())
    const getInLine = (): void => {
      this.#line.add(live)
      this.#lookAtNext()
    }
    live.timer = setTimeout(getInLine, due).unref()
  }

  #lookAtNext(): void {
    const [live] = this.#line
    if (live === undefined || this.#isPausing) return
    this.#line.delete(live)
    void this.#look(live)
    this.#isPausing = true
    const goOn = (): void => {
      this.#isPausing = false
      this.#lookAtNext()
    }
    setTimeout(goOn, this.#turnMs).unref()
  }

  async #look(live: LivePage): Promise<void> {
    live.isLooking = true
    live.isOutdated = false
    live.lookedAt = performance.now()
    try {
      const page = await this.#needs.tracking.page(live.token)
      if ('refused' in page) live.response.end(eventOf('over', {}))
      else this.#tell(live, page)
    } catch (error) {
      // No beat: the page then says that it may be out of date. The error may hold the token.
      const kind = error instanceof StoreError ? error.kind : 'unknown'
      this.#needs.log.warn({ kind }, 'could not read a tracking page for its live view')
    }
    live.isLooking = false
    const { destroyed, writableEnded } = live.response
    if (!destroyed && !writableEnded) this.#lookIn(live, live.isOutdated ? this.#gapMs : this.#beatMs)
  }

  #tell(live: LivePage, page: TrackingPage): void {
    const { response, texts, path } = live
    if (response.destroyed || response.writableEnded) return
    if (response.writableLength > MAX_UNREAD_BYTES) return void response.destroy()
    const now = this.#needs.clock.now()
    const version = pageVersion(page)
    if (version === live.known) {
      const reading = { now, timeZone: page.timeZone, language: texts.language }
      response.write(eventOf('beat', { now, asOf: asOf(texts, reading) }))
    } else {
      const content = trackingContent(page, texts, path, now, siteMap(this.#needs)?.sources)
      response.write(eventOf('page', { version, now, ...content }, version))
      live.known = version
    }
    if (page.closedAt !== null) response.end(eventOf('over', {}))
    else if (performance.now() - live.openedAt > MAX_AGE_MS) response.end()
  }

  #leave(live: LivePage): void {
    clearTimeout(live.timer)
    this.#line.delete(live)
    live.place.leaves()
    const ofIncident = this.#byIncident.get(live.incidentId)
    ofIncident?.delete(live)
    if (ofIncident?.size === 0) this.#byIncident.delete(live.incidentId)
  }
}
