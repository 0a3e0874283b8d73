/**
 * `fine`: nothing to do. `attention`: alarms work, and something should be done. `failed`: an alarm, or the link of
 * a contact, may not get through.
 */
export const levels = ['fine', 'attention', 'failed'] as const
export type Level = (typeof levels)[number]

/** A probe's result, as a sentence without its full stop. `remedy`: the fix; null if all is well. */
export type ProbeFinding =
  | { readonly level: 'fine'; readonly says: string; readonly remedy: null }
  | { readonly level: 'attention' | 'failed'; readonly says: string; readonly remedy: string }

export const fine = (says: string): ProbeFinding => ({ level: 'fine', says, remedy: null })
export const attention = (says: string, remedy: string): ProbeFinding => ({ level: 'attention', says, remedy })
export const failing = (says: string, remedy: string): ProbeFinding => ({ level: 'failed', says, remedy })

/** The most serious of the levels; `fine` if there are none. */
export const worstOf = (found: readonly { readonly level: Level }[]): Level =>
  levels[Math.max(0, ...found.map(({ level }) => levels.indexOf(level)))]!
