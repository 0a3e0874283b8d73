import type { IngestResult, Publish } from '../../../../app/ingest-publish.ts'
import type { Session } from '../../../../core/account/session.ts'
import { publishKind } from '../../../../core/ingest/topic.ts'
import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import { MAX_ALERTS_PER_USER } from '../limits.ts'
import { AlertQueues } from './alert-queues.ts'

/** Stores one publish. Resolves after its commit; rejects if the commit failed. May be called concurrently. */
export type Ingest = (publish: Publish) => Promise<IngestResult>

/** A client's publish, or a will that fires. */
type Message = { readonly topic: string; readonly payload: Buffer }

type Inbound = {
  /** Stores a publish. Rejects if the commit failed. */
  take(session: Session, message: Message): Promise<IngestResult>
  /**
   * Stores a will that fires, by the same rules as a publish (rules.md#topic-access). False: it was not stored. Never
   * rejects.
   */
  takeWill(session: Session | null, will: Message): Promise<boolean>
}

/** Passes permitted publishes (rules.md#login) to the ingest; refuses and counts the rest. */
export function createInbound(parts: { readonly ingest: Ingest; readonly log: Log; readonly meter: Meter }): Inbound {
  const { ingest, log, meter } = parts
  const queues = new AlertQueues(MAX_ALERTS_PER_USER)
  return {
    async take(session, { topic, payload }) {
      const kind = publishKind(topic, session)
      try {
        const ingested =
          kind === null
            ? 'refused'
            : kind === 'telemetry'
              ? await ingest({ session, kind, topic, payload })
              : await queues.run(session.userId, () => ingest({ session, kind, topic, payload }))
        if (ingested === 'refused') meter.count('mqtt_refusals_total', { operation: 'publish' })
        return ingested
      } catch (fault) {
        log.error({ err: fault, userId: session.userId }, 'cannot store an MQTT publish')
        throw fault
      }
    },

    async takeWill(session, { topic, payload }) {
      const kind = session === null ? null : publishKind(topic, session)
      try {
        const ingested = session === null || kind === null ? 'refused' : await ingest({ session, kind, topic, payload })
        if (ingested === 'refused') meter.count('mqtt_refusals_total', { operation: 'will' })
        return ingested !== 'refused'
      } catch (fault) {
        log.error({ err: fault, userId: session?.userId }, 'cannot store an MQTT will')
        return false
      }
    },
  }
}
