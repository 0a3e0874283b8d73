import type { Claim, Delivery } from './delivery.ts'
import type { Cascade, Incident } from './incident.ts'
import { defaultSettings, type Settings } from './settings.ts'

/** An incident as the versions before 0.2 kept it: without what the rules have gained since. */
type OldRecord = Pick<Incident, 'state' | 'lastAlertAt' | 'autoResolveAt' | 'relayUserId' | 'deliveries'> & {
  readonly settings: Partial<Settings>
  readonly cascade: Omit<Cascade, 'pauses' | 'cause'>
}

/** A claim as earlier versions made it of a message that still waited for its turn at its provider. */
type QueuedClaim = Claim & { readonly queued?: true }

/**
 * A stored record in today's shape: one that an earlier version wrote gets what it lacks, so that an incident which was
 * open over an upgrade goes on under the rules of now. A current record is answered as it is.
 */
export const asCurrent = (record: Incident | OldRecord): Incident =>
  withoutQueued('planned' in record ? record : completed(record))

/** What was claimed only to wait for its turn has not left: it is just waiting. */
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
