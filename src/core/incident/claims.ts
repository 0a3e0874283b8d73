import { MINUTE } from '../../lib/durations.ts'
import type { Command, SendingNode } from './command.ts'
import type { Step } from './decision.ts'
import { type Claim, type Delivery, givenUp, hasTarget, isDue, isSameLease } from './delivery.ts'
import { claimedRow, isWorthAsking, QUIET_MS } from './escalation.ts'
import type { Incident } from './incident.ts'
import { isStillTold } from './tell-others.ts'

type Proceed = Extract<Command, { type: 'proceed' }>

/** Wait before the next look-up, unless the look-up itself sets another. */
const ASK_AGAIN_MS = MINUTE

/**
 * Claims the due attempts whose turn it is, and lists the claims without an outcome and the attempts with an overdue
 * receipt. rules.md#attempts.
 */
export function claims(incident: Incident, command: Proceed): Step {
  const { now, node } = command
  const inFlight = new Set(command.inFlight)
  const turns = command.turns === undefined ? null : new Set(command.turns)
  const claimed: Delivery[] = []
  const unsure: Delivery[] = []
  const asked: Delivery[] = []
  const deliveries = incident.deliveries.map((row) => {
    if (row.status === 'sent' && (row.askAt ?? Number.POSITIVE_INFINITY) <= now) {
      if (!inFlight.has(row.id)) asked.push(row)
      return { ...row, askAt: isWorthAsking(row, now) ? now + ASK_AGAIN_MS : null }
    }
    if (row.claim === null) {
      if (!isDue(row, now)) return row
      // rules.md#attempts: no target exists.
      if (!hasTarget(row)) return { ...row, status: 'skipped' as const, updatedAt: now }
      if (!isStillTold(incident, row)) return givenUp(row, now)
      if (turns?.has(row.id) === false || node?.isDraining) return row
      const taken = claimedRow(incident, row, now, node?.lease)
      claimed.push(taken)
      return taken
    }
    if (row.claim.checkAt > now || isElsewhere(row, node)) return row
    const settledAt = settledMoment(row.claim, node)
    const checkAt = settledAt > now ? settledAt : now + QUIET_MS
    const checked = { ...row, claim: { ...row.claim, checkAt, ...(node && { by: node.lease }) } }
    if (settledAt <= now && !inFlight.has(row.id)) unsure.push(checked)
    return checked
  })
  const touched = deliveries.some((row, place) => row !== incident.deliveries[place])
  return { incident: touched ? { ...incident, deliveries } : incident, claimed, unsure, asked }
}

/**
 * Whether an attempt belongs to another living node: only that node knows which of its claims it is sending. A draining
 * node takes over nothing from others.
 */
export function isElsewhere({ claim }: Delivery, node: SendingNode | undefined): boolean {
  if (claim === null || claim.by === undefined || node === undefined) return false
  if (node.isDraining) return !isSameLease(claim.by, node.lease)
  return node.others.some((lease) => isSameLease(claim.by, lease))
}

/**
 * The earliest time (epoch ms) at which a provider can be asked about a claim: a request of another node that is gone
 * may still be under way. Requests of an earlier process of this node ended with it.
 */
const settledMoment = ({ at, by }: Claim, node: SendingNode | undefined): number =>
  node === undefined || by === undefined || by.node === node.lease.node ? 0 : at + node.settleMs
