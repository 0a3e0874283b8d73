/** A letter, a digit or another sign that is seen. Fillers of other scripts count as letters, and show nothing. */
const SEEN = /(?![\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}])[\p{L}\p{N}\p{P}\p{S}]/u

/** How people read of a person: the name, else the phone number, else the external id. rules.md#names. */
export const personName = (person: {
  readonly name: string | null
  readonly phone: string | null
  readonly externalUserId: string
}): string => [person.name, person.phone].find((text) => text !== null && SEEN.test(text)) ?? person.externalUserId
