import { incidentIdOf } from '../../core/incident/escalation.ts'
import { isOpen } from '../../core/incident/incident.ts'
import { isUuid } from '../../core/ingest/topic.ts'
import type { IncidentStore } from '../../ports/store.ts'

/**
 * Whether the text of an attempt may still be answered, because its incident is open. True if the store cannot say.
 * Never rejects. sms.md#sms-answers.
 */
export const isOfOpenIncident =
  (store: Pick<IncidentStore, 'incident'>) =>
  async (attemptId: string): Promise<boolean> => {
    const incidentId = incidentIdOf(attemptId)
    if (!isUuid(incidentId)) return false
    try {
      const record = await store.incident(incidentId)
      return record !== null && isOpen(record.incident)
    } catch {
      return true
    }
  }
