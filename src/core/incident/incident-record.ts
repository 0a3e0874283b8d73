import { defaultSettings, type Settings } from '../account/settings.ts'
import type { Claim, Delivery } from './delivery.ts'
import type { Cascade, Incident } from './incident.ts'

/** An incident as versions before 0.2 stored it, without the fields that later rules added. */
type OldRecord = Pick<Incident, 'state' | 'lastAlertAt' | 'autoResolveAt' | 'relayUserId' | 'deliveries'> & {
  readonly settings: Partial<Settings>
  readonly cascade: Omit<Cascade, 'pauses' | 'cause'>
}

/** A claim that earlier versions set on a message still waiting for its turn at the provider. */
type QueuedClaim = Claim & { readonly queued?: true }

/**
 * A stored record in today's shape. A record from an earlier version gets the missing fields, so that an incident that
 * was open during an upgrade continues under the current rules. A current record is returned as it is.
 */
export const asCurrent = (record: Incident | OldRecord): Incident =>
  withOperator(withoutQueued('planned' in record ? record : completed(record)))

/** Earlier versions stored an operator's answer in `lastAnswer` only; `takenBy` also tells whether it still holds. */
function withOperator(incident: Incident): Incident {
  const { lastAnswer, takenBy } = incident
  if (takenBy !== undefined || lastAnswer === null || lastAnswer.contactId !== null) return incident
  return { ...incident, takenBy: { at: lastAnswer.at, name: lastAnswer.name } }
}

/** An attempt claimed by an earlier version only to wait for its turn has not left: it becomes a waiting one. */
function withoutQueued(incident: Incident): Incident {
  const isQueued = ({ claim }: Delivery): boolean => (claim as QueuedClaim | null)?.queued === true
  if (!incident.deliveries.some(isQueued)) return incident
  const deliveries = incident.deliveries.map((row) =>
    isQueued(row) ? { ...row, claim: null, repeats: row.claim?.repeats ?? 0 } : row,
  )
  return { ...incident, deliveries }
}

function completed(record: OldRecord): Incident {
  const by = record.relayUserId === null ? 'owner' : 'relay'
  const since = record.cascade.startedAt
  const channels = record.deliveries.map(({ channel }) => channel)
  return {
    ...(record as OldRecord & Incident),
    settings: { ...defaultSettings, ...record.settings },
    isLastCallMade: false,
    integrations: (['chat', 'webhook'] as const).filter((channel) => channels.includes(channel)),
    cascade: { ...record.cascade, pauses: 0, cause: { by, again: null } },
    realarms: {
      owner: { since: by === 'owner' ? since : null, realarms: 0, kept: null },
      relay: { since, realarms: 0, kept: null },
    },
    lastAnswer: null,
    watch: null,
    closing: null,
    planned: highest(record.deliveries),
    folded: [],
  }
}

const highest = (deliveries: readonly Delivery[]): number =>
  deliveries.reduce((max, { id }) => Math.max(max, Number(id.slice(id.lastIndexOf('.') + 1))), 0)
