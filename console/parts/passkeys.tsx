import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { OwnPasskeys, Passkey } from '../api/types.ts'
import { browserName } from '../logic/browser-name.ts'
import { allTexts, language } from '../state/language.ts'
import { passkeyWords } from '../texts/passkeys.ts'
import { Confirm, Field, Form, Panel, Problem } from './controls.tsx'
import { Table, useRead } from './listing.tsx'
import { Moment } from './moment.tsx'
import { withPasskey } from './passkey-on-demand.ts'
import { Small } from './small.tsx'
import { problemOf } from './task.ts'

/** The operator's own passkeys. */
export function Passkeys() {
  const t = passkeyWords[language.value]
  const { found, problem, again } = useRead<OwnPasskeys>('/passkeys')
  const [name, write] = useState(() => browserName(navigator.userAgent).slice(0, 60))
  const [state, say] = useState<{ busy: boolean; problem: string | null; done: boolean }>(IDLE)
  const [removes, ask] = useState<Passkey | null>(null)
  const [renames, edit] = useState<Pick<Passkey, 'id' | 'name'> | null>(null)
  const run = async (work: () => Promise<string | null>, done: boolean): Promise<void> => {
    if (state.busy) return
    say({ ...IDLE, busy: true })
    const why = await work()
    say({ ...IDLE, problem: why, done: done && why === null })
    if (why === null) again()
  }
  const remove = ({ id }: Passkey) => call('DELETE', `/passkeys/${id}`).then(() => null, problemOf)
  const rename = (): void => {
    if (renames === null || renames.name.trim() === '') return
    edit(null)
    const body = { name: renames.name.trim() }
    void run(() => call('PATCH', `/passkeys/${renames.id}`, body).then(() => null, problemOf), false)
  }
  const blocked = found === null ? null : whyNot(found)
  return (
    <Panel title={t.title}>
      <p>{t.means}</p>
      <Problem text={problem} />
      {found !== null && found.items.length > 0 && (
        <Table
          label={t.title}
          items={found.items}
          columns={[
            [
              t.name,
              ({ name: own, synced, usable, host }) => (
                <>
                  {own}
                  {(synced || !usable) && (
                    <small class="quiet">
                      {' '}
                      {[synced && t.synced, !usable && t.elsewhere(host)].filter(Boolean).join(', ')}
                    </small>
                  )}
                </>
              ),
            ],
            [t.addedAt, ({ addedAt }) => <Moment at={addedAt} />],
            [t.usedAt, ({ usedAt }) => (usedAt === null ? t.never : <Moment at={usedAt} />)],
            [
              allTexts.value.actions,
              (passkey) => (
                <>
                  <Small text={t.rename} of={passkey.name} disabled={state.busy} onClick={() => edit(passkey)} />{' '}
                  <Small text={t.remove} of={passkey.name} disabled={state.busy} onClick={() => ask(passkey)} />
                </>
              ),
            ],
          ]}
        />
      )}
      <Problem text={state.problem} />
      {found?.items.length === 0 && <p class="quiet">{t.none}</p>}
      {blocked !== null ? (
        <p class="problem">{blocked}</p>
      ) : (
        <Form onSend={() => void run(() => withPasskey((passkeys) => passkeys.add(name.trim())), true)}>
          <Field
            label={t.name}
            hint={t.nameHint}
            required
            maxLength={60}
            value={name}
            onInput={(event) => write(event.currentTarget.value)}
          />
          {state.done && (
            <p class="good" role="status">
              ✓ {t.added}
            </p>
          )}
          <button type="submit" disabled={state.busy || found === null}>
            {t.add}
          </button>
        </Form>
      )}
      {renames !== null && (
        <Confirm
          title={t.renameTitle}
          yes={allTexts.value.save}
          busy={state.busy || renames.name.trim() === ''}
          onYes={rename}
          onNo={() => edit(null)}
        >
          <Form onSend={rename}>
            <Field
              label={t.name}
              hint={t.nameHint}
              required
              maxLength={60}
              value={renames.name}
              onInput={(event) => edit({ ...renames, name: event.currentTarget.value })}
            />
          </Form>
        </Confirm>
      )}
      {removes !== null && (
        <Confirm
          title={t.removeAsk(removes.name)}
          yes={t.remove}
          busy={state.busy}
          onYes={() => {
            ask(null)
            void run(() => remove(removes), false)
          }}
          onNo={() => ask(null)}
        >
          <p>{t.removeMeans}</p>
        </Confirm>
      )}
    </Panel>
  )
}

const IDLE = { busy: false, problem: null, done: false }

/** Why no passkey can be added here; null if one can. */
function whyNot({ why, origin }: OwnPasskeys): string | null {
  const t = passkeyWords[language.value]
  if (why !== null) return t.why[why] ?? null
  if (origin !== null && origin !== location.origin) return t.otherAddress(origin)
  return typeof PublicKeyCredential === 'undefined' ? t.notHere : null
}
