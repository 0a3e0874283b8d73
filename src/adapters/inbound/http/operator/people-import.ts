import { z } from 'zod'
import {
  type ImportedLine,
  type ImportNeeds,
  importPeople,
  MAX_LINES,
  MAX_PEOPLE,
  previewPeople,
  readPeople,
} from '../../../../app/operator/import-people.ts'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import type { BadLine } from '../../../../core/account/hardware-lines.ts'
import { boundedCsv } from '../../../../lib/csv.ts'
import { FairTurns } from '../../../../lib/fair-turns.ts'
import type { ApplicationStore } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { numberCode } from '../sdk/contacts.ts'
import { applicationId } from './examples.ts'
import { applicationFor } from './scope.ts'

const PATH = '/v1/operator/people/import'

const importQuery = z.object({ app: z.string().max(100).meta({ description: 'The application of the people' }) })
const commitQuery = importQuery.extend({
  partial: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'Import the valid lines even if others are invalid' }),
  preview: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'The `mark` of a preview: 409 `people_changed` if the file would do something else by now' }),
})
const importedLine = z.object({
  line: z.int(),
  externalUserId: z.string(),
  name: z.string().nullable(),
  what: z.enum(['new', 'changed', 'same']),
  fields: z.array(z.string()).readonly().meta({ description: 'Of the person: what is written or changed' }),
  contactsAdded: z.int(),
  contactsChanged: z.int(),
  inAlarm: z.boolean().meta({ description: 'An alarm of the person is open: new contacts join it' }),
  doubts: z
    .array(z.object({ column: z.string(), code: numberCode, message: z.string() }))
    .readonly()
    .optional()
    .meta({ description: 'Numbers that look wrong, and are imported all the same; absent: none' }),
  changes: z
    .array(z.object({ column: z.string(), old: z.string().nullable(), new: z.string() }))
    .readonly()
    .optional()
    .meta({
      description:
        'Only in the preview: what is stored and what the file has instead, by the column of the file, each about 120 characters at most, from shortly before where long texts differ. Of the first 200 people who change, 12 columns each',
    }),
})
export const peopleImportSchema = z
  .object({
    added: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    contactsAdded: z.int(),
    contactsChanged: z.int(),
    inAlarm: z.int().meta({ description: 'People with an open alarm whom the file changes' }),
    asks: z.boolean().meta({ description: 'New contacts are asked by SMS to confirm' }),
    rows: z.array(importedLine).readonly(),
    rejectedLines: z.int(),
    rejected: z
      .array(z.object({ line: z.int(), field: z.string().nullable(), message: z.string() }))
      .readonly()
      .meta({ description: 'What is wrong, by line: at most 200' }),
    mark: z.string().optional().meta({ description: 'Only in the preview: send it with the import, as `preview`' }),
  })
  .meta({ id: 'PeopleImport', description: 'What a file of people does' })

const refusals = {
  bad_people: { kind: 'VALIDATION', message: 'Nothing was imported: lines of the file are wrong, see `rejected`.' },
  too_many_people: {
    kind: 'VALIDATION',
    message: `The file has more than ${MAX_PEOPLE} people, or very many lines. Split it.`,
  },
  people_changed: {
    kind: 'CONFLICT',
    message:
      'Nothing was imported: since the preview, somebody has changed these people, or an alarm was opened or ended. Look at a new preview.',
  },
} as const satisfies Refusals

const TOO_MANY = { refused: 'too_many_people' } as const
const CHANGED = { refused: 'people_changed' } as const
const MAX_FILE_BYTES = 512 * 1024
const MAX_REJECTED = 200

const csv =
  'externalUserId,name,phone,groups,contact1Name,contact1Phone\nmia-7,Mia Moser,+436601234567,Wardens,Ana Gruber,+436605550001\n'
const exampleMark = 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg'
const answer = {
  ...{ added: 1, changed: 0, unchanged: 0, contactsAdded: 1, contactsChanged: 0, inAlarm: 0, asks: true },
  rows: [
    {
      ...{ line: 2, externalUserId: 'mia-7', name: 'Mia Moser', what: 'new', fields: ['name', 'phone', 'groups'] },
      ...{ contactsAdded: 1, contactsChanged: 0, inAlarm: false },
    },
  ],
  rejectedLines: 0,
  rejected: [],
}

type Needs = OperatorAdmission & ImportNeeds & { readonly store: ApplicationStore; readonly noteLook: NoteLook }

const shown = (rows: readonly ImportedLine[], bad: readonly BadLine[], asks: boolean) => {
  const sum = (count: (row: ImportedLine) => number): number => rows.reduce((all, row) => all + count(row), 0)
  return {
    added: sum(({ what }) => Number(what === 'new')),
    changed: sum(({ what }) => Number(what === 'changed')),
    unchanged: sum(({ what }) => Number(what === 'same')),
    contactsAdded: sum(({ contactsAdded }) => contactsAdded),
    contactsChanged: sum(({ contactsChanged }) => contactsChanged),
    inAlarm: sum(({ inAlarm }) => Number(inAlarm)),
    asks,
    rows,
    rejectedLines: new Set(bad.map(({ line }) => line)).size,
    rejected: bad.slice(0, MAX_REJECTED),
  }
}

/** Imports a file of people: first a preview, then the writes. people.md#csv. */
export const operatorPeopleImportRoutes = (needs: Needs) => {
  const { store, noteLook } = needs
  // One at a time: it reads and writes each person in turn, between alarms.
  const imports = new FairTurns({ atOnce: 1, maxWaiting: 1 })
  return family('OPERATOR', needs, {
    refusals,

    files(scope, refuse) {
      scope.post(
        `${PATH}/preview`,
        {
          bodyLimit: MAX_FILE_BYTES,
          config: { action: 'user.view' },
          schema: {
            operationId: 'previewPeople',
            summary: 'Says what a CSV file of people would do',
            description:
              'Reads up to 1,000 people of a CSV file and says line by line what is new, what changes, from what to what, and what is wrong. Writes nothing; that stored values were shown is noted in the audit log.',
            consumes: ['text/csv'],
            querystring: importQuery,
            body: z.string().meta({ description: 'UTF-8; the first line names the columns' }),
            response: { 200: peopleImportSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { app: applicationId },
              body: csv,
              answers: { 200: { ...answer, mark: exampleMark } },
            },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.query.app)
          if (application === null) return refuse(reply, 'application_not_found')
          const { actor, address } = callerOf(request)
          const noteShown = (userId: string): void =>
            noteLook({ actor, address, action: 'user.view', appId: application.id, userId, subject: null })
          const previewed = await imports.run(actor.id, async () => {
            const lines = await readPeople(boundedCsv(request.body, MAX_LINES))
            if (lines === null) return TOO_MANY
            return { lines, ...(await previewPeople(needs, application, lines.good, noteShown)) }
          })
          if (previewed === null) return refuse(reply, 'too_many_at_once')
          if ('refused' in previewed) return refuse(reply, previewed.refused)
          const { lines, rows, bad, mark } = previewed
          return { ...shown(rows, byLine([...lines.bad, ...bad]), application.verifyContacts), mark }
        },
      )

      scope.post(
        PATH,
        {
          bodyLimit: MAX_FILE_BYTES,
          config: { action: 'user.change' },
          schema: {
            operationId: 'importPeople',
            summary: 'Adds and changes the people of a CSV file',
            description:
              'Adds the people of a CSV file and changes those who are there, by their external id: an empty cell changes nothing, and nobody is removed. All lines or none, unless `partial=true`; with `preview`, only what that preview said. The same file again changes nothing.',
            consumes: ['text/csv'],
            querystring: commitQuery,
            body: z.string().meta({ description: 'As for the preview' }),
            response: { 200: peopleImportSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: { app: applicationId, partial: 'true', preview: exampleMark },
              body: csv,
              answers: { 200: answer },
            },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.query.app)
          if (application === null) return refuse(reply, 'application_not_found')
          const { actor, by } = callerOf(request)
          const { partial, preview = null } = request.query
          const done = await imports.run(actor.id, async () => {
            const lines = await readPeople(boundedCsv(request.body, MAX_LINES))
            if (lines === null) return TOO_MANY
            const isAll = partial === 'false'
            const looked = isAll || preview !== null ? await previewPeople(needs, application, lines.good) : null
            if (preview !== null && looked?.mark !== preview) return CHANGED
            const wrong = isAll ? [...lines.bad, ...(looked?.bad ?? [])] : []
            return wrong.length > 0
              ? { wrong }
              : { lines, ...(await importPeople(needs, application, lines.good, by())) }
          })
          if (done === null) return refuse(reply, 'too_many_at_once')
          if ('refused' in done) return refuse(reply, done.refused)
          if ('wrong' in done)
            return refuse(reply, 'bad_people', { rejected: byLine(done.wrong).slice(0, MAX_REJECTED) })
          return shown(done.rows, byLine([...done.lines.bad, ...done.bad]), application.verifyContacts)
        },
      )
    },
  })
}

const byLine = (bad: readonly BadLine[]): readonly BadLine[] => bad.toSorted((a, b) => a.line - b.line)
