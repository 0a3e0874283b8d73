import { z } from 'zod'
import { isoAt } from '../ingest/event-time.ts'

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
  readonly createdAt: number
  readonly updatedAt: number
}

const wellFormed = (value: string): boolean => value.isWellFormed()
const LONE_SURROGATE = 'must not contain lone surrogates'

/** Bounds of protocol.md#profile, shared with the emergency contacts. */
export const nameField = z.string().trim().min(1).max(200).refine(wellFormed, LONE_SURROGATE)
export const emailField = z.email().max(254)
export const phoneField = z.e164('must be an E.164 number such as +4366012345678')

/** `PUT /v1/sdk/me`: only the fields sent change, null clears a field, unknown keys are ignored. */
export const profileUpdateSchema = z.object({
  name: nameField.nullish(),
  email: emailField.nullish(),
  phone: phoneField.nullish(),
  address: z.string().trim().min(1).max(500).refine(wellFormed, LONE_SURROGATE).nullish(),
})

export type ProfileUpdate = z.infer<typeof profileUpdateSchema>

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

/** How messages name the user: the profile's name, else the external id. rules.md#names. */
export const displayName = (user: Pick<User, 'name' | 'externalUserId'>): string => user.name ?? user.externalUserId

/** The creation and change times of an account record, as in every REST record. */
export const recordTimes = (record: { createdAt: number; updatedAt: number }) => ({
  createdAt: isoAt(record.createdAt),
  updatedAt: isoAt(record.updatedAt),
})
