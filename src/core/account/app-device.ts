import { createHash, createHmac } from 'node:crypto'
import { DAY, HOUR } from '../../lib/durations.ts'
import type { Decided } from '../decided.ts'

/** A browser with a credential of its own. access.md#credentials. Times are epoch ms. */
export type AppDevice = {
  readonly id: string
  readonly userId: string
  readonly invitationId: string
  readonly name: string
  /** Of the credential, which is not stored. */
  readonly hash: string
  /** Of the key that the browser made for its enrolment. */
  readonly keyHash: string
  /** Makes the credential, together with invitation and key. */
  readonly salt: string
  readonly enrolledAt: number
  readonly usedAt: number | null
  /** When its removal takes effect; null: nobody removes it. */
  readonly removedFrom: number | null
}

/** `isByOperator`: an operator has invited it as a further device. */
export type ListedAppDevice = AppDevice & { readonly isByOperator: boolean }

/** A removal by another device, and an erasure that the person asks for, take effect after this. app.md#removing. */
export const REMOVAL_MS = 3 * DAY
/** The last use is noted once in this long, so that a busy device costs hardly any write. */
export const USE_NOTED_MS = HOUR

const CREDENTIAL = /^dev_[A-Za-z0-9_-]{43}$/

/** Whether this has the form of a credential. A user hash never has. */
export const isCredential = (text: string): boolean => text.startsWith('dev_') && CREDENTIAL.test(text)

/** The stored hash of a secret with at least 128 random bits. */
export const appSecretHash = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex')

/**
 * The credential of an enrolment. The stored salt makes it, so that a repeated request gets it again; without key and
 * invitation, which are not stored, the salt is worth nothing.
 */
export const appCredentialOf = (salt: string, { invitation, key }: { invitation: string; key: string }): string =>
  `dev_${createHmac('sha256', salt).update(`${invitation} ${key}`, 'utf8').digest('base64url')}`

/**
 * When a removal that another device asks for takes effect. A device that has just come is removed at once by one that
 * was there before: somebody may have added it with a phone that lay unlocked. Not so one from an operator: it is for a
 * person whose phone is in other hands. app.md#removing.
 */
export function removalFrom(
  { enrolledAt, id, isByOperator }: Pick<ListedAppDevice, 'enrolledAt' | 'id' | 'isByOperator'>,
  by: Pick<AppDevice, 'enrolledAt' | 'id'>,
  now: number,
): number {
  if (id === by.id) return now
  const isNew = !isByOperator && now - enrolledAt < REMOVAL_MS && by.enrolledAt < enrolledAt
  return isNew ? now : now + REMOVAL_MS
}

/** `remove`: the device goes now. `update`: it stays until its `removedFrom`, if it has one. */
export type RemovalChanges = { readonly update: AppDevice } | { readonly remove: AppDevice }

/** Removes a device of the person from `from` on: the earliest time asked for counts. Null takes that back. */
export function decideRemoveDevice(
  device: AppDevice | null,
  from: number | null,
  now: number,
): Decided<RemovalChanges, AppDevice, 'app_device_not_found'> {
  if (device === null) return { refused: 'app_device_not_found' }
  const removedFrom = from === null ? null : Math.min(from, device.removedFrom ?? from)
  const result = { ...device, removedFrom }
  return removedFrom !== null && removedFrom <= now ? { remove: result, result } : { update: result, result }
}
