import { useEffect, useRef, useState } from 'preact/hooks'
import { weaknessOf } from '../../src/core/operator/password.ts'
import { ApiError, call, signedInAgain } from '../api/client.ts'
import type { Me, SetupOffer } from '../api/types.ts'
import { hashOf } from '../logic/route.ts'
import { Empty, Field, Form, Problem } from '../parts/controls.tsx'
import { RecoveryCodes, SecondFactor } from '../parts/second-factor.tsx'
import { useTask } from '../parts/task.ts'
import { allTexts } from '../state/language.ts'
import { me } from '../state/session.ts'

const MIN_PASSWORD = 12
const STEPS = ['account', 'app', 'codes'] as const
type Step = (typeof STEPS)[number]

/** As core/operator/operator-schema.ts has it. */
const LOGIN = /^[a-z0-9][a-z0-9._@+-]*$/

/**
 * The address that an empty site shows at its start: an account, a second factor and the recovery codes. Nothing is
 * stored before the code of the second factor is right.
 */
export function FirstAdministrator({ setup }: { readonly setup: string }) {
  const { setup: t, signIn, first, problem: problems, loading } = allTexts.value
  const [given, set] = useState({ login: '', name: '', password: '', code: '' })
  const [offer, setOffer] = useState<SetupOffer | null>(null)
  const [step, go] = useState<Step>('account')
  const [codes, setCodes] = useState<readonly string[]>([])
  const [wrong, setWrong] = useState<Partial<Record<'login' | 'password', string>>>({})
  const [isOver, setOver] = useState(false)
  const task = useTask()
  const heading = useRef<HTMLHeadingElement>(null)
  // Another step is another page: it is read from its heading on.
  useEffect(() => {
    if (step !== 'account' || isOver) heading.current?.focus()
  }, [step, isOver])

  const login = given.login.trim().toLowerCase()
  const name = given.name.trim()
  const ask = async <T,>(path: string, body: object): Promise<T> => {
    try {
      return await call<T>('POST', `/session/setup${path}`, { setup, ...body }, { signsIn: true })
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'setup_not_found') setOver(true)
      throw error
    }
  }
  const look = async (body: object): Promise<void> => setOffer(await ask<SetupOffer>('/look', body))
  useEffect(() => void task.run(() => look({})), [setup])

  const chooseApp = async (): Promise<void> => {
    const weak = weaknessOf(given.password, { login, name }) !== null
    const bad = {
      ...(!LOGIN.test(login) && { login: t.badLogin }),
      ...(weak && { password: problems.reasons.weak_password! }),
    }
    setWrong(bad)
    if (Object.keys(bad).length > 0) return
    // The same secret as before, if only the password was changed: it may be in the app already.
    if (offer?.login !== login && !(await task.run(() => look({ login })))) return
    go('app')
  }
  const finish = (): Promise<boolean> =>
    task.run(async () => {
      const body = { login, name, password: given.password, totpSecret: offer?.totpSecret, code: given.code.trim() }
      const { recoveryCodes, ...signedIn } = await ask<Me & { recoveryCodes: string[] }>('', body)
      setCodes(recoveryCodes)
      go('codes')
      me.value = signedIn
      signedInAgain()
    })
  const typed = (field: keyof typeof given) => ({
    value: given[field],
    required: true,
    onInput: (event: { currentTarget: HTMLInputElement }) => set({ ...given, [field]: event.currentTarget.value }),
  })

  const title = isOver ? t.over : { account: t.title, app: t.app, codes: t.codes }[step]
  return (
    <div class="sign-in wide">
      <main>
        {!isOver && offer !== null && <p class="quiet at-step">{t.step(STEPS.indexOf(step) + 1, STEPS.length)}</p>}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {isOver ? (
          <>
            <p role="status">{allTexts.value.reasons.setup_not_found}</p>
            <a href={hashOf('board')}>{t.signIn}</a>
          </>
        ) : offer === null ? (
          task.problem === null && <Empty>{loading}</Empty>
        ) : step === 'account' ? (
          <Form onSend={() => void chooseApp()}>
            <p>{t.intro}</p>
            <Field label={t.name} hint={t.nameHint} autocomplete="name" maxLength={200} {...typed('name')} />
            <Field
              label={signIn.login}
              hint={t.loginHint}
              error={wrong.login}
              autocomplete="username"
              autocapitalize="none"
              spellcheck={false}
              maxLength={254}
              {...typed('login')}
            />
            <Field
              label={first.password}
              hint={first.passwordHint(MIN_PASSWORD)}
              error={wrong.password}
              type="password"
              autocomplete="new-password"
              minLength={MIN_PASSWORD}
              maxLength={200}
              {...typed('password')}
            />
            <button type="submit" class="main" disabled={task.busy}>
              {t.next}
            </button>
          </Form>
        ) : step === 'app' ? (
          <Form onSend={() => void finish()}>
            <p>{first.welcome(name, login)}</p>
            <SecondFactor offer={offer} code={given.code} onCode={(code) => set({ ...given, code })} />
            <button type="submit" class="main" disabled={task.busy}>
              {first.go}
            </button>
            <p class="exports">
              <button type="button" class="link" onClick={() => go('account')}>
                {t.back}
              </button>
            </p>
          </Form>
        ) : (
          <RecoveryCodes codes={codes} done={t.done} to={hashOf('start')} />
        )}
        {!isOver && <Problem text={task.problem} />}
      </main>
    </div>
  )
}
