import { useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { Person, UserDetail } from '../api/types.ts'
import { userHash } from '../logic/route.ts'
import { numberGiven } from '../logic/typed-number.ts'
import { allTexts, language, languages } from '../state/language.ts'
import { peopleWords } from '../texts/people.ts'
import { ApplicationPick, useApplications } from './applications.tsx'
import { Field, Form, languageNames, Panel, Problem, Select } from './controls.tsx'
import { fieldProblem } from './field-problems.ts'
import { useTask } from './task.ts'

type Draft = {
  readonly externalUserId: string
  readonly name: string
  readonly phone: string
  readonly email: string
  readonly address: string
  readonly language: string
  readonly notes: string
  readonly groups: string
}
const EMPTY: Draft = {
  ...{ externalUserId: '', name: '', phone: '', email: '', address: '', language: '', notes: '', groups: '' },
}
/** Fields that can be changed afterwards. */
const texted = ['name', 'phone', 'email', 'address', 'language', 'notes'] as const

const draftOf = (user: UserDetail): Draft => ({
  externalUserId: user.externalUserId,
  groups: user.groups.join(', '),
  ...(Object.fromEntries(texted.map((key) => [key, user[key] ?? ''])) as Pick<Draft, (typeof texted)[number]>),
})
const groupsOf = ({ groups }: Draft): readonly string[] =>
  groups
    .split(/[,;|]/)
    .map((group) => group.trim())
    .filter((group) => group !== '')

/** The changes in `draft`: nothing else is sent, so that somebody else's changes stay. */
function changesOf(draft: Draft, before: Draft): Readonly<Record<string, unknown>> {
  const written = { ...draft, phone: numberGiven(draft.phone) }
  const fields = texted
    .filter((key) => written[key].trim() !== before[key])
    .map((key) => [key, written[key].trim() || null])
  const isRegrouped = groupsOf(draft).join() !== groupsOf(before).join()
  return { ...Object.fromEntries(fields), ...(isRegrouped && { groups: groupsOf(draft) }) }
}

type Fields = {
  readonly draft: Draft
  readonly write: (draft: Draft) => void
  readonly task: ReturnType<typeof useTask>
}

function PersonFields({ draft, write, task }: Fields) {
  const t = allTexts.value.users
  const words = peopleWords[language.value]
  const field = (name: Exclude<keyof Draft, 'language'>) => ({
    value: draft[name],
    error: fieldProblem(task, name),
    onInput: (event: { currentTarget: HTMLInputElement }) => write({ ...draft, [name]: event.currentTarget.value }),
  })
  // A password manager would fill in the operator's own data.
  const other = { autocomplete: 'off' as const }
  return (
    <>
      <Field label={t.name} maxLength={200} {...other} {...field('name')} />
      <Field label={t.phone} hint={words.phoneHint} type="tel" {...other} {...field('phone')} />
      <Field label={t.email} type="email" {...other} {...field('email')} />
      <Field label={t.address} maxLength={500} {...other} {...field('address')} />
      <Select
        label={words.languageOf}
        value={draft.language}
        options={[
          ['', words.asApplication],
          ...languageNames(draft.language || languages[0]!).filter(([code]) => code !== ''),
        ]}
        onPick={(code) => write({ ...draft, language: code })}
      />
      <Field label={t.groups} hint={words.groupsHint} {...other} {...field('groups')} />
      <Field label={t.notes} hint={words.notesHint} rows={3} maxLength={2000} {...field('notes')} />
    </>
  )
}

/** A doubt about a number that was stored all the same. */
const doubtOf = ({ warnings = [] }: Pick<Person, 'warnings'>): string | null => {
  const [first] = warnings
  return first === undefined ? null : (peopleWords[language.value].warnings[first.code] ?? first.message)
}

/** Adds a person. */
export function NewPerson({ onAdded }: { readonly onAdded: () => void }) {
  const words = peopleWords[language.value]
  const applications = useApplications()
  const [app, pick] = useState('')
  const [draft, write] = useState(EMPTY)
  const [added, show] = useState<Person | null>(null)
  const task = useTask()
  const add = (): void =>
    void task
      .run(async () => {
        const { externalUserId } = draft
        const id = externalUserId.trim() === '' ? {} : { externalUserId: externalUserId.trim() }
        const body = { ...id, ...changesOf(draft, EMPTY) }
        show(await send<Person>(`/applications/${app || applications[0]?.applicationId}/users`, body))
      })
      .then((done) => {
        if (!done) return
        write(EMPTY)
        onAdded()
      })
  return (
    <Panel title={words.add}>
      <p class="quiet">{words.addMeans}</p>
      <Form onSend={add}>
        <ApplicationPick applications={applications} value={app} onPick={pick} />
        <PersonFields draft={draft} write={write} task={task} />
        <Field
          label={allTexts.value.users.externalId}
          hint={words.externalIdHint}
          maxLength={128}
          value={draft.externalUserId}
          error={fieldProblem(task, 'externalUserId')}
          onInput={(event) => write({ ...draft, externalUserId: event.currentTarget.value })}
        />
        <button type="submit" class="main" disabled={task.busy || applications.length === 0}>
          {words.add}
        </button>
        <Problem text={task.refused.length > 0 ? null : task.problem} />
      </Form>
      {added !== null && (
        <p role="status">
          ✓ {words.added(added.name ?? added.externalUserId)} <a href={userHash(added.id)}>{words.open}</a>
          <br />
          {doubtOf(added)}
        </p>
      )}
    </Panel>
  )
}

/** Changes a person's entries. */
export function PersonForm({
  user,
  onDone,
}: {
  readonly user: UserDetail
  readonly onDone: (doubt: string | null) => void
}) {
  const words = peopleWords[language.value]
  const [before] = useState(() => draftOf(user))
  const [draft, write] = useState(before)
  const task = useTask()
  const save = (): void =>
    void task.run(async () => {
      const changes = changesOf(draft, before)
      const isSame = Object.keys(changes).length === 0
      onDone(isSame ? null : doubtOf(await call<Person>('PATCH', `/users/${user.id}`, changes)))
    })
  return (
    <Panel title={words.edit}>
      <Form onSend={save}>
        <PersonFields draft={draft} write={write} task={task} />
        <div class="actions">
          <button type="submit" class="main" disabled={task.busy}>
            {allTexts.value.save}
          </button>
          <button type="button" onClick={() => onDone(null)}>
            {allTexts.value.cancel}
          </button>
        </div>
        <Problem text={task.refused.length > 0 ? null : task.problem} />
      </Form>
    </Panel>
  )
}
