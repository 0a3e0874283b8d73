import type { z } from 'zod'
import { fieldMessage } from '../ingest/field-message.ts'
import { type Contact, isAllowedDestination } from './contact.ts'
import { type ContactCreate, type ContactUpdate, contactCreateSchema } from './contact-schema.ts'
import type { BadLine, FileRecord } from './hardware-lines.ts'
import { externalUserIdField, type PersonUpdate, personUpdateSchema } from './person-schema.ts'
import { numberAsWritten } from './written-number.ts'

/** Contacts that a line may name. */
const MAX_CONTACTS = 10

/** One person, as a line of the operator's file. An empty cell changes nothing. `column`: of a contact in the file. */
export type PersonLine = {
  readonly line: number
  readonly externalUserId: string
  readonly fields: PersonUpdate
  readonly contacts: readonly (ContactCreate & { readonly column: string })[]
}

const personColumns = ['externalUserId', 'name', 'phone', 'email', 'address', 'language', 'groups', 'notes'] as const
const contactColumns = ['Name', 'Phone', 'Email', 'Language'] as const
const known: ReadonlyMap<string, string> = new Map(
  [
    ...personColumns,
    ...Array.from({ length: MAX_CONTACTS }, (_, n) => contactColumns.map((part) => `contact${n + 1}${part}`)).flat(),
  ].map((column) => [column.toLowerCase(), column]),
)

/** The lines of a file that can be imported, and the faults of the others. */
export type PeopleLines = { readonly good: readonly PersonLine[]; readonly bad: readonly BadLine[] }

/**
 * Reads the records of a file of people: a header with columns in any order, then a person a line; the header is line 1
 * (people.md#csv). Of several lines with one external id the first counts. `seen`: the lines of earlier external ids,
 * of a file that is read in parts.
 */
export function peopleLines(
  [header, ...records]: readonly FileRecord[],
  seen: Map<string, number> = new Map(),
): PeopleLines {
  const columns = header !== undefined && 'fields' in header ? header.fields.map((name) => columnOf(name)) : []
  const wrong = headerProblems(columns)
  if (wrong.length > 0) return { good: [], bad: wrong }
  const good: PersonLine[] = []
  const bad: BadLine[] = []
  for (const record of records) {
    const { line } = record
    if ('malformed' in record) {
      bad.push({ line, field: null, message: record.malformed })
      continue
    }
    // A spreadsheet fills up the lines below the last one.
    if (record.fields.every((field) => field.trim() === '')) continue
    if (record.fields.length !== columns.length) {
      const message = `has ${record.fields.length} fields instead of ${columns.length}`
      bad.push({ line, field: null, message })
      continue
    }
    const read = readPerson(line, new Map(columns.map((column, n) => [column, record.fields[n]!.trim()])))
    if ('problems' in read) {
      bad.push(...read.problems)
      continue
    }
    const earlier = seen.get(read.externalUserId)
    if (earlier !== undefined) {
      bad.push({ line, field: 'externalUserId', message: `repeats the one in line ${earlier}` })
      continue
    }
    seen.set(read.externalUserId, line)
    good.push(read)
  }
  return { good, bad }
}

const columnOf = (name: string): string => known.get(name.trim().toLowerCase()) ?? name.trim()

function headerProblems(columns: readonly string[]): readonly BadLine[] {
  // Before anything that compares them with each other.
  if (columns.length > known.size) {
    return [{ line: 1, field: null, message: `has ${columns.length} fields instead of ${known.size}` }]
  }
  const twice = columns.filter((column, n) => columns.indexOf(column) !== n)
  const unknown = columns.filter((column) => known.get(column.toLowerCase()) !== column)
  return [
    ...(columns.includes('externalUserId') ? [] : [{ line: 1, field: 'externalUserId', message: 'is required' }]),
    ...unknown.map((field) => ({ line: 1, field: field.slice(0, 60), message: 'is not a known column' })),
    ...(unknown.length > 0 ? [] : twice.map((field) => ({ line: 1, field, message: 'stands twice' }))),
  ]
}

/** A number as people write it, behind the apostrophe with which spreadsheets mark a text. */
const asPhone = (text: string): string => numberAsWritten(text.replace(/^'/, ''))

type Cells = ReadonlyMap<string, string>

function readPerson(line: number, cells: Cells): PersonLine | { readonly problems: readonly BadLine[] } {
  const problems: BadLine[] = []
  const cell = (column: string): string | undefined => cells.get(column) || undefined
  const noted = (issues: readonly z.core.$ZodIssue[], columnOfField: (field: string) => string): void => {
    for (const { path, message } of issues) problems.push({ line, field: columnOfField(String(path[0])), message })
  }
  const externalUserId = externalUserIdField.safeParse(cells.get('externalUserId'), { error: fieldMessage })
  if (!externalUserId.success) noted(externalUserId.error.issues, () => 'externalUserId')
  const groups = cell('groups')
    ?.split(/[,;|]/)
    .map((group) => group.trim())
    .filter((group) => group !== '')
  const phone = cell('phone')
  const given = Object.fromEntries(
    Object.entries({
      ...{ name: cell('name'), email: cell('email'), address: cell('address'), language: cell('language') },
      ...{ notes: cell('notes'), groups, phone: phone === undefined ? undefined : asPhone(phone) },
    }).filter(([, value]) => value !== undefined),
  )
  const fields = personUpdateSchema.safeParse(given, { error: fieldMessage })
  if (!fields.success) noted(fields.error.issues, (field) => field)
  const contacts: PersonLine['contacts'][number][] = []
  for (let n = 1; n <= MAX_CONTACTS; n += 1) {
    const column = `contact${n}`
    const parts = contactColumns.map((part) => [part.toLowerCase(), cell(`${column}${part}`)] as const)
    if (parts.every(([, value]) => value === undefined)) continue
    const { phone: number = '', ...rest } = Object.fromEntries(parts.filter(([, value]) => value !== undefined))
    const contact = contactCreateSchema.safeParse({ ...rest, phone: asPhone(number) }, { error: fieldMessage })
    if (contact.success) contacts.push({ ...contact.data, column })
    else noted(contact.error.issues, (field) => `${column}${field[0]!.toUpperCase()}${field.slice(1)}`)
  }
  const numbers = contacts.map((contact) => contact.phone)
  for (const [at, { phone: number, column }] of contacts.entries()) {
    if (numbers.indexOf(number) !== at) {
      problems.push({ line, field: `${column}Phone`, message: 'is the number of another contact, too' })
    }
  }
  if (problems.length > 0 || !externalUserId.success || !fields.success) return { problems }
  return { line, externalUserId: externalUserId.data, fields: fields.data, contacts }
}

/** The effect of a line on a person. `change`: null if none. */
export type PersonPlan = {
  readonly addContacts: readonly ContactCreate[]
  readonly changeContacts: readonly {
    readonly contactId: string
    readonly column: string
    readonly update: ContactUpdate
  }[]
}

/**
 * The contacts of a line beside those that the person has: by their number, so that a file can be imported again. None
 * is removed. Or why the line cannot be imported.
 */
export function planContacts(
  { line, contacts }: Pick<PersonLine, 'line' | 'contacts'>,
  known: readonly Contact[],
  { allowedPrefixes, limit }: { readonly allowedPrefixes: readonly string[]; readonly limit: number },
): PersonPlan | { readonly bad: readonly BadLine[] } {
  const added = contacts.filter(({ phone }) => !known.some((contact) => contact.phone === phone))
  const bad = [
    ...added
      .filter(({ phone }) => !isAllowedDestination(phone, allowedPrefixes))
      .map(({ column }) => ({
        line,
        field: `${column}Phone`,
        message: 'has a country prefix that this application is not allowed to send to',
      })),
    ...added
      .slice(Math.max(0, limit - known.length))
      .map(({ column }) => ({ line, field: `${column}Name`, message: `is one contact too many: ${limit} at most` })),
  ]
  if (bad.length > 0) return { bad }
  const changeContacts = contacts.flatMap(({ column, ...given }) => {
    const before = known.find(({ phone }) => phone === given.phone)
    if (before === undefined) return []
    const update: ContactUpdate = {
      ...(given.name !== before.name && { name: given.name }),
      ...(given.email != null && given.email !== before.email && { email: given.email }),
      ...(given.language != null && given.language !== before.language && { language: given.language }),
    }
    return Object.keys(update).length === 0 ? [] : [{ contactId: before.id, column, update }]
  })
  return { addContacts: added.map(({ column: _, ...contact }) => contact), changeContacts }
}
