import type { TurnRequest } from '../../../src/core/pacing/shared-account.ts'

/** A node asks for one turn for a first alarm. */
export const turnRequest = (changes: Partial<TurnRequest> = {}): TurnRequest => ({
  rate: { perSecond: 1, maxAtOnce: 100 },
  first: { rank: 0, since: 0 },
  wanted: 1,
  underWay: 0,
  used: 0,
  pauseMs: 0,
  ...changes,
})
