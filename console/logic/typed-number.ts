import { numberAsWritten } from '../../src/core/account/written-number.ts'

/** E.164, as the service wants it (protocol.md#contacts). */
const NUMBER = /^\+[1-9]\d{6,14}$/

/** A typed phone number without separators; null if the country code is missing. */
export function numberOf(typed: string): string | null {
  const number = numberAsWritten(typed)
  return NUMBER.test(number) ? number : null
}

/** The same, or what was typed, for the service to refuse. */
export const numberGiven = (typed: string): string => numberOf(typed) ?? typed.trim()
