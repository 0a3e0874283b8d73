/** E.164, as the service wants it (protocol.md#contacts). */
const NUMBER = /^\+[1-9]\d{6,14}$/
const BETWEEN = /[\s()./-]/g

/** A typed phone number without separators; null if the country code is missing. */
export function numberOf(typed: string): string | null {
  const number = typed.replace(BETWEEN, '').replace(/^00/, '+')
  return NUMBER.test(number) ? number : null
}
