import { useId, useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { Imported, Models, Tracker, TrackerMade } from '../api/types.ts'
import { fieldProblemText } from '../logic/field-problem.ts'
import { trackerHash, userHash } from '../logic/route.ts'
import { ApplicationPick, useApplications } from '../parts/applications.tsx'
import { Confirm, Field, Form, Panel, Problem, Select } from '../parts/controls.tsx'
import { Listing, useRead } from '../parts/listing.tsx'
import { Moment } from '../parts/moment.tsx'
import { Small } from '../parts/small.tsx'
import { useTask } from '../parts/task.ts'
import { allTexts, language } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'
import { listWords } from '../texts/lists.ts'
import { pairingWords } from '../texts/pairing.ts'

/** Registered trackers with their users; register, import, unpair. */
export function Trackers() {
  const t = allTexts.value.trackers
  const [text, write] = useState('')
  const [asked, ask] = useState('')
  const [turn, next] = useState(0)
  const task = useTask()
  const again = (done: boolean): void => (done ? next((n) => n + 1) : undefined)
  const [only, pickOnly] = useState<'' | 'silent'>('')
  const [adding, add] = useState<'one' | 'file' | null>(null)
  const toggle = (what: 'one' | 'file') => () => add(adding === what ? null : what)
  const [leaving, leave] = useState<Tracker | null>(null)
  const words = listWords[language.value]
  const query = asked.trim() === '' ? '' : `&text=${encodeURIComponent(asked.trim())}`
  const filter = only === 'silent' ? '&silent=true' : ''
  return (
    <main>
      <h1>{allTexts.value.views.trackers}</h1>
      <Form class="filters" onSend={() => ask(text)}>
        <Field label={t.text} type="search" value={text} onInput={(event) => write(event.currentTarget.value)} />
        <Select
          label={t.silence}
          value={only}
          options={[
            ['', t.all],
            ['silent', t.onlySilent],
          ]}
          onPick={(value) => pickOnly(value === 'silent' ? 'silent' : '')}
        />
        <button type="submit" class="main">
          {allTexts.value.search}
        </button>
      </Form>
      {mayAdminister.value && (
        <div class="actions">
          <button type="button" aria-expanded={adding === 'one'} onClick={toggle('one')}>
            {t.register}
          </button>
          <button type="button" aria-expanded={adding === 'file'} onClick={toggle('file')}>
            {t.import}
          </button>
        </div>
      )}
      {adding === 'one' && <Register onDone={again} />}
      {adding === 'file' && <Import onDone={again} />}
      <Problem text={task.problem} />
      <Listing<Tracker>
        path={`/devices?limit=50${query}${filter}`}
        turn={turn}
        label={allTexts.value.views.trackers}
        empty={asked.trim() === '' && only === '' ? words.noTrackers : words.noMatch}
        columns={[
          [
            t.hardwareId,
            ({ applicationId, hardwareId }) => <a href={trackerHash(applicationId, hardwareId)}>{hardwareId}</a>,
          ],
          [t.model, ({ model }) => model],
          [
            t.owner,
            ({ userId, externalUserId }) =>
              userId === null ? t.unpaired : <a href={userHash(userId)}>{externalUserId ?? userId}</a>,
          ],
          [
            t.silentSince,
            ({ silentSince }) =>
              silentSince !== null && (
                <span class="warn">
                  ⚠ <Moment at={silentSince} />
                </span>
              ),
          ],
          [t.pairedAt, ({ pairedAt }) => pairedAt !== null && <Moment at={pairedAt} />],
          [
            allTexts.value.actions,
            (tracker) =>
              tracker.userId !== null &&
              mayAdminister.value && (
                <Small text={t.unpair} of={tracker.hardwareId} disabled={task.busy} onClick={() => leave(tracker)} />
              ),
          ],
        ]}
      />
      {leaving !== null && (
        <Confirm
          title={words.unpairAsk(leaving.hardwareId)}
          yes={t.unpair}
          busy={task.busy}
          onNo={() => leave(null)}
          onYes={() => {
            const { applicationId, hardwareId } = leaving
            void task
              .run(() => send('/devices/unpair', { applicationId, hardwareId }))
              .then((done) => {
                leave(null)
                again(done)
              })
          }}
        >
          <p>{words.unpairMeans}</p>
        </Confirm>
      )}
    </main>
  )
}

function Register({ onDone }: { readonly onDone: (done: boolean) => void }) {
  const t = allTexts.value.trackers
  const applications = useApplications()
  const [app, pick] = useState('')
  const [given, set] = useState({ hardwareId: '', pairingCode: '', model: '' })
  const [made, show] = useState<TrackerMade | null>(null)
  const models = useRead<Models>('/devices/models').found?.items ?? []
  const words = pairingWords[language.value]
  const list = useId()
  const task = useTask()
  const field = (name: keyof typeof given) => ({
    value: given[name],
    onInput: (event: { currentTarget: HTMLInputElement }) => set({ ...given, [name]: event.currentTarget.value }),
  })
  const typed = given.model.trim().toLowerCase()
  const isWithoutProfile =
    typed !== '' &&
    models.length > 0 &&
    !models.some(({ model, profile }) => profile !== null && model.toLowerCase() === typed)
  const register = (): void =>
    void task
      .run(async () =>
        show(
          await send<TrackerMade>('/devices', {
            applicationId: app || applications[0]?.applicationId,
            hardwareId: given.hardwareId,
            pairingCode: given.pairingCode.trim() || null,
            model: given.model.trim() || null,
          }),
        ),
      )
      .then((done) => {
        if (done) set({ hardwareId: '', pairingCode: '', model: '' })
        onDone(done)
      })
  return (
    <Panel title={t.register}>
      <Form onSend={register}>
        <ApplicationPick applications={applications} value={app} onPick={pick} />
        <Field label={t.hardwareId} required {...field('hardwareId')} />
        <Field label={t.model} hint={words.modelHint} list={list} {...field('model')} />
        <datalist id={list}>
          {models.map(({ model }) => (
            <option key={model} value={model} />
          ))}
        </datalist>
        {isWithoutProfile && <p class="warn">⚠ {words.unknownModel(given.model.trim())}</p>}
        <Field label={t.pairingCode} hint={words.codeHint} {...field('pairingCode')} />
        <button type="submit" disabled={task.busy}>
          {t.register}
        </button>
        <Problem text={task.problem} />
      </Form>
      {made !== null && (
        <p role="status">
          ✓ {words.registered} <a href={trackerHash(made.applicationId, made.hardwareId)}>{made.hardwareId}</a>
          {made.pairingCode !== undefined && (
            <>
              <br />
              {words.codeMade(made.pairingCode)}
            </>
          )}
        </p>
      )}
    </Panel>
  )
}

function Import({ onDone }: { readonly onDone: (done: boolean) => void }) {
  const t = allTexts.value.trackers
  const applications = useApplications()
  const [app, pick] = useState('')
  const [csv, read] = useState('')
  const [imported, show] = useState<Imported | null>(null)
  const task = useTask()
  const run = (): void =>
    void task
      .run(async () => {
        const query = new URLSearchParams({ app: app || (applications[0]?.applicationId ?? '') })
        show(await call<Imported>('POST', `/devices/import?${query}`, csv, { type: 'text/csv' }))
      })
      .then(onDone)
  return (
    <Panel title={t.import}>
      <Form onSend={run}>
        <ApplicationPick applications={applications} value={app} onPick={pick} />
        <Field
          label={t.file}
          hint={t.fileHint}
          type="file"
          accept=".csv,text/csv"
          required
          onChange={(event) => void event.currentTarget.files?.[0]?.text().then(read)}
        />
        <button type="submit" disabled={task.busy || csv === ''}>
          {t.import}
        </button>
        <Problem text={task.problem} />
        {imported !== null && <p role="status">{t.imported(imported.registered, imported.rejected.length)}</p>}
        <ul>
          {imported?.rejected.map(({ line, field, message }) => (
            <li key={`${line} ${field}`}>
              {line}: {fieldProblemText(message, allTexts.value.refused)}
            </li>
          ))}
        </ul>
      </Form>
    </Panel>
  )
}
