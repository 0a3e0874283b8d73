import { isPossibleNumber } from '../adapters/platform/system/phone-numbers.ts'
import {
  type ImportedLine,
  importPeople,
  MAX_LINES,
  MAX_PEOPLE,
  previewPeople,
  readPeople,
} from '../app/operator/import-people.ts'
import { boundedCsv } from '../lib/csv.ts'
import { type Answer, table } from './answer.ts'
import { byCommand, type CommandContext, findApplication } from './command-context.ts'
import { badLineText, type FileText } from './csv-file.ts'

type Options = { readonly preview: boolean; readonly partial: boolean }

/** `tocsin user import`. people.md#csv. */
export async function importFile(
  context: CommandContext,
  appId: string,
  file: FileText,
  { preview, partial }: Options,
): Promise<Answer> {
  const { store, config, ids } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  if ('refused' in file) return file
  const { application } = found
  const { contactsPerUser, verificationsPerDay: perDay } = config.limits
  const needs = { store, ids, contactsPerUser, asking: { perDay }, isPossible: isPossibleNumber }
  const read = await readPeople(boundedCsv(file.text, MAX_LINES))
  if (read === null) return { refused: `the file has more than ${MAX_PEOPLE} people, or very many lines; split it` }
  const looked = preview || !partial ? await previewPeople(needs, application, read.good) : { rows: [], bad: [] }
  const wrong = [...read.bad, ...looked.bad].toSorted((a, b) => a.line - b.line)
  if (preview) return answerOf(looked.rows, wrong, 'Nothing is written yet. The file would do this:')
  if (wrong.length > 0 && !partial) {
    return {
      json: { imported: [], rejected: wrong },
      refused: `nothing was imported (--partial imports the valid lines); ${wrong.map(badLineText).join('; ')}`,
    }
  }
  const done = await importPeople(needs, application, read.good, byCommand(context))
  return answerOf(done.rows, [...read.bad, ...done.bad], 'Imported:')
}

function answerOf(
  rows: readonly ImportedLine[],
  rejected: readonly Parameters<typeof badLineText>[0][],
  heading: string,
): Answer {
  const shown = rows.map(({ line, externalUserId, name, what, fields, contactsAdded, contactsChanged }) => ({
    ...{ line, externalUserId, name, what, fields: fields.join(', ') },
    contacts: `${contactsAdded} new, ${contactsChanged} changed`,
  }))
  const changes = rows.flatMap(({ externalUserId, changes: cells = [] }) =>
    cells.map(({ column, old, new: given }) => ({ externalUserId, column, old: old ?? '', new: given })),
  )
  const text = [heading, table(shown, 'No people.'), ...(changes.length > 0 ? ['', table(changes, '')] : [])].join('\n')
  const warnings = rows.flatMap(({ line, doubts = [] }) =>
    doubts.map(({ column, message }) => badLineText({ line, field: column, message })),
  )
  const answer = { json: { imported: rows, rejected }, text, ...(warnings.length > 0 && { warnings }) }
  return rejected.length === 0 ? answer : { ...answer, failed: rejected.map(badLineText).join('; ') }
}
