import { useState } from 'preact/hooks'
import { ApiError, call } from '../api/client.ts'
import type { PeopleImport } from '../api/types.ts'
import { fieldProblemText } from '../logic/field-problem.ts'
import { fileText } from '../logic/file-text.ts'
import { readable } from '../logic/plain-text.ts'
import { allTexts, language } from '../state/language.ts'
import { importWords } from '../texts/people-import.ts'
import { ApplicationPick, useApplications } from './applications.tsx'
import { Field, Form, Panel, Problem } from './controls.tsx'
import { Table } from './listing.tsx'
import { useTask } from './task.ts'

/** The most that the service takes. */
const MAX_BYTES = 512 * 1024
const bytesIn = (text: string): number => new TextEncoder().encode(text).length

/** Lines that are shown, first those that change somebody: the counts above say how many there are. */
const MAX_SHOWN = 200

/** A file of people: a preview, and *Import*. Nothing is written before that. people.md#csv. */
export function ImportPeople({ onImported }: { readonly onImported: () => void }) {
  const words = importWords[language.value]
  const applications = useApplications()
  const [app, pick] = useState('')
  const [csv, write] = useState<string | null>(null)
  const [found, show] = useState<PeopleImport | null>(null)
  const [done, tell] = useState<PeopleImport | null>(null)
  const task = useTask()
  const isTooLarge = csv !== null && (csv.length > MAX_BYTES || bytesIn(csv) > MAX_BYTES)
  const ask = (step: string, also: Readonly<Record<string, string>>): Promise<PeopleImport> => {
    const query = new URLSearchParams({ app: app || (applications[0]?.applicationId ?? ''), ...also })
    return call<PeopleImport>('POST', `/people/import${step}?${query}`, csv, { type: 'text/csv' })
  }
  const forget = (): void => {
    show(null)
    tell(null)
  }
  const preview = async (): Promise<void> => show(await ask('/preview', {}))
  const look = (): void => void task.run(preview)
  const run = (): void =>
    void task
      .run(async () => {
        try {
          tell(await ask('', { partial: 'true', ...(found?.mark && { preview: found.mark }) }))
          show(null)
        } catch (error) {
          // The problem says that this is another one.
          if (error instanceof ApiError && error.reason === 'people_changed') await preview()
          throw error
        }
      })
      .then((isDone) => isDone && onImported())
  return (
    <Panel title={words.title}>
      <p class="quiet">{words.means}</p>
      <Form onSend={look}>
        <ApplicationPick
          applications={applications}
          value={app}
          onPick={(id) => {
            pick(id)
            forget()
          }}
        />
        <Field
          label={words.file}
          hint={words.columns}
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          required
          onChange={(event) => {
            forget()
            write(null)
            void event.currentTarget.files?.[0]?.arrayBuffer().then((bytes) => write(fileText(bytes)))
          }}
        />
        {isTooLarge && <p class="problem">{words.tooLarge}</p>}
        <button type="submit" disabled={task.busy || csv === null || isTooLarge || applications.length === 0}>
          {words.look}
        </button>
      </Form>
      <Problem text={task.problem} />
      {found !== null && <Preview found={found} busy={task.busy} onImport={run} />}
      {done !== null && (
        <div role="status">
          <p class="good">✓ {words.done(done.added, done.changed, done.contactsAdded)}</p>
          <Rejected found={done} />
        </div>
      )}
    </Panel>
  )
}

function Preview({
  found,
  busy,
  onImport,
}: {
  readonly found: PeopleImport
  readonly busy: boolean
  readonly onImport: () => void
}) {
  const words = importWords[language.value]
  const { added, changed, unchanged, contactsAdded, contactsChanged, inAlarm, asks, rejectedLines } = found
  const rows = (['changed', 'new'] as const).flatMap((kind) => found.rows.filter(({ what }) => what === kind))
  const fieldNames = (names: readonly string[]): string => names.map(columnName).join(', ')
  return (
    <div class="preview">
      <h3>{words.preview}</h3>
      <ul class="counts">
        <li>{words.added(added)}</li>
        <li>{words.changed(changed)}</li>
        <li>{words.unchanged(unchanged)}</li>
        <li>{words.contacts(contactsAdded, contactsChanged)}</li>
      </ul>
      {asks && contactsAdded > 0 && <p class="quiet">{words.asks(contactsAdded)}</p>}
      {inAlarm > 0 && <p class="banner warn">{words.inAlarm(inAlarm)}</p>}
      <Rejected found={found} />
      <Doubts rows={rows} />
      {rows.length > 0 && (
        <Table
          label={words.preview}
          items={rows.slice(0, MAX_SHOWN)}
          columns={[
            [words.line, ({ line }) => line],
            [allTexts.value.users.name, ({ name, externalUserId }) => <bdi>{name ?? externalUserId}</bdi>],
            [words.what, ({ what }) => words.whats[what]],
            [
              words.changes,
              ({ changes = [], fields, contactsAdded: more, contactsChanged: other }) => (
                <>
                  {changes.map((cell) => (
                    <Change key={cell.column} cell={cell} />
                  ))}
                  {[
                    fieldNames(fields.filter((field) => changes.every(({ column }) => column !== field))),
                    more + other === 0 ? '' : words.contacts(more, other),
                  ]
                    .filter(Boolean)
                    .join('; ')}
                </>
              ),
            ],
          ]}
        />
      )}
      {rows.length > MAX_SHOWN && <p class="quiet">{allTexts.value.board.more(rows.length - MAX_SHOWN)}</p>}
      {rows.length === 0 ? (
        <p>{words.nothing}</p>
      ) : (
        <button type="button" class="main" disabled={busy} onClick={onImport}>
          {words.go(rows.length, rejectedLines)}
        </button>
      )}
    </div>
  )
}

type Cell = NonNullable<PeopleImport['rows'][number]['changes']>[number]

/** `Phone: +43 660 1 → +43 660 2`. */
const Change = ({ cell: { column, old, new: given } }: { readonly cell: Cell }) => (
  <div>
    {allTexts.value.labelled(columnName(column), '')}
    {old === null ? '–' : <del>{readable(old) ?? old}</del>} → <ins>{readable(given) ?? given}</ins>
  </div>
)

/** Numbers that look wrong: the reader decides. */
function Doubts({ rows }: { readonly rows: PeopleImport['rows'] }) {
  const words = importWords[language.value]
  const doubts = rows.flatMap(({ line, doubts: of = [] }) => of.map((doubt) => ({ line, ...doubt })))
  if (doubts.length === 0) return null
  return (
    <>
      <p class="warn">⚠ {words.doubts(doubts.length)}</p>
      <ul class="rejected">
        {doubts.slice(0, MAX_SHOWN).map(({ line, column, code }) => (
          <li key={`${line} ${column} ${code}`}>
            {words.at(line, columnName(column))} {words.doubtOf[code]}
          </li>
        ))}
      </ul>
    </>
  )
}

/** The problems of a file, by line. */
function Rejected({ found: { rejected, rejectedLines } }: { readonly found: PeopleImport }) {
  const words = importWords[language.value]
  if (rejected.length === 0) return null
  return (
    <>
      <p class="problem">{words.rejected(rejectedLines)}</p>
      <ul class="rejected">
        {rejected.map(({ line, field, message }) => (
          <li key={`${line} ${field} ${message}`}>
            {words.at(line, field === null ? null : columnName(field))}{' '}
            {fieldProblemText(message, allTexts.value.refused)}
          </li>
        ))}
      </ul>
    </>
  )
}

/** A column by the name that the reader knows: `contact2Phone` is contact 2, phone. */
function columnName(column: string): string {
  const t = allTexts.value
  const names: Readonly<Record<string, string>> = {
    externalUserId: t.users.externalId,
    name: t.users.name,
    phone: t.users.phone,
    email: t.users.email,
    address: t.users.address,
    language: t.language,
    groups: t.users.groups,
    notes: t.users.notes,
  }
  const [, number, part = ''] = /^contact(\d+)(Name|Phone|Email|Language)$/.exec(column) ?? []
  if (number === undefined) return names[column] ?? column
  return `${importWords[language.value].contact(number)}, ${names[part.toLowerCase()]}`
}
