import { DAY } from '../../../lib/durations.ts'

/** Positions of a trail that are shown (rules.md#history); older ones are removed. */
export const SHOWN_POSITIONS = 1000
/** Alerts of one incident that are remembered (rules.md#identity). */
export const MAX_IDENTITIES = 1000
/** Folded attempts of one incident: a button stuck for days must not fill the disk. The oldest go first. */
export const MAX_ATTEMPTS = 10_000
/** A receipt may still arrive this long after an incident's end. sms.md#sms-answers. */
export const HEARD_OF_MS = 8 * DAY
/** Incidents in the operator's list. protocol.md#command-line. */
export const MAX_LISTED = 1000
/** Limits may be exceeded by this many rows, so that not every row is followed by a look for old ones. */
export const SLACK_ROWS = 100
