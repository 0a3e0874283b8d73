import { useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { Items, Session } from '../api/types.ts'
import { browserName } from '../logic/browser-name.ts'
import { Copy, Field, Form, Panel, Problem } from '../parts/controls.tsx'
import { Table, useRead } from '../parts/listing.tsx'
import { Moment } from '../parts/moment.tsx'
import { OwnPush } from '../parts/own-push.tsx'
import { Passkeys } from '../parts/passkeys.tsx'
import { useTask } from '../parts/task.ts'
import { allTexts } from '../state/language.ts'
import { me } from '../state/session.ts'

/** The operator's own account: password, passkeys, recovery codes, and the browsers in which they are signed in. */
export function Account() {
  const t = allTexts.value.account
  return (
    <main>
      <h1>{allTexts.value.views.account}</h1>
      {me.value?.login == null ? (
        <p>{t.ofToken}</p>
      ) : (
        <div class="columns broad flow">
          <Password login={me.value.login} />
          <Passkeys />
          <OwnPush />
          <RecoveryCodes />
          <Sessions />
        </div>
      )}
    </main>
  )
}

const MIN_PASSWORD = 12

function Password({ login }: { readonly login: string }) {
  const t = allTexts.value.account
  const task = useTask()
  const [given, set] = useState({ password: '', newPassword: '', again: '' })
  const [changed, tell] = useState(false)
  const field = (name: keyof typeof given) => ({
    type: 'password' as const,
    required: true,
    value: given[name],
    onInput: (event: { currentTarget: HTMLInputElement }) => set({ ...given, [name]: event.currentTarget.value }),
  })
  const differs = given.again !== '' && given.again !== given.newPassword
  const change = (): void => {
    tell(false)
    if (given.again !== given.newPassword) return
    const { password, newPassword } = given
    void task
      .run(() => send('/password', { password, newPassword }))
      .then((done) => {
        tell(done)
        if (done) set({ password: '', newPassword: '', again: '' })
      })
  }
  return (
    <Panel title={t.password}>
      <Form onSend={change}>
        <input type="hidden" name="username" autocomplete="username" value={login} />
        <Field label={t.present} autocomplete="current-password" {...field('password')} />
        <Field
          label={t.newPassword}
          hint={allTexts.value.first.passwordHint(MIN_PASSWORD)}
          autocomplete="new-password"
          minLength={MIN_PASSWORD}
          {...field('newPassword')}
        />
        <Field label={t.again} autocomplete="new-password" {...field('again')} />
        <Problem text={differs ? t.differs : task.problem} />
        {changed && (
          <p class="good" role="status">
            ✓ {t.changed}
          </p>
        )}
        <button type="submit" class="main" disabled={task.busy || differs}>
          {t.change}
        </button>
      </Form>
    </Panel>
  )
}

function RecoveryCodes() {
  const t = allTexts.value.account
  const { found, problem, again } = useRead<{ readonly left: number }>('/recovery-codes')
  const task = useTask()
  const [codes, show] = useState<readonly string[] | null>(null)
  const renew = (): void =>
    void task
      .run(async () => show((await send<{ recoveryCodes: readonly string[] }>('/recovery-codes')).recoveryCodes))
      .then(again)
  return (
    <Panel title={t.codes}>
      <p>{t.codesMean}</p>
      <Problem text={problem ?? task.problem} />
      {found !== null && <p class={found.left < 3 ? 'error' : undefined}>{t.codesLeft(found.left)}</p>}
      {codes === null ? (
        <button type="button" disabled={task.busy} onClick={renew}>
          {t.renew}
        </button>
      ) : (
        <div role="status">
          <p>{allTexts.value.first.codes}</p>
          <ul class="codes">
            {codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
          <Copy text={codes.join('\n')} />
        </div>
      )}
    </Panel>
  )
}

function Sessions() {
  const t = allTexts.value.account
  const { found, problem, again } = useRead<Items<Session>>('/sessions')
  const task = useTask()
  const others = (found?.items ?? []).filter(({ current }) => !current)
  const end = (ended: readonly Session[]): void =>
    void task
      .run(async () => {
        for (const { id } of ended) await call('DELETE', `/sessions/${id}`)
      })
      .then(again)
  return (
    <Panel title={t.sessions}>
      <Problem text={problem ?? task.problem} />
      {found !== null && (
        <Table
          label={t.sessions}
          items={found.items}
          columns={[
            [
              t.browser,
              ({ browser, current }) => (current ? `${browserName(browser)} (${t.thisOne})` : browserName(browser)),
            ],
            [t.address, ({ address }) => address],
            [t.seen, ({ seenAt }) => <Moment at={seenAt} />],
            [
              allTexts.value.actions,
              (session) =>
                !session.current && (
                  <button type="button" class="small" disabled={task.busy} onClick={() => end([session])}>
                    {t.end}
                  </button>
                ),
            ],
          ]}
        />
      )}
      {others.length > 1 && (
        <button type="button" disabled={task.busy} onClick={() => end(others)}>
          {t.endOthers}
        </button>
      )}
    </Panel>
  )
}
