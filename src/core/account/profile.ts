import { isoAt } from '../ingest/event-time.ts'
import { neutralName } from '../text/person-name.ts'
import { withoutDrillWord } from '../text/phrases.ts'
import type { EnrolledBy } from './app-invitation.ts'

/** A user of an application. protocol.md#profile; unset fields are null. */
export type User = {
  readonly id: string
  readonly appId: string
  readonly externalUserId: string
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly address: string | null
  readonly disabled: boolean
  /** Whether the user is a listed relay, which may report for other users' trackers. rules.md#relays. */
  readonly relay: boolean
  /** The invitation to the app that created the user; null: a backend vouches for them. app.md#enrolment. */
  readonly enrolledBy: EnrolledBy | null
  /** When the user's own request to be erased takes effect (epoch ms); null: there is none. app.md#removing. */
  readonly erasesAt: number | null
  /** BCP 47: the language of texts to the person. Null: the application's. people.md. */
  readonly textLanguage: string | null
  /** For operators alone. */
  readonly operatorNotes: string | null
  readonly groupNames: readonly string[] | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The profile object of `GET` and `PUT /v1/sdk/me`. */
export const profileView = (user: User) => ({
  id: user.id,
  appId: user.appId,
  externalUserId: user.externalUserId,
  name: user.name,
  email: user.email,
  phone: user.phone,
  address: user.address,
})

/** Whether a name is visible in messages: not if it is only invisible characters, or only the word for an exercise. */
export const isNameable = (name: string | null): name is string =>
  name !== null && withoutDrillWord(neutralName(name)) !== ''

/**
 * The user's name for people: the profile's name, else its phone number, else the external id. Names are returned as
 * stored; one that messages would show as nothing counts as missing. rules.md#names.
 */
export const displayName = ({ name, phone, externalUserId }: Pick<User, 'name' | 'phone' | 'externalUserId'>): string =>
  [name, phone].find(isNameable) ?? externalUserId

/** The languages of texts to a person, preferred first. people.md. */
export const personLanguages = (
  user: Pick<User, 'textLanguage'> | null,
  { language }: { readonly language: string },
): readonly string[] => [...(user?.textLanguage == null ? [] : [user.textLanguage]), language]

/** The creation and change times of an account record, as in every REST record. */
export const recordTimes = (record: { createdAt: number; updatedAt: number }) => ({
  createdAt: isoAt(record.createdAt),
  updatedAt: isoAt(record.updatedAt),
})
