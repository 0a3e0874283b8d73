import { useEffect, useId, useState } from 'preact/hooks'
import { call, proofAsked, proofGiven } from '../api/client.ts'
import { texts } from '../state/language.ts'
import { route } from '../state/route.ts'
import { Field, Form, Problem, useModal } from './controls.tsx'
import { mayPasskey, withPasskey } from './passkey-on-demand.ts'
import { useTask } from './task.ts'

const CODE = /^\d{3} ?\d{3}$/

/** Asks for a proof before an action that gives lasting access or could silence someone. The action then continues. */
export function Proof() {
  if (!proofAsked.value) return null
  return <Asked />
}

function Asked() {
  const t = texts.value.proof
  const dialog = useModal()
  const id = useId()
  const [given, write] = useState('')
  const task = useTask()
  // Leaving the view cancels the action: its answer, perhaps a secret, could not be shown.
  const [from] = useState(route.value)
  useEffect(() => {
    if (route.value !== from) proofGiven(false)
  }, [route.value])
  const prove = (): void =>
    void task
      .run(() => call('POST', '/session/proof', CODE.test(given.trim()) ? { code: given.trim() } : { password: given }))
      .then((done) => done && proofGiven(true))
  const [problem, say] = useState<string | null>(null)
  const proveWithPasskey = async (): Promise<void> => {
    say(null)
    const why = await withPasskey((passkeys) => passkeys.prove())
    if (why === null) proofGiven(true)
    else say(why)
  }
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={() => proofGiven(false)}>
      <h2 id={id}>{t.title}</h2>
      <p>{t.why}</p>
      <Form onSend={prove}>
        <Field
          label={t.given}
          type="password"
          autocomplete="current-password"
          required
          value={given}
          onInput={(event) => write(event.currentTarget.value)}
        />
        <Problem text={task.problem ?? problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={task.busy}>
            {t.go}
          </button>
          {mayPasskey && (
            <button type="button" disabled={task.busy} onClick={() => void proveWithPasskey()}>
              {texts.value.signIn.passkey}
            </button>
          )}
          <button type="button" onClick={() => proofGiven(false)}>
            {texts.value.cancel}
          </button>
        </div>
      </Form>
    </dialog>
  )
}
