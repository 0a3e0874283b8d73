import type { IngestResult, Publish } from '../../../../app/ingest-publish.ts'
import type { Session } from '../../../../core/account/session.ts'
import { publishKind } from '../../../../core/ingest/topic.ts'
import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import { MAX_ALERTS_PER_USER } from '../limits.ts'
import { AlertQueues } from './alert-queues.ts'

/**
 * Takes in one publish. Resolves after its commit; rejects where it could not be committed. May be called concurrently.
 */
export type Ingest = (publish: Publish) => Promise<IngestResult>

/** A message of a client: a publish, or a will that fires. */
type Message = { readonly topic: string; readonly payload: Buffer }

type Inbound = {
  /** A publish. Rejects where it could not be committed. */
  take(session: Session, message: Message): Promise<IngestResult>
  /**
   * A will that fires is a publish, for which the same rules hold (rules.md#topic-access). False where it is not
   * stored. Never rejects.
   */
  takeWill(session: Session | null, will: Message): Promise<boolean>
}

/** What a client may publish (rules.md#login) goes to the ingest; the rest is refused and counted. */
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
