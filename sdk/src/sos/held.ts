import type { IncidentNews, IncidentStatus } from '../wire/incident.ts'

/** The newest known state of one incident. */
export type Held = Omit<IncidentNews, 'type'>

const rank: Readonly<Record<IncidentStatus, number>> = { active: 0, acknowledged: 1, cancelled: 2, resolved: 2 }

export const isClosed = ({ status }: Held): boolean => rank[status] === 2

const versionOf = (incident: Held): number => incident.snapshotVersion ?? incident.actuators?.snapshotVersion ?? 0

/**
 * The state to hold of an incident after news of it: events and answers may come in any order, twice, or not at all.
 * The snapshot moves by its version, status and times never go back, and a closed incident stays closed.
 */
export function taken(held: Held | null, { type: _, ...news }: IncidentNews): Held {
  if (held === null || held.incidentId !== news.incidentId) return news
  const { snapshotVersion, actuators, ...envelope } = news
  const isFresh = versionOf(news) > versionOf(held) && actuators !== undefined
  const snapshot = isFresh ? { snapshotVersion: versionOf(news), actuators } : {}
  const silent = held.silent || news.silent ? { silent: true as const } : {}
  const moves =
    rank[news.status] > rank[held.status] ||
    (news.status === held.status && Date.parse(news.updatedAt) >= Date.parse(held.updatedAt))
  return { ...held, ...(moves && envelope), ...snapshot, ...silent }
}
