/** Where Twilio reports what became of an attempt. `publicUrl` has no slash at its end. */
export const statusAddress = (publicUrl: string, attemptId: string): string => `${publicUrl}/twilio/${attemptId}/status`

/** Where Twilio asks what comes next in the call of an attempt. */
export const callAddress = (publicUrl: string, attemptId: string): string => `${publicUrl}/twilio/${attemptId}/call`

/** How often a call has asked, and its language: what it says while the store cannot be read. */
export type CallPlace = { readonly round: number; readonly language: string }

/** What follows `callAddress` at one of a call's questions. */
export const callQuery = ({ round, language }: CallPlace): string => `?round=${round}&language=${language}`

/** Reads `callQuery`. Without a round that can be read it is the last one: a call ends. */
export function placeOf(query: string, lastRound: number): CallPlace {
  const values = new URLSearchParams(query)
  const round = Number(values.get('round'))
  const known = Number.isInteger(round) && round >= 1 && round <= lastRound
  return { round: known ? round : lastRound, language: values.get('language') ?? '' }
}
