import { useEffect, useState } from 'preact/hooks'
import { send } from '../api/client.ts'
import type { TrackerDetail, TrackerToken } from '../api/types.ts'
import { countdown } from '../logic/age.ts'
import { browserNow } from '../state/clock.ts'
import { allTexts } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'
import type { AdministrationTexts } from '../texts/administration/en.ts'
import { Confirm, Copy, Field, Form, Panel, Problem, Select } from './controls.tsx'
import { moment } from './moment.tsx'
import { Qr } from './qr.tsx'
import { useShownOnce } from './shown-once.ts'
import { useTask } from './task.ts'

/** Time to take a phone and scan two codes. */
const SHOWN_MS = 5 * 60_000

/** Whether a tracker has a token; a new one with its set-up links, shown once; revoke. */
export function TrackerTokenPanel({
  tracker,
  onChanged,
}: {
  readonly tracker: TrackerDetail
  readonly onChanged: () => void
}) {
  const t = allTexts.value.tracker
  const task = useTask()
  const [asking, ask] = useState<'replace' | 'revoke' | null>(null)
  const [owner, write] = useState('')
  const { shown, show, hide } = useShownOnce<TrackerToken>(SHOWN_MS)
  const { applicationId, hardwareId, tokenMadeAt } = tracker
  const named = { applicationId, hardwareId }
  // Another operator created a new one meanwhile: this one is invalid, and a report with the other proves nothing about
  // it.
  const isReplaced = shown !== null && tokenMadeAt !== null && tokenMadeAt > shown.secret.tokenMadeAt!
  useEffect(() => {
    if (isReplaced) hide()
  }, [isReplaced])
  const change = (work: () => Promise<unknown>): void => {
    hide()
    ask(null)
    void task.run(work).then(onChanged)
  }
  const make = (): void =>
    change(async () => {
      const pairs = tracker.userId === null && { externalUserId: owner.trim() }
      show(await send<TrackerToken>('/devices/token', { ...named, ...pairs }))
    })
  return (
    <Panel title={t.token}>
      <p>{t.tokenMeans}</p>
      <p>{tokenMadeAt === null ? t.noToken : `✓ ${t.tokenSince(moment(tokenMadeAt))}`}</p>
      {mayAdminister.value && (
        <Form onSend={() => (tokenMadeAt === null ? make() : ask('replace'))}>
          {tracker.userId === null && (
            <Field
              label={t.owner}
              hint={t.ownerHint}
              required
              autocapitalize="none"
              value={owner}
              onInput={(event) => write(event.currentTarget.value)}
            />
          )}
          <div class="actions">
            <button type="submit" class={tokenMadeAt === null ? 'main' : ''} disabled={task.busy}>
              {tokenMadeAt === null ? t.make : t.replace}
            </button>
            {tokenMadeAt !== null && (
              <button type="button" disabled={task.busy} onClick={() => ask('revoke')}>
                {t.revoke}
              </button>
            )}
          </div>
        </Form>
      )}
      <Problem text={task.problem} />
      {shown !== null && (
        <HandOver
          made={shown.secret}
          until={shown.until}
          hasReported={tracker.heardAt !== null && tracker.heardAt >= shown.secret.tokenMadeAt!}
          onHide={hide}
        />
      )}
      {asking === 'replace' && (
        <Confirm title={t.replaceAsk} yes={t.replace} busy={task.busy} onYes={make} onNo={() => ask(null)}>
          <p>{t.replaceMeans}</p>
        </Confirm>
      )}
      {asking === 'revoke' && (
        <Confirm
          title={t.revokeAsk}
          yes={t.revoke}
          busy={task.busy}
          onYes={() => change(() => send('/devices/token/revoke', named))}
          onNo={() => ask(null)}
        >
          <p>{t.revokeMeans}</p>
        </Confirm>
      )}
    </Panel>
  )
}

type App = keyof AdministrationTexts['tracker']['apps']

/**
 * The set-up of the device, one code at a time: a camera takes whichever it sees. No link to click: an address with a
 * token would be in this browser's history, and opening that of Traccar Client is a report.
 */
function HandOver({
  made,
  until,
  hasReported,
  onHide,
}: {
  readonly made: TrackerToken
  /** Epoch ms, by the browser's clock. */
  readonly until: number
  readonly hasReported: boolean
  readonly onHide: () => void
}) {
  const t = allTexts.value.tracker
  const [app, pick] = useState<App>('traccar')
  const links = { traccar: made.traccar, ownTracks: made.ownTracks, ownTracksMqtt: made.ownTracksMqtt, byHand: null }
  const link = links[app]
  const apps = (Object.keys(links) as App[]).filter((key) => key === 'byHand' || links[key] !== null)
  return (
    <div class="secret hand-over">
      <p>
        <span role="status">{t.onlyNow}</span> {countdown(until - browserNow.value)}
      </p>
      <p role="status">{hasReported && <strong class="good">✓ {t.hasReported}</strong>}</p>
      <Select
        label={t.app}
        value={app}
        options={apps.map((key) => [key, t.apps[key]])}
        onPick={(key) => pick(key as App)}
      />
      <p>{t.howTo[app]}</p>
      {link === null ? (
        <dl class="plain">
          <div>
            <dt>{t.address}</dt>
            <dd>
              <code>{made.address}/osmand</code>
            </dd>
          </div>
          <div>
            <dt>{t.secret}</dt>
            <dd>
              <code>{made.token}</code> <Copy text={made.token} />
            </dd>
          </div>
        </dl>
      ) : (
        <>
          <Qr text={link} label={t.qrOf(t.apps[app])} />
          <details>
            <summary>{t.link}</summary>
            <code>{link}</code> <Copy text={link} />
          </details>
        </>
      )}
      <button type="button" onClick={onHide}>
        {t.hide}
      </button>
    </div>
  )
}
