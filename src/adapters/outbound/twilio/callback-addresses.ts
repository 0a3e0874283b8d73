/** The URL for Twilio's status reports on an attempt. `publicUrl` has no trailing slash. */
export const statusAddress = (publicUrl: string, attemptId: string): string => `${publicUrl}/twilio/${attemptId}/status`

/** The URL where Twilio asks for the next step in an attempt's call. */
export const callAddress = (publicUrl: string, attemptId: string): string => `${publicUrl}/twilio/${attemptId}/call`

/** The URL where Twilio delivers texts to its number. */
export const smsAddress = (publicUrl: string): string => `${publicUrl}/twilio/sms`

/** How often a call has asked, and its language, which is the fallback if the store cannot be read. */
export type CallPlace = { readonly round: number; readonly language: string }

/** The query of `callAddress` for each question of a call. */
export const callQuery = ({ round, language }: CallPlace): string => `?round=${round}&language=${language}`

/** Parses `callQuery`. An unreadable round counts as the last one, so that the call ends. */
export function placeOf(query: string, lastRound: number): CallPlace {
  const values = new URLSearchParams(query)
  const round = Number(values.get('round'))
  const known = Number.isInteger(round) && round >= 1 && round <= lastRound
  return { round: known ? round : lastRound, language: values.get('language') ?? '' }
}
