import { DAY } from '../../../lib/durations.ts'

/** How many positions of a trail are shown (rules.md#history); older ones go. */
export const SHOWN_POSITIONS = 1000
/** How many alerts of one incident are remembered (rules.md#identity). */
export const MAX_IDENTITIES = 1000
/** Folded attempts of one incident: a button stuck for days must not fill the disk. The oldest go first. */
export const MAX_ATTEMPTS = 10_000
/** For how long after an incident's end a receipt of its messages may still come. rules.md#sms-answers. */
export const HEARD_OF_MS = 8 * DAY
/** Incidents in the operator's list. protocol.md#command-line. */
export const MAX_LISTED = 1000
/** Limits may be exceeded by this many rows, so that not every row is followed by a look for old ones. */
export const SLACK_ROWS = 100
