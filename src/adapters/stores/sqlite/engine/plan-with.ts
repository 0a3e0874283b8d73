import type { PlanSettings } from '../../../../core/account/settings.ts'
import { type WriteContext, writesOf } from './write.ts'

/** In line with the writes: an alarm that is handed in later is planned with these. */
type Planning = { planWith(defaults: PlanSettings): Promise<void> }

export const planningWrites = writesOf<Planning>()(({ sitePlan }: WriteContext) => sitePlan, {
  planWith: {
    lane: 'alarm',
    // It needs no space.
    reserve: 'uses',
    atomic: true,
    run(sitePlan, defaults) {
      sitePlan.defaults = defaults
    },
  },
})
