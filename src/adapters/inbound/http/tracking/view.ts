import type { TrackingAnswer, TrackingPage } from '../../../../app/answers/tracking-page.ts'
import { localTime } from '../../../../core/text/local-time.ts'
import { MINUTE } from '../../../../lib/durations.ts'
import type { MapSources } from '../map/site-map.ts'
import type { ReaderContext } from './moment.ts'
import type { TrackingTexts } from './texts/texts.ts'

/** The input of a page: what a contact may see, in which language, and when. */
export type View = {
  readonly page: TrackingPage
  readonly texts: TrackingTexts
  /** The address of the page itself. */
  readonly path: string
  /** Null: without a map. */
  readonly map: MapSources | null
  readonly reading: ReaderContext
}

/** Expected arrival of a helper who is coming. The time of day stays right, however long the page is open. */
export const arrivalOf = (reading: ReaderContext, { at, etaMinutes }: Extract<TrackingAnswer, { kind: 'coming' }>) =>
  localTime(at + etaMinutes * MINUTE, reading)
