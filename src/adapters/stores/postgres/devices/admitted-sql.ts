/**
 * Whether a user may send for the trackers of others. One whom a poster or another person invited has to be listed:
 * anyone can become such a user. rules.md#relays.
 */
export const admittedSql = (relays: string, user: string): string =>
  `(${relays} <> 'off' AND (${user}.relay OR (${relays} = 'any' AND coalesce(${user}.enrolled_by, 'person') = 'person')))`
