import { ArrowDown, ArrowUp, type IconNode } from 'lucide'
import { useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { UserDetail, WrittenContact } from '../api/types.ts'
import { numberGiven } from '../logic/typed-number.ts'
import { allTexts, language } from '../state/language.ts'
import { peopleWords } from '../texts/people.ts'
import { Confirm, Field, Form, languageNames, Panel, Problem, Select } from './controls.tsx'
import { fieldProblem } from './field-problems.ts'
import { Icon } from './icon.tsx'
import { Table } from './listing.tsx'
import { PhoneNumber } from './phone-number.tsx'
import { Small } from './small.tsx'
import { type Task, useTask } from './task.ts'

type Contact = UserDetail['contacts'][number]
type Draft = { readonly name: string; readonly phone: string; readonly email: string; readonly language: string }
type Editor = { readonly user: UserDetail; readonly onChanged: () => void; readonly onDone: () => void }

/** The contacts of a person, as an administrator changes them: each change counts at once. */
export function ContactsEditor({ user, onChanged, onDone }: Editor) {
  const t = allTexts.value
  const words = peopleWords[language.value]
  const task = useTask()
  const [editing, edit] = useState<Contact | 'new' | null>(null)
  const [removing, remove] = useState<Contact | null>(null)
  const [said, say] = useState<string | null>(null)
  const path = `/users/${user.id}/contacts`
  const { contacts } = user
  const change = (work: () => Promise<string | null>): void =>
    void task
      .run(async () => say(await work()))
      .then((done) => {
        remove(null)
        if (done) {
          edit(null)
          onChanged()
        }
      })
  const move = (from: number, to: number): void =>
    change(async () => {
      const contactIds = contacts.map(({ id }) => id)
      contactIds.splice(to, 0, ...contactIds.splice(from, 1))
      await send(`${path}/order`, { contactIds })
      return null
    })
  const save = (draft: Draft): void =>
    change(async () => {
      const saved =
        editing === 'new'
          ? await send<WrittenContact>(path, { ...draft, email: draft.email || null, language: draft.language || null })
          : await call<WrittenContact>('PATCH', `${path}/${editing!.id}`, changesOf(draft, editing as Contact))
      const [doubt] = saved.warnings ?? []
      return doubt === undefined ? `✓ ${words.saved}` : `⚠ ${words.warnings[doubt.code] ?? doubt.message}`
    })
  return (
    <Panel title={words.contacts}>
      <p class="quiet">{words.contactsMean}</p>
      {user.openIncident !== null && <p class="banner warn">{words.duringAlarm}</p>}
      <Table
        label={t.contacts}
        items={contacts.map((contact, place) => ({ ...contact, place }))}
        columns={[
          [t.users.name, ({ priority, name }) => `${priority}. ${name}`],
          [
            t.users.phone,
            ({ phone, email }) => (
              <>
                <PhoneNumber number={phone} />
                {email !== null && (
                  <>
                    <br />
                    <small class="quiet">{email}</small>
                  </>
                )}
              </>
            ),
          ],
          [
            t.actions,
            (contact) => (
              <div class="actions">
                <Arrow
                  icon={ArrowUp}
                  text={`${words.up}: ${contact.name}`}
                  disabled={task.busy || contact.place === 0}
                  onClick={() => move(contact.place, contact.place - 1)}
                />
                <Arrow
                  icon={ArrowDown}
                  text={`${words.down}: ${contact.name}`}
                  disabled={task.busy || contact.place === contacts.length - 1}
                  onClick={() => move(contact.place, contact.place + 1)}
                />
                <Small
                  text={words.editContact}
                  of={contact.name}
                  disabled={task.busy}
                  onClick={() => edit(contacts[contact.place]!)}
                />
                <Small
                  text={words.remove}
                  of={contact.name}
                  disabled={task.busy}
                  onClick={() => remove(contacts[contact.place]!)}
                />
              </div>
            ),
          ],
        ]}
      />
      {editing === null ? (
        <div class="actions">
          <button type="button" onClick={() => edit('new')}>
            {words.addContact}
          </button>
          <button type="button" class="main" onClick={onDone}>
            {words.done}
          </button>
        </div>
      ) : (
        <ContactForm
          key={editing === 'new' ? 'new' : editing.id}
          contact={editing === 'new' ? null : editing}
          task={task}
          onSend={save}
          onCancel={() => edit(null)}
        />
      )}
      <Problem text={task.refused.length > 0 ? null : task.problem} />
      <p class={said?.startsWith('✓') ? 'good' : 'warn'} role="status">
        {task.problem === null && said}
      </p>
      {removing !== null && (
        <Confirm
          title={words.removeAsk(removing.name)}
          yes={words.remove}
          busy={task.busy}
          onNo={() => remove(null)}
          onYes={() =>
            change(async () => {
              await call('DELETE', `${path}/${removing.id}`)
              return null
            })
          }
        >
          <p>{user.openIncident === null ? words.removeMeans(removing.name) : words.removeOpen}</p>
          {contacts.length === 1 && <p class="warn">⚠ {words.removeLast}</p>}
        </Confirm>
      )}
    </Panel>
  )
}

const Arrow = ({
  icon,
  text,
  disabled,
  onClick,
}: {
  readonly icon: IconNode
  readonly text: string
  readonly disabled: boolean
  readonly onClick: () => void
}) => (
  <button type="button" class="small" aria-label={text} title={text} disabled={disabled} onClick={onClick}>
    <Icon of={icon} />
  </button>
)

/** The differences: a contact whose number stays the same stays confirmed. */
const changesOf = (
  draft: Draft,
  { name, phone, email, language: before }: Contact,
): Readonly<Record<string, unknown>> => ({
  ...(draft.name.trim() !== name && { name: draft.name }),
  ...(draft.phone !== phone && { phone: draft.phone }),
  ...(draft.email.trim() !== (email ?? '') && { email: draft.email.trim() || null }),
  ...(draft.language !== before && { language: draft.language || null }),
})

function ContactForm({
  contact,
  task,
  onSend,
  onCancel,
}: {
  readonly contact: Contact | null
  readonly task: Task
  readonly onSend: (draft: Draft) => void
  readonly onCancel: () => void
}) {
  const t = allTexts.value
  const words = peopleWords[language.value]
  const [draft, write] = useState<Draft>({
    name: contact?.name ?? '',
    phone: contact?.phone ?? '',
    email: contact?.email ?? '',
    language: contact?.language ?? '',
  })
  const field = (name: keyof Draft) => ({
    value: draft[name],
    error: fieldProblem(task, name),
    autocomplete: 'off' as const,
    onInput: (event: { currentTarget: HTMLInputElement }) => write({ ...draft, [name]: event.currentTarget.value }),
  })
  return (
    <Form onSend={() => onSend({ ...draft, phone: numberGiven(draft.phone), email: draft.email.trim() })}>
      <Field label={t.users.name} required maxLength={200} {...field('name')} />
      <Field label={t.users.phone} hint={words.phoneHint} type="tel" required {...field('phone')} />
      <Field label={words.email} hint={words.emailHint} type="email" {...field('email')} />
      <Select
        label={t.language}
        value={draft.language}
        options={[
          ...(contact === null ? [['', words.asApplication] as const] : []),
          ...languageNames(draft.language || 'en'),
        ]}
        onPick={(code) => write({ ...draft, language: code })}
      />
      <div class="actions">
        <button type="submit" class="main" disabled={task.busy}>
          {t.save}
        </button>
        <button type="button" onClick={onCancel}>
          {t.cancel}
        </button>
      </div>
    </Form>
  )
}
