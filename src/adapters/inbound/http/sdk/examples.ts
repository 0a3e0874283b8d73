/** One user's day: what the examples of several nouns share. */

export const APP_ID = '0190a1c4-0f3a-7c52-9d6e-3f1b7a2c8e10'
export const USER_ID = '0190a1c5-7b21-7d44-8a90-5c2e1f6b3d77'
export const INCIDENT_ID = '0190b2e7-4c15-7f08-b3d1-9e8a6c5f2041'
export const ANA_ID = '0190a1c6-1d02-7a3b-9c4d-2b8f7e6a5c31'
export const BEN_ID = '0190a1c6-5e44-7b1c-8d2e-6f3a9b7c4d52'

/** The parameters of a page, and one. */
export const pageExample = { cursor: 'eyJvIjoxfQ', limit: 20 }
export const itemsExample = (...items: readonly unknown[]) => ({ items, nextCursor: null, hasMore: false })
