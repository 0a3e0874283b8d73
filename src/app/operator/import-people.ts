import type { Application } from '../../core/account/application.ts'
import { type ChangedCell, changedCell } from '../../core/account/changed-cell.ts'
import type { Contact } from '../../core/account/contact.ts'
import { type DoubtedNumber, doubtedNumbers } from '../../core/account/doubted-numbers.ts'
import type { BadLine } from '../../core/account/hardware-lines.ts'
import {
  type PeopleLines,
  type PersonLine,
  type PersonPlan,
  peopleLines,
  planContacts,
} from '../../core/account/people-lines.ts'
import { previewMark } from '../../core/account/preview-mark.ts'
import type { User } from '../../core/account/profile.ts'
import { inNextTurn } from '../../lib/waits.ts'
import type { AccountStore } from '../../ports/store.ts'
import type { By } from './by.ts'
import { addContactOf, type ContactNeeds, updateContactOf } from './contacts.ts'
import { addPersonBy, alarmOf, changedCellsOf, type PeopleNeeds, updatePersonBy } from './people.ts'

export type ImportNeeds = PeopleNeeds & ContactNeeds & { readonly store: Pick<AccountStore, 'userByExternalId'> }
type For = Pick<Application, 'id' | 'allowedPrefixes'>

/** The effect of a line. `inAlarm`: the person has an open alarm, which new contacts join. */
export type ImportedLine = {
  readonly line: number
  readonly externalUserId: string
  readonly name: string | null
  readonly what: 'new' | 'changed' | 'same'
  readonly fields: readonly string[]
  readonly contactsAdded: number
  readonly contactsChanged: number
  readonly inAlarm: boolean
  /** Absent: there are none. */
  readonly doubts?: readonly DoubtedNumber[]
  /** Old and new values of somebody who is there, at most `MAX_CELLS`; absent: no change, or not a preview. */
  readonly changes?: readonly ChangedCell[]
}

type Planned = PersonPlan & {
  readonly line: PersonLine
  readonly user: User | null
  readonly shown: ImportedLine
  readonly cells: readonly ChangedCell[]
}

/** People of one file. Each takes two reads, and up to a dozen writes. */
export const MAX_PEOPLE = 1000
/** With lines within notes, and empty ones. */
export const MAX_LINES = 10 * MAX_PEOPLE
const LINES_AT_ONCE = 50
/** Values that a preview shows: of so many people, and of each. No reader looks at more. */
const MAX_WITH_VALUES = 200
const MAX_CELLS = 12

/**
 * Reads the records of a file in parts, so that alarms pass in between. Null: it has too many people. `file`: null if
 * it has more lines than `MAX_LINES`.
 */
export async function readPeople(file: Parameters<typeof peopleLines>[0] | null): Promise<PeopleLines | null> {
  if (file === null) return null
  const [header, ...records] = file
  if (header === undefined) return peopleLines([])
  const seen = new Map<string, number>()
  const parts: PeopleLines[] = []
  for (let at = 0; at === 0 || at < records.length; at += LINES_AT_ONCE) {
    const part = await inNextTurn(() => peopleLines([header, ...records.slice(at, at + LINES_AT_ONCE)], seen))
    parts.push(part)
    // The header alone is wrong: it is said once.
    if (part.bad.some(({ line }) => line === 1)) return part
  }
  const good = parts.flatMap((part) => part.good)
  return good.length > MAX_PEOPLE ? null : { good, bad: parts.flatMap((part) => part.bad) }
}

type Previewed = { readonly rows: readonly ImportedLine[]; readonly bad: readonly BadLine[]; readonly mark: string }

/**
 * Predicts the effect of each line of a file. Reads each person in a turn of its own, so that alarms pass in between.
 * Writes nothing. `noteShown`: told of each person whose stored values are in the preview. `mark`: equal only while the
 * lines would do the same.
 */
export async function previewPeople(
  needs: ImportNeeds,
  application: For,
  lines: readonly PersonLine[],
  noteShown: (userId: string) => void = () => {},
): Promise<Previewed> {
  const rows: ImportedLine[] = []
  const bad: BadLine[] = []
  const mark = previewMark()
  mark.add(application.id)
  let withValues = 0
  for (const line of lines) {
    const planned = await inNextTurn(() => plan(needs, application, line))
    if ('bad' in planned) {
      mark.add([line, planned.bad])
      bad.push(...planned.bad)
      continue
    }
    const { shown, user, cells } = planned
    mark.add([line, shown, cells])
    const showsValues = user !== null && cells.length > 0 && withValues < MAX_WITH_VALUES
    rows.push(showsValues ? { ...shown, changes: cells.slice(0, MAX_CELLS) } : shown)
    if (!showsValues) continue
    withValues += 1
    noteShown(user.id)
  }
  return { rows, bad, mark: mark.value() }
}

/**
 * Imports the lines, a person at a time: each change is a commit of its own with its row in the audit log, and alarms
 * are committed before the next one. What a line would do is decided again here. If the store fails, the lines before
 * are kept, and the file can be imported again: a line that is in force changes nothing.
 */
export async function importPeople(
  needs: ImportNeeds,
  application: For,
  lines: readonly PersonLine[],
  by: By,
): Promise<{ readonly rows: readonly ImportedLine[]; readonly bad: readonly BadLine[] }> {
  const rows: ImportedLine[] = []
  const bad: BadLine[] = []
  for (const line of lines) {
    const planned = await inNextTurn(() => plan(needs, application, line))
    const problems = 'bad' in planned ? planned.bad : await write(needs, application, planned, by)
    if (problems.length > 0) bad.push(...problems)
    else if ('shown' in planned) rows.push(planned.shown)
  }
  return { rows, bad }
}

async function plan(
  { store, contactsPerUser, isPossible }: ImportNeeds,
  { id: appId, allowedPrefixes }: For,
  line: PersonLine,
): Promise<Planned | { readonly bad: readonly BadLine[] }> {
  const { externalUserId } = line
  const user = await store.userByExternalId(appId, externalUserId)
  const known = user === null ? [] : await store.contacts(user.id)
  const planned = planContacts(line, known, { allowedPrefixes, limit: contactsPerUser })
  if ('bad' in planned) return planned
  const changed = user === null ? [] : changedCellsOf(user, line.fields)
  const fields = user === null ? Object.keys(line.fields) : changed.map(({ column }) => column)
  const [contactsAdded, contactsChanged] = [planned.addContacts.length, planned.changeContacts.length]
  const isChanged = fields.length + contactsAdded + contactsChanged > 0
  const doubts = doubtedNumbers(line, { user, known }, isPossible)
  const shown: ImportedLine = {
    ...{ line: line.line, externalUserId, name: line.fields.name ?? user?.name ?? null },
    what: user === null ? 'new' : isChanged ? 'changed' : 'same',
    ...{ fields, contactsAdded, contactsChanged },
    inAlarm: user !== null && isChanged && (await alarmOf(store, user.id)) !== null,
    ...(doubts.length > 0 && { doubts }),
  }
  return { ...planned, line, user, shown, cells: [...changed, ...contactCells(planned, known)] }
}

/** The cells that correct a contact, by the columns of the file. */
const contactCells = ({ changeContacts }: Pick<PersonPlan, 'changeContacts'>, known: readonly Contact[]) =>
  changeContacts.flatMap(({ contactId, column, update: { name, email, language } }) => {
    const before = known.find(({ id }) => id === contactId)
    const given = { Name: [before?.name, name], Email: [before?.email, email], Language: [before?.language, language] }
    return Object.entries(given).flatMap(([part, [old, now]]) =>
      now == null ? [] : [changedCell(`${column}${part}`, old, now)],
    )
  })

/** Planned changes that failed because somebody else has changed the person meanwhile. */
async function write(
  needs: ImportNeeds,
  { id: appId }: For,
  { line: { line, externalUserId, fields }, user, addContacts, changeContacts }: Planned,
  by: By,
): Promise<readonly BadLine[]> {
  const written =
    user === null
      ? await addPersonBy(needs, { appId, externalUserId }, fields, by)
      : await updatePersonBy(needs, user, fields, by)
  if ('refused' in written) return [{ line, field: 'externalUserId', message: MEANWHILE }]
  const person = written.user
  for (const { contactId, update } of changeContacts) {
    const changed = await updateContactOf(needs, person, contactId, update, by)
    if ('refused' in changed) return [{ line, field: null, message: MEANWHILE }]
  }
  for (const contact of addContacts) {
    const added = await addContactOf(needs, person, contact, by)
    if ('refused' in added) return [{ line, field: null, message: MEANWHILE }]
  }
  return []
}

const MEANWHILE = 'was changed by somebody else meanwhile: import the file again'
