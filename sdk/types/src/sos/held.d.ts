import type { IncidentNews } from '../wire/incident.js';
/** The newest known state of one incident. */
export type Held = Omit<IncidentNews, 'type'>;
export declare const isClosed: ({ status }: Held) => boolean;
/**
 * The state to hold of an incident after news of it: events and answers may come in any order, twice, or not at all.
 * The snapshot moves by its version, status and times never go back, and a closed incident stays closed.
 */
export declare function taken(held: Held | null, { type: _, ...news }: IncidentNews): Held;
