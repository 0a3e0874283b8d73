import { useEffect, useState } from 'preact/hooks'
import { call, signedInAgain } from '../api/client.ts'
import type { Invited, Me } from '../api/types.ts'
import { Empty, Field, Form, Problem } from '../parts/controls.tsx'
import { RecoveryCodes, SecondFactor } from '../parts/second-factor.tsx'
import { problemOf } from '../parts/task.ts'
import { allTexts } from '../state/language.ts'
import { me } from '../state/session.ts'

const MIN_PASSWORD = 12

/** The link of an invitation: a password, a second factor, and the recovery codes, once. */
export function FirstSignIn({ invitation }: { readonly invitation: string }) {
  const t = allTexts.value.first
  const [invited, setInvited] = useState<Invited | null>(null)
  const [given, set] = useState({ password: '', code: '' })
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const failed = (error: unknown): void => setProblem(problemOf(error))
  useEffect(() => {
    call<Invited>('POST', '/session/first/look', { invitation }, { signsIn: true }).then(setInvited, failed)
  }, [invitation])
  const go = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    setProblem(null)
    try {
      const { recoveryCodes, ...signedIn } = await call<Me & { recoveryCodes: string[] }>(
        'POST',
        '/session/first',
        { invitation, password: given.password, code: given.code.trim() },
        { signsIn: true },
      )
      setCodes(recoveryCodes)
      me.value = signedIn
      signedInAgain()
    } catch (error) {
      failed(error)
    }
    setBusy(false)
  }
  return (
    <div class="sign-in wide">
      <main>
        <h1>{t.title}</h1>
        {codes !== null ? (
          <RecoveryCodes codes={codes} done={t.done} to="#/" />
        ) : invited === null ? (
          problem === null && <Empty>{allTexts.value.loading}</Empty>
        ) : (
          <Form onSend={() => void go()}>
            <p>{t.welcome(invited.name, invited.login)}</p>
            <input type="hidden" name="username" autocomplete="username" value={invited.login} />
            <Field
              label={t.password}
              hint={t.passwordHint(MIN_PASSWORD)}
              type="password"
              autocomplete="new-password"
              minLength={MIN_PASSWORD}
              required
              value={given.password}
              onInput={(event) => set({ ...given, password: event.currentTarget.value })}
            />
            <SecondFactor offer={invited} code={given.code} onCode={(code) => set({ ...given, code })} />
            <button type="submit" class="main" disabled={busy}>
              {t.go}
            </button>
          </Form>
        )}
        <Problem text={problem} />
      </main>
    </div>
  )
}
