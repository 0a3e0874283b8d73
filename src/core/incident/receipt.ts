import type { Command } from './command.ts'
import type { Step } from './decision.ts'
import { mayBecome } from './delivery.ts'
import { RECEIPT_OVERDUE_MS } from './escalation.ts'
import type { Incident } from './incident.ts'
import { isOfAnother, learnt, replaced, withFailure, withRow } from './outcome.ts'

type RecordReceipt = Extract<Command, { type: 'recordReceipt' }>

/**
 * Records a provider's report. Receipts may be lost, doubled or out of order: a status never goes back.
 * rules.md#receipts.
 */
export function withReceipt(incident: Incident, { attemptId, receipt, now }: RecordReceipt): Step {
  const row = incident.deliveries.find((delivery) => delivery.id === attemptId)
  if (row === undefined) return { incident }
  const { provider, providerRef } = receipt
  if (!mayBecome(row.status, receipt.status)) return { incident: withRow(incident, row, learnt(row, receipt, now)) }
  // The message went out twice. Of the other copy, only `delivered` says anything about the attempt.
  if (isOfAnother(row, receipt) && receipt.status !== 'delivered') return { incident }
  const named = { provider, providerRef: providerRef ?? row.providerRef }
  if (receipt.status !== 'failed') {
    // The provider's own response, which would say when to ask, may never come.
    const askAt = receipt.status === 'sent' ? now + RECEIPT_OVERDUE_MS : null
    const known = { ...named, status: receipt.status, claim: null, askAt, updatedAt: now }
    return { incident: replaced(incident, row, known) }
  }
  const failed = replaced(incident, row, { ...named, askAt: null })
  const known = failed.deliveries.find((delivery) => delivery.id === attemptId) ?? row
  // An SMS that the network returned will not arrive if sent again. An unanswered call may be answered next time.
  const failure = { error: receipt.error ?? 'provider error', retryable: row.channel === 'voice' }
  return { incident: withFailure(failed, known, failure, now, 0.5) }
}
