import type { AttemptOutcome } from '../../../core/incident/command.ts'
import { textChannels } from '../../../core/incident/delivery.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Provider } from '../../../ports/notifier.ts'
import { type MailStore, StoreError } from '../../../ports/store.ts'

const PROVIDER = 'outbox'

/**
 * The provider that needs no account: messages go into a table for the operator. They stay `sent`, because it is
 * unknown whether anyone has read them (rules.md#providers).
 */
export function createOutboxNotifier(needs: {
  readonly store: Pick<MailStore, 'addToOutbox' | 'outboxMessage'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}): Provider {
  const { store, clock, log } = needs
  return {
    name: PROVIDER,
    channels: textChannels,
    async send({ attemptId, incidentId, contactId, channel, to, text }) {
      try {
        await store.addToOutbox({ attemptId, incidentId, contactId, channel, to, text, createdAt: clock.now() })
      } catch (error) {
        log.warn({ incidentId, attemptId, channel, err: error }, 'could not write a message to the outbox')
        return failureOf(error)
      }
      log.info({ incidentId, attemptId, channel }, 'a message was written to the outbox')
      return written(attemptId)
    },
    async lookUp({ attemptId, incidentId, channel }) {
      try {
        return (await store.outboxMessage(attemptId)) === null ? { kind: 'not_found' } : written(attemptId)
      } catch (error) {
        log.warn({ incidentId, attemptId, channel, err: error }, 'could not read the outbox')
        return { kind: 'unknown' }
      }
    },
  }
}

const written = (attemptId: string): AttemptOutcome => ({ kind: 'sent', provider: PROVIDER, providerRef: attemptId })

/**
 * Most kinds of StoreError mean that nothing was stored, so a retry is safe. After any other fault the result is
 * unknown.
 */
const failureOf = (error: unknown): AttemptOutcome =>
  error instanceof StoreError && error.kind !== 'closed' && error.kind !== 'unknown'
    ? { kind: 'failed', error: 'outbox not writable', retryable: true }
    : { kind: 'unknown' }
