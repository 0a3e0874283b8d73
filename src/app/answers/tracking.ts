import { isOpen } from '../../core/incident/incident.ts'
import { contactTrailOf } from '../../core/incident/places.ts'
import type { Position } from '../../core/ingest/position.ts'
import type { IncidentStore } from '../../ports/store.ts'
import { linkAnswers } from './link-answers.ts'
import { accessOf, linkFinder, type NoLink } from './tracking-link.ts'
import { type TrackingPage, trackingPage } from './tracking-page.ts'

type TrackingNeeds = Parameters<typeof linkFinder>[0] &
  Parameters<typeof trackingPage>[0] &
  Omit<Parameters<typeof linkAnswers>[0], 'find'> & { readonly store: Pick<IncidentStore, 'positionTrail'> }

/**
 * The public tracking link. Reading never changes anything; acknowledging is a separate step. rules.md#tracking-links.
 */
export const tracking = (needs: TrackingNeeds) => {
  const find = linkFinder(needs)
  const pageOf = trackingPage(needs)
  return {
    async page(token: string): Promise<TrackingPage | NoLink> {
      const link = await find(token)
      if ('refused' in link) return link
      return (await pageOf(link)) ?? { refused: 'unknown_link' }
    },

    /** The person's path, oldest first; only while the incident is open. */
    async trail(token: string): Promise<{ readonly positions: readonly Position[] } | NoLink> {
      const link = await find(token)
      if ('refused' in link) return link
      const { incident } = link
      const isShown = isOpen(incident) && accessOf(link) === 'shown'
      return { positions: isShown ? contactTrailOf(incident, await needs.store.positionTrail(incident.id)) : [] }
    },

    ...linkAnswers({ ...needs, find }),
  }
}
