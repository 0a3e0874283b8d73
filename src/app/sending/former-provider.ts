import { NO_ANSWER } from '../../core/incident/delivery.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Provider } from '../../ports/notifier.ts'

/** Other nodes hear of a change later, and a message that is with a former provider ends there. */
const OVERLAP_MS = MINUTE

/**
 * `provider` in place of others. `changedAt`: when the providers were last changed (epoch ms); null if never. A message
 * that was claimed before may be at a former account, which cannot be asked: if this one does not have it, its outcome
 * stays unknown. rules.md#unknown-outcomes.
 */
export function afterOthers<P extends Provider>(provider: P, changedAt: number | null): P {
  if (changedAt === null) return provider
  return {
    ...provider,
    async lookUp(text) {
      const outcome = await provider.lookUp(text)
      const isDoubted = outcome.kind === 'not_found' && text.claimedAt < changedAt + OVERLAP_MS
      return isDoubted ? { error: NO_ANSWER, ...outcome } : outcome
    },
  }
}
