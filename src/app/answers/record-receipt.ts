import type { Receipt } from '../../core/incident/command.ts'
import { incidentIdOf } from '../../core/incident/escalation.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import type { IncidentDoor } from '../incident-door.ts'

type ReceiptNeeds = {
  readonly door: IncidentDoor
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly meter: Pick<Meter, 'count'>
}

export type RecordReceipt = ReturnType<typeof recordReceipt>

/**
 * Records what a provider reported about an attempt. Receipts come in any order and number, even before the provider's
 * response to the message itself. A receipt for an unknown attempt (its user was erased) is logged and otherwise
 * ignored. Rejects with a StoreError.
 */
export const recordReceipt =
  ({ door, clock, log, meter }: ReceiptNeeds) =>
  async (attemptId: string, receipt: Receipt): Promise<void> => {
    const incidentId = incidentIdOf(attemptId)
    const command = { type: 'recordReceipt', now: clock.now(), attemptId, receipt } as const
    const { attempt } = await door.change({ incidentId }, command)
    if (attempt !== null) {
      const { provider, status } = receipt
      meter.count('receipts_total', { provider, channel: attempt.channel, status })
      return
    }
    log.warn({ incidentId, attemptId, provider: receipt.provider }, 'received a receipt for an unknown attempt')
  }
