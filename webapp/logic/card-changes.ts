import type { Card, CardFields } from '../../sdk/src/index.ts'

const written = (text: string | null): string | null => text?.trim() || null

/**
 * The person's changes to the card, and nothing else: a tick that is sent again would count for a number that
 * the contact has had since.
 */
export function cardChanges(before: Card, typed: Card): CardFields {
  const after = {
    ...{ languages: typed.languages, hearing: typed.hearing, yearOfBirth: typed.yearOfBirth },
    ...{ peopleWithMe: written(typed.peopleWithMe), vehicle: written(typed.vehicle), note: written(typed.note) },
    contactIds: typed.contactIds.toSorted(),
  }
  const was = { ...before, contactIds: before.contactIds.toSorted() }
  const isChanged = ([name, value]: readonly [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(was[name as keyof typeof after])
  return Object.fromEntries(Object.entries(after).filter(isChanged)) as CardFields
}
