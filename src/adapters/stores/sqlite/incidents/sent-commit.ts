import type { Incident } from '../../../../core/incident/incident.ts'
import type { Committed } from '../../../../ports/store.ts'
import { incidentOf } from './incident-row.ts'

/**
 * A commit on its way from the writer. The incident crosses as the text that was stored: copying its hundred objects
 * costs each of the two threads more than the reader's `JSON.parse`, and most callers only want the rest.
 */
export type SentCommit = Omit<Committed, 'incident'> & { readonly record: string | null }

export function sentCommit({ incident: _, ...rest }: Committed, record: string | null): SentCommit {
  return { ...rest, record }
}

/** The commit as in the port. Its incident is parsed when it is first looked at. */
export function receivedCommit({ record, ...rest }: SentCommit): Committed {
  let incident: Incident | null = null
  return {
    ...rest,
    get incident() {
      if (record !== null) incident ??= incidentOf({ record })
      return incident
    },
  }
}
