import { signal } from '@preact/signals'
import { addedPhones } from '../logic/added-phones.ts'
import { ask } from './api.ts'
import { keep, kept } from './keep.ts'

/** A phone that can raise an alarm in the person's name. */
export type Phone = {
  readonly id: string
  readonly name: string
  readonly enrolledAt: string
  readonly lastUsedAt: string | null
  readonly isThis: boolean
  readonly leavesAtOnce: boolean
  readonly removedFrom: string | null
}

export const PHONES = '/v1/sdk/me/app-devices'

/** Undefined: not asked yet; null: the service did not say. */
export const phones = signal<readonly Phone[] | null | undefined>(undefined)
/** Phones that somebody else may have added. */
export const newPhones = signal<readonly Phone[]>([])

/** When the person is to be erased, ISO 8601; null: not at all. */
export const erasesAt = signal<string | null>(null)

type List = { readonly devices: readonly Phone[]; readonly erasesAt?: string | null }

export async function readPhones(): Promise<void> {
  const { status, body } = await ask('GET', PHONES)
  const list = status === 200 ? (body as List) : null
  const read = list?.devices ?? null
  if (list !== null) erasesAt.value = list.erasesAt ?? null
  phones.value = read
  if (read === null) return
  const known = await kept<readonly string[]>('phones')
  if (known === undefined) await keepKnown(read)
  else newPhones.value = addedPhones(read, known)
}

const keepKnown = (read: readonly Phone[]): Promise<boolean> =>
  keep(
    'phones',
    read.map(({ id }) => id),
  )

/** The person has seen the list. */
export async function knowPhones(): Promise<void> {
  if (phones.value != null) await keepKnown(phones.value)
}
