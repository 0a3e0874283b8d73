import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { ApiError, call, isLost } from '../api/client.ts'
import type { SiteSetup } from '../api/types.ts'
import { allTexts } from '../state/language.ts'
import { noteOwnChange } from '../state/setup-news.ts'
import { Field, Form, Problem, useModal } from './controls.tsx'
import { problemOf } from './task.ts'

/** Sends a change with the password and the code. Throws as `call` does. */
export type SendProved = (method: string, path: string, body: object) => Promise<unknown>

/** Reasons that concern the fields here: the form shows all others. */
const isOwn = (error: unknown): boolean =>
  isLost(error) ||
  (error instanceof ApiError && (error.status === 429 || ['wrong_password', 'wrong_code'].includes(error.reason)))

const isSetup = (answer: unknown): answer is SiteSetup =>
  typeof answer === 'object' && answer !== null && 'changes' in answer

/** Asks for the password and a code, for this one change, and makes it. */
export function BothProofs({
  title,
  yes,
  children,
  act,
  onEnd,
}: {
  readonly title: string
  readonly yes: string
  readonly children?: ComponentChildren
  readonly act: (send: SendProved) => Promise<unknown>
  /** `error`: why it was not done, for the form; null if nothing was tried. */
  readonly onEnd: (done: boolean, error: unknown) => void
}) {
  const t = allTexts.value.site.proof
  const dialog = useModal()
  const id = useId()
  const [given, set] = useState({ password: '', code: '' })
  const [state, say] = useState<{ busy: boolean; problem: string | null }>({ busy: false, problem: null })
  const field = (name: keyof typeof given) => ({
    value: given[name],
    required: true,
    onInput: (event: { currentTarget: HTMLInputElement }) => set({ ...given, [name]: event.currentTarget.value }),
  })
  const { password, code } = given
  const sendProved: SendProved = (method, path, body) =>
    call(
      method,
      path,
      { ...body, proof: { password, code } },
      { prove: () => call('POST', '/session/proof', { password }) },
    )
  const go = async (): Promise<void> => {
    if (state.busy) return
    say({ busy: true, problem: null })
    try {
      const done = await act(sendProved)
      if (isSetup(done)) noteOwnChange(done.changes)
      onEnd(true, null)
    } catch (error) {
      if (!isOwn(error)) return onEnd(false, error)
      say({ busy: false, problem: problemOf(error) })
    }
  }
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={() => onEnd(false, null)}>
      <h2 id={id}>{title}</h2>
      {children}
      <Form onSend={() => void go()}>
        <p class="quiet">{t.why}</p>
        <Field label={t.password} type="password" autocomplete="current-password" {...field('password')} />
        <Field label={t.code} autocomplete="one-time-code" inputMode="numeric" maxLength={20} {...field('code')} />
        <Problem text={state.problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={state.busy}>
            {yes}
          </button>
          <button type="button" onClick={() => onEnd(false, null)}>
            {allTexts.value.cancel}
          </button>
        </div>
      </Form>
    </dialog>
  )
}
