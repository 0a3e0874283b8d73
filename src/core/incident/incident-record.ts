import type { Delivery } from './delivery.ts'
import type { Cascade, Incident } from './incident.ts'
import { defaultSettings, type Settings } from './settings.ts'

/** An incident as the versions before 0.2 kept it: without what Decisions 8 added. */
type EarlierRecord = Pick<Incident, 'state' | 'lastAlertAt' | 'autoResolveAt' | 'relayUserId' | 'deliveries'> & {
  readonly settings: Partial<Settings>
  readonly cascade: Omit<Cascade, 'pauses' | 'cause'>
}

/**
 * A stored record in today's shape: one that an earlier version wrote gets what it lacks, so that an incident which was open over an upgrade
 * goes on under the rules of now. A current record is answered as it is.
 */
export function asCurrent(record: Incident | EarlierRecord): Incident {
  if ('planned' in record) return record
  const by = record.relayUserId === null ? 'owner' : 'relay'
  const since = record.cascade.startedAt
  const channels = record.deliveries.map(({ channel }) => channel)
  return {
    ...(record as EarlierRecord & Incident),
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
