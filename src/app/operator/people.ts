import { type ChangedCell, changedCell } from '../../core/account/changed-cell.ts'
import type { IsPossible, NumberWarning } from '../../core/account/number-findings.ts'
import type { PersonUpdate } from '../../core/account/person-schema.ts'
import type { User } from '../../core/account/profile.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AccountStore, AuditStore, ContactStore, IncidentStore } from '../../ports/store.ts'
import { numberWarnings } from '../user/number-warnings.ts'
import { type By, rowBy } from './by.ts'

export type PeopleNeeds = {
  readonly store: AuditStore &
    Pick<AccountStore, 'user'> &
    Pick<ContactStore, 'contacts'> &
    Pick<IncidentStore, 'openIncident'>
  readonly ids: Ids
  readonly isPossible: IsPossible
}

/** A person as stored, with doubts about the number, which is stored all the same. */
export type WrittenPerson = { readonly user: User; readonly warnings: readonly NumberWarning[] }

/** Enough that two people of one application never get the same. */
const MADE_ID_LENGTH = 12

/**
 * Adds a person who has no app, or not yet: a user under the given external id, or one that is made. Refused if the
 * external id is taken: adding a person must not change another one. people.md.
 */
export async function addPersonBy(
  { store, ids, isPossible }: PeopleNeeds,
  { appId, externalUserId }: { readonly appId: string; readonly externalUserId: string | undefined },
  fields: PersonUpdate,
  by: By,
): Promise<WrittenPerson | { readonly refused: 'user_exists' }> {
  const { now } = by
  const [id, made] = [ids.uuid(), `person-${ids.secret().slice(0, MADE_ID_LENGTH)}`]
  const details = { change: 'added', fields: Object.keys(fields) }
  const row = rowBy(by, { action: 'user.change', appId, userId: id, details })
  const user = await store.audited(row).addPerson({ id, appId, externalUserId: externalUserId ?? made, fields, now })
  if ('refused' in user) return user
  return { user, warnings: await numberWarnings({ store, isPossible }, user.id, null) }
}

/** Changes a person's entries. Writes nothing if there is no difference. people.md. */
export async function updatePersonBy(
  { store, isPossible }: Omit<PeopleNeeds, 'ids'>,
  before: User,
  update: PersonUpdate,
  by: By,
): Promise<WrittenPerson | { readonly refused: 'user_not_found' }> {
  const fields = changedOf(before, update)
  const { id, appId } = before
  if (fields.length > 0) {
    const details = { change: 'person_changed', fields }
    const row = rowBy(by, { action: 'user.change', appId, userId: id, subject: await alarmOf(store, id), details })
    const user = await store.audited(row).updatePerson(id, update, by.now)
    if ('refused' in user) return user
  }
  const user = await store.user(id)
  if (user === null) return { refused: 'user_not_found' }
  const warnings = fields.includes('phone') ? await numberWarnings({ store, isPossible }, id, null) : []
  return { user, warnings }
}

const personFields = ['name', 'email', 'phone', 'address', 'language', 'notes', 'groups'] as const

const writtenOf = ({ name, email, phone, address, textLanguage, operatorNotes, groupNames }: User) => ({
  ...{ name, email, phone, address, language: textLanguage, notes: operatorNotes },
  groups: groupNames ?? [],
})

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The names of the fields that `update` changes. */
const changedOf = (before: User, update: PersonUpdate): readonly (typeof personFields)[number][] =>
  personFields.filter((name) => update[name] !== undefined && !isSame(writtenOf(before)[name], update[name]))

/** The cells that `update` changes, by the names of the fields. */
export function changedCellsOf(before: User, update: PersonUpdate): readonly ChangedCell[] {
  const written = writtenOf(before)
  return changedOf(before, update).map((name) => changedCell(name, written[name], update[name]))
}

/** The user's open incident, in whose timeline the change is to stand. */
export const alarmOf = async (store: Pick<IncidentStore, 'openIncident'>, userId: string): Promise<string | null> =>
  (await store.openIncident(userId))?.incident.id ?? null
