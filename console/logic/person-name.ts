import { readable } from './plain-text.ts'

/** The displayed name of a person: the name, else the phone number, else the external id. rules.md#names. */
export const personName = (person: {
  readonly name: string | null
  readonly phone: string | null
  readonly externalUserId: string
}): string => [person.name, person.phone].find((text) => readable(text) !== null) ?? person.externalUserId
