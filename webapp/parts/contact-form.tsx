import { useState } from 'preact/hooks'
import { Field, Form, Problem } from '../../console/parts/blocks.tsx'
import type { Contact } from '../../sdk/src/index.ts'
import { codeOf, isAbroad, numberIn } from '../logic/number.ts'
import { enrolment } from '../state/enrolment.ts'
import { language, texts } from '../state/language.ts'
import { sdk } from '../state/sos.ts'
import { useTask } from './task.ts'

/**
 * Adds a contact, or changes one. The service asks a new one to confirm. `proposed`: who invited this person, not added
 * unasked.
 */
export function ContactForm({
  onAdded,
  proposed = null,
  changes = null,
  isMain = true,
}: {
  readonly onAdded: () => void
  readonly proposed?: { readonly name: string; readonly phone: string } | null
  readonly changes?: Contact | null
  /** Whether nothing else on the screen comes before it. */
  readonly isMain?: boolean
}) {
  const t = texts.value
  const country = enrolment.value?.application.country ?? null
  const [name, setName] = useState((changes ?? proposed)?.name ?? '')
  const [phone, setPhone] = useState((changes ?? proposed)?.phone ?? '')
  const [badPhone, setBadPhone] = useState(false)
  const { busy, problem, run } = useTask()
  const add = () => {
    const number = numberIn(phone, country)
    setBadPhone(number === null)
    if (number === null) return
    void run(
      async () => {
        const said = { name: name.trim(), phone: number }
        if (changes === null) await sdk().contacts.add({ ...said, language: language.value })
        else await sdk().contacts.update(changes.id, said)
        setName('')
        setPhone('')
        onAdded()
      },
      ({ status, fields }) => {
        if (status === 409) return t.contacts.limit
        if (status === 429) return t.contacts.tooMany
        if (!fields.some(({ field }) => field === 'phone')) return null
        return isAbroad(number, country) ? t.contacts.abroad : t.contacts.badPhone
      },
    )
  }
  return (
    <Form onSend={add}>
      <Field
        label={t.contacts.name}
        value={name}
        required
        maxLength={200}
        autocomplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <Field
        label={t.contacts.phone}
        type="tel"
        value={phone}
        required
        maxLength={40}
        autocomplete="off"
        placeholder={codeOf(country) ?? '+'}
        hint={changes === null ? undefined : t.contacts.newNumber}
        error={badPhone ? t.contacts.badPhone : undefined}
        onInput={(event) => setPhone(event.currentTarget.value)}
      />
      <Problem text={problem} />
      <button type="submit" class={isMain ? 'main' : ''} disabled={busy}>
        {changes === null ? t.add : t.save}
      </button>
    </Form>
  )
}
