import type { TrackerPublish } from '../../../../app/field/ingest-owntracks.ts'
import type { IngestResult, Publish } from '../../../../app/ingest/ingest-publish.ts'
import { type ClientSession, isTracker, type TrackerSession } from '../../../../core/account/session.ts'
import { publishKind } from '../../../../core/ingest/topic.ts'
import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import { MAX_ALERTS_PER_USER, MAX_WAITING_WILLS } from '../limits.ts'
import { AlertQueues } from './alert-queues.ts'

/** Takes the result of a publish after its commit, or why nothing of it was stored. May be called synchronously. */
type Settled = (result: IngestResult | Error) => void

/** Stores one publish, and calls `settled` once. May be called while others have not settled. */
export type Ingest = (publish: Publish, settled: Settled) => void

/** Stores what a tracker publishes, refuses it, or rejects if nothing was stored. */
export type IngestTracker = (publish: TrackerPublish) => Promise<IngestResult>

/** A client's publish, or a will that fires. */
type Message = { readonly topic: string; readonly payload: Buffer }

/** Stores a publish of a session, if its topic is permitted. */
export type TakePublish = (session: ClientSession, message: Message, settled: Settled) => void

type Inbound = {
  readonly take: TakePublish
  /**
   * Stores a will that fires, by the same rules as a publish (access.md#topic-access). False: it was not stored. Never
   * rejects.
   */
  takeWill(session: ClientSession | null, will: Message): Promise<boolean>
}

/** Passes permitted publishes (access.md#login) to the ingest and refuses the rest. */
export function createInbound(needs: {
  readonly ingest: Ingest
  /** Absent: no tracker is admitted. */
  readonly ingestTracker?: IngestTracker
  readonly log: Log
  readonly meter: Meter
}): Inbound {
  const { ingest, ingestTracker, log, meter } = needs
  const queues = new AlertQueues(MAX_ALERTS_PER_USER)
  /** Wills that have fired and have not been stored yet, by user. */
  const wills = new Map<string, number>()

  /**
   * An internal fault settles its publish, too: the client sends it again, and the connection's other publishes
   * continue.
   */
  const store = (publish: Publish, settled: Settled): void => {
    try {
      ingest(publish, settled)
    } catch (fault) {
      settled(fault instanceof Error ? fault : new Error(String(fault)))
    }
  }

  /** Alerts of a user take turns, so that they do not delay those of others. */
  const storeInTurn = (publish: Publish, settled: Settled): void => {
    if (publish.kind === 'telemetry') {
      store(publish, settled)
      return
    }
    queues.run(publish.session.userId, (done) =>
      store(publish, (result) => {
        done()
        settled(result)
      }),
    )
  }

  /**
   * Each connection may have a will, and the place of one that has ended is free for the next: while nothing can be
   * stored, one user could fill the memory. The wills that wait already alarm.
   */
  const keepsWill = ({ userId }: ClientSession): boolean => {
    const waiting = wills.get(userId) ?? 0
    if (waiting >= MAX_WAITING_WILLS) return false
    wills.set(userId, waiting + 1)
    return true
  }

  const willEnds = ({ userId }: ClientSession): void => {
    const waiting = wills.get(userId)! - 1
    if (waiting === 0) wills.delete(userId)
    else wills.set(userId, waiting)
  }

  /** Never an alarm: the apps have no SOS. So it takes no place among the alerts of the user. */
  const storeTracker = (session: TrackerSession, { topic, payload }: Message, settled: Settled): void => {
    if (ingestTracker === undefined) settled('refused')
    else ingestTracker({ session, topic, payload }).then(settled, settled)
  }

  return {
    take(session, { topic, payload }, settled) {
      if (isTracker(session)) {
        storeTracker(session, { topic, payload }, settled)
        return
      }
      const kind = publishKind(topic, session)
      if (kind === null) settled('refused')
      else storeInTurn({ session, kind, topic, payload }, settled)
    },

    takeWill(session, { topic, payload }) {
      // A tracker's will says only that the app has gone. Accepted wills go on to subscribers, and a tracker has none.
      if (session !== null && isTracker(session)) return Promise.resolve(false)
      const kind = session === null ? null : publishKind(topic, session)
      if (session === null || kind === null) {
        meter.count('mqtt_refusals_total', { operation: 'will' })
        return Promise.resolve(false)
      }
      if (!keepsWill(session)) {
        log.warn({ userId: session.userId }, 'too many wills of a user wait to be stored; this one is dropped', 'full')
        return Promise.resolve(false)
      }
      return new Promise((resolve) => {
        storeInTurn({ session, kind, topic, payload }, (result) => {
          willEnds(session)
          if (result instanceof Error) {
            log.error({ err: result, userId: session.userId }, 'cannot store an MQTT will')
          } else if (result === 'refused') meter.count('mqtt_refusals_total', { operation: 'will' })
          resolve(!(result instanceof Error) && result !== 'refused')
        })
      })
    },
  }
}
