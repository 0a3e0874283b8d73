import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { Field, Form, Problem, useModal } from '../parts/controls.tsx'
import { Mark } from '../parts/mark.tsx'
import { mayPasskey, withPasskey } from '../parts/passkey-on-demand.ts'
import { problemOf } from '../parts/task.ts'
import { texts } from '../state/language.ts'
import { signIn, signOut, useToken } from '../state/session.ts'

/** With a passkey, or a password and a code, from the app or a recovery code. `again`: over the current view. */
export function SignIn({ again }: { readonly again?: string }) {
  const t = texts.value.signIn
  const [given, set] = useState({ login: again ?? '', password: '', code: '', token: '' })
  const [asks, ask] = useState<'password' | 'token'>('password')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const field = (name: keyof typeof given) => ({
    name,
    value: given[name],
    required: true,
    onInput: (event: { currentTarget: HTMLInputElement }) => set({ ...given, [name]: event.currentTarget.value }),
  })
  const go = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    setProblem(null)
    try {
      const { login, password, code, token } = given
      if (asks === 'token') await useToken(token.trim())
      else await signIn({ login: login.trim(), password, code: code.trim() })
    } catch (error) {
      const refused = error instanceof ApiError && error.status === 401
      setProblem(refused && asks === 'token' ? t.wrongToken : problemOf(error))
    }
    setBusy(false)
  }
  const goWithPasskey = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    setProblem(null)
    setProblem(await withPasskey((passkeys) => passkeys.signIn(again ?? '')))
    setBusy(false)
  }
  return (
    <Frame over={again !== undefined}>
      <main>
        {again === undefined && (
          <span class="mark">
            <Mark />
          </span>
        )}
        <h1>{again === undefined ? 'Tocsin' : t.again}</h1>
        {again !== undefined && <p>{t.nothingLost}</p>}
        <Form onSend={() => void go()}>
          {asks === 'token' ? (
            <Field label={t.token} autocomplete="off" {...field('token')} />
          ) : (
            <>
              <Field
                label={t.login}
                autocomplete="username"
                autocapitalize="none"
                spellcheck={false}
                readOnly={again !== undefined && again !== ''}
                {...field('login')}
              />
              <Field label={t.password} type="password" autocomplete="current-password" {...field('password')} />
              <Field
                label={t.code}
                hint={t.codeHint}
                autocomplete="one-time-code"
                inputmode="text"
                {...field('code')}
              />
            </>
          )}
          <Problem text={problem} />
          <button type="submit" class="main" disabled={busy}>
            {t.go}
          </button>
          {asks === 'password' && mayPasskey && (
            <button type="button" class="broad" disabled={busy} onClick={() => void goWithPasskey()}>
              {t.withPasskey}
            </button>
          )}
        </Form>
        <p class="exports">
          {again === undefined ? (
            <button type="button" class="link" onClick={() => ask(asks === 'token' ? 'password' : 'token')}>
              {asks === 'token' ? t.withPassword : t.withToken}
            </button>
          ) : (
            <button
              type="button"
              class="link"
              onClick={() => void signOut().then((isOut) => setProblem(isOut ? null : texts.value.notSignedOut))}
            >
              {t.somebodyElse}
            </button>
          )}
        </p>
      </main>
    </Frame>
  )
}

type Framed = { readonly children: ComponentChildren }

const Frame = ({ over, children }: Framed & { readonly over: boolean }) =>
  over ? <Over>{children}</Over> : <div class="sign-in">{children}</div>

/** A modal dialog: nothing else would cover a question that was open when the session ended. */
function Over({ children }: Framed) {
  const dialog = useModal()
  return (
    <dialog
      ref={dialog}
      class="sign-in over"
      aria-label={texts.value.signIn.title}
      // Closed for a moment, it would leave the next Escape to the question below.
      onKeyDown={(event) => event.key === 'Escape' && event.preventDefault()}
      onCancel={(event) => event.preventDefault()}
      // Browsers obey it only once.
      onClose={() => dialog.current?.showModal()}
    >
      {children}
    </dialog>
  )
}
