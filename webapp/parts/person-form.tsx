import { useEffect, useState } from 'preact/hooks'
import { Field, Form, Problem } from '../../console/parts/blocks.tsx'
import { codeOf, numberIn } from '../logic/number.ts'
import { ask } from '../state/api.ts'
import { enrolment } from '../state/enrolment.ts'
import { texts } from '../state/language.ts'
import { sdk } from '../state/sos.ts'
import { useTask } from './task.ts'

/** Between two codes of one person. preparing.md#phone-proof. */
const PAUSE_S = 60

/** Name and number of the person. Where the service proves numbers, a code that it sends is asked for. */
export function PersonForm({ button, onDone }: { readonly button: string; readonly onDone: () => void }) {
  const t = texts.value
  const j = t.join
  const country = enrolment.value?.application.country ?? null
  const [name, setName] = useState('')
  const [phone, setPhone] = useState('')
  const [badPhone, setBadPhone] = useState(false)
  const [code, setCode] = useState<string | null>(null)
  const [isLimited, setLimited] = useState(false)
  const { busy, problem, run, setProblem } = useTask()
  useEffect(() => {
    void sdk()
      .profile.read()
      .then((profile) => {
        setName((typed) => typed || (profile.name ?? ''))
        setPhone((typed) => typed || (profile.phone ?? ''))
      })
      .catch(() => {})
  }, [])
  const save = () => {
    const number = phone.trim() === '' ? null : numberIn(phone, country)
    setBadPhone(phone.trim() !== '' && number === null)
    if (phone.trim() !== '' && number === null) return
    void run(
      async () => {
        const saved = await sdk().profile.update({ name: name.trim(), ...(number !== null && { phone: number }) })
        // Services that prove numbers say when this one was.
        const provedAt = (saved as { readonly phoneProvedAt?: string | null }).phoneProvedAt
        if (number === null || provedAt !== null) return onDone()
        const { status, retryAfterS } = await ask('POST', '/v1/sdk/me/phone/code')
        // The code of a minute ago still counts.
        if ((status >= 200 && status < 300) || (status === 429 && retryAfterS <= PAUSE_S)) return setCode('')
        if (status === 429) return setLimited(true)
        onDone()
      },
      ({ fields }) => (fields.some(({ field }) => field === 'phone') ? t.contacts.badPhone : null),
    )
  }
  const prove = () =>
    void run(async () => {
      const { status } = await ask('POST', '/v1/sdk/me/phone/proof', { code })
      if (status >= 200 && status < 300) onDone()
      else setProblem(status === 0 ? t.noAnswer : j.codeWrong)
    })
  if (code !== null)
    return (
      <Form onSend={prove}>
        <p>{j.codeSent}</p>
        <Field
          label={j.code}
          value={code}
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={12}
          required
          onInput={(event) => setCode(event.currentTarget.value.trim())}
        />
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={busy}>
            {button}
          </button>
          <button type="button" onClick={onDone}>
            {t.later}
          </button>
        </div>
      </Form>
    )
  if (isLimited)
    return (
      <Form onSend={save}>
        <p role="status" class="notice">
          {j.codeLimit}
        </p>
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={busy}>
            {j.codeAgain}
          </button>
          <button type="button" onClick={onDone}>
            {t.later}
          </button>
        </div>
      </Form>
    )
  return (
    <Form onSend={save}>
      <Field
        label={j.name}
        hint={j.nameHint}
        value={name}
        required
        maxLength={200}
        autocomplete="name"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <Field
        label={j.phone}
        hint={j.phoneHint}
        type="tel"
        value={phone}
        maxLength={40}
        autocomplete="tel"
        placeholder={codeOf(country) ?? '+'}
        error={badPhone ? t.contacts.badPhone : undefined}
        onInput={(event) => setPhone(event.currentTarget.value)}
      />
      <Problem text={problem} />
      <button type="submit" class="main" disabled={busy}>
        {button}
      </button>
    </Form>
  )
}
