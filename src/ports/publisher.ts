import type { IncidentEvent } from '../core/incident/event.ts'

/** Hands committed events to the current subscribers. Never waits and never fails: clients refetch what they missed. */
export type Publisher = { publish(events: readonly IncidentEvent[]): void }
