import { useState } from 'preact/hooks'
import { Field, Form, Problem, Select } from '../../console/parts/blocks.tsx'
import type { Card, CardFields, Contact } from '../../sdk/src/index.ts'
import { cardChanges } from '../logic/card-changes.ts'
import { language, texts } from '../state/language.ts'
import { sdk } from '../state/sos.ts'
import { Confirm } from './confirm.tsx'
import { useLoaded } from './loaded.ts'
import { useTask } from './task.ts'

/** Languages to choose from, besides those that are on the card already. */
const OFFERED = (
  'ar bg bs cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv mk nl no pl ps pt ro ru sk sl so sq sr sv th ti tr ' +
  'uk ur vi zh'
).split(' ')

function nameOf(tag: string): string {
  try {
    return new Intl.DisplayNames(language.value, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

/** The person's card for helpers, written by the person. */
export function OwnCard({ onDone }: { readonly onDone: () => void }) {
  const t = texts.value
  const { value, failed } = useLoaded(async () => ({
    card: await sdk().card.read(),
    contacts: await sdk().contacts.list(),
  }))
  return (
    <>
      {t.card.who.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {value === null ? (
        <p class="empty">{failed ? t.card.unavailable : t.loading}</p>
      ) : (
        <CardForm card={value.card} contacts={value.contacts} onDone={onDone} />
      )}
      {value === null && (
        <button type="button" onClick={onDone}>
          {t.cancel}
        </button>
      )}
    </>
  )
}

function CardForm({
  card,
  contacts,
  onDone,
}: {
  readonly card: Card
  readonly contacts: readonly Contact[]
  readonly onDone: () => void
}) {
  const t = texts.value.card
  const [typed, setTyped] = useState(card)
  const [removing, setRemoving] = useState(false)
  const { busy, problem, run } = useTask()
  const change = (fields: Partial<Card>): void => setTyped((before) => ({ ...before, ...fields }))
  const save = () =>
    void run(
      async () => {
        const changes: CardFields = cardChanges(card, typed)
        if (Object.keys(changes).length > 0) await sdk().card.update(changes)
        onDone()
      },
      ({ status, fields }) =>
        status === 503 ? t.unavailable : fields.some(({ field }) => field === 'yearOfBirth') ? t.yearBad : null,
    )
  const remove = () => {
    setRemoving(false)
    void run(async () => {
      await sdk().card.remove()
      onDone()
    })
  }
  const isTicked = ({ id }: Contact): boolean => typed.contactIds.includes(id)
  const tick = ({ id }: Contact, on: boolean): void =>
    change({ contactIds: on ? [...typed.contactIds, id] : typed.contactIds.filter((one) => one !== id) })
  const others = OFFERED.filter((tag) => !typed.languages.includes(tag))
    .map((tag) => [tag, nameOf(tag)] as const)
    .sort(([, a], [, b]) => a.localeCompare(b, language.value))
  return (
    <Form onSend={save}>
      <Select
        label={t.languages}
        value=""
        options={[['', t.addLanguage], ...others]}
        onPick={(tag) => tag !== '' && typed.languages.length < 10 && change({ languages: [...typed.languages, tag] })}
      />
      {typed.languages.length > 0 && (
        <ul class="chips">
          {typed.languages.map((tag) => (
            <li key={tag}>
              <button
                type="button"
                class="small"
                onClick={() => change({ languages: typed.languages.filter((one) => one !== tag) })}
              >
                {nameOf(tag)} <span aria-hidden="true">×</span>
                <span class="unseen">: {t.removeLanguage}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <Select
        label={t.hearing}
        value={typed.hearing ?? ''}
        options={[
          ['', t.hearings.none],
          ['deaf', t.hearings.deaf],
          ['hard_of_hearing', t.hearings.hard],
        ]}
        onPick={(hearing) => change({ hearing: hearing === '' ? null : (hearing as Card['hearing']) })}
      />
      <Field
        label={t.yearOfBirth}
        value={typed.yearOfBirth ?? ''}
        type="number"
        inputMode="numeric"
        min={1900}
        max={new Date().getFullYear()}
        onInput={({ currentTarget }) => change({ yearOfBirth: currentTarget.valueAsNumber || null })}
      />
      <Field
        label={t.peopleWithMe}
        hint={t.peopleHint}
        value={typed.peopleWithMe ?? ''}
        maxLength={200}
        onInput={({ currentTarget }) => change({ peopleWithMe: currentTarget.value })}
      />
      <Field
        label={t.vehicle}
        hint={t.vehicleHint}
        value={typed.vehicle ?? ''}
        maxLength={200}
        onInput={({ currentTarget }) => change({ vehicle: currentTarget.value })}
      />
      <Field
        label={t.note}
        hint={t.noteHint}
        value={typed.note ?? ''}
        rows={4}
        maxLength={1000}
        onInput={({ currentTarget }) => change({ note: currentTarget.value })}
      />
      {contacts.length > 0 && (
        <fieldset>
          <legend>{t.contacts}</legend>
          {contacts.map((contact) => (
            <label key={contact.id} class="tick">
              <input
                type="checkbox"
                checked={isTicked(contact)}
                onChange={({ currentTarget }) => tick(contact, currentTarget.checked)}
              />
              <span>
                {contact.name}
                {contact.verifiedAt === undefined && <span class="unsure"> ({t.notConfirmed})</span>}
              </span>
            </label>
          ))}
          <small class="quiet">{t.contactsHint}</small>
        </fieldset>
      )}
      <Problem text={problem} />
      <button type="submit" class="main" disabled={busy}>
        {texts.value.save}
      </button>
      <div class="actions">
        <button type="button" onClick={onDone}>
          {texts.value.cancel}
        </button>
        {card.updatedAt !== null && (
          <button type="button" disabled={busy} onClick={() => setRemoving(true)}>
            {t.remove}
          </button>
        )}
      </div>
      {removing && <Confirm title={t.removeSure} yes={t.remove} onYes={remove} onNo={() => setRemoving(false)} />}
    </Form>
  )
}
