import { isoAt } from '../ingest/event-time.ts'
import { neutralName } from '../text/person-name.ts'
import { withoutDrillWord } from '../text/phrases.ts'

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
  /** A listed relay, which may be trusted with the trackers of others. rules.md#relays. */
  readonly relay: boolean
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

/** Whether anything of a name is left in messages: invisible characters, or the word of an exercise alone, are none. */
export const isNameable = (name: string | null): name is string =>
  name !== null && withoutDrillWord(neutralName(name)) !== ''

/**
 * How people read of the user: the profile's name, else its phone number, else the external id. As it is stored; what
 * messages would show nothing of counts as missing. rules.md#names.
 */
export const displayName = ({ name, phone, externalUserId }: Pick<User, 'name' | 'phone' | 'externalUserId'>): string =>
  [name, phone].find(isNameable) ?? externalUserId

/** The creation and change times of an account record, as in every REST record. */
export const recordTimes = (record: { createdAt: number; updatedAt: number }) => ({
  createdAt: isoAt(record.createdAt),
  updatedAt: isoAt(record.updatedAt),
})
