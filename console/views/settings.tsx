import { useEffect, useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { Application, OwnText, Preview, Tested } from '../api/types.ts'
import { useApplications } from '../parts/applications.tsx'
import { Copy, Empty, Field, Form, Panel, Problem, Select } from '../parts/controls.tsx'
import { useRead } from '../parts/listing.tsx'
import { useTask } from '../parts/task.ts'
import { languages, texts } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'

const languageNames = (): readonly (readonly [string, string])[] =>
  languages.map((code) => [code, new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code])

/** The applications; each leads to its own page. */
export function Settings() {
  const t = texts.value.settings
  const applications = useApplications()
  const [name, write] = useState('')
  const [secret, show] = useState<string | null>(null)
  const task = useTask()
  const create = (): void =>
    void task.run(async () => {
      const made = await send<Application & { secret: string }>('/applications', { name })
      show(made.secret)
      write('')
    })
  return (
    <main>
      <h1>{t.applications}</h1>
      {applications.length === 0 && <Empty>{t.noApplication}</Empty>}
      <ul class="cards">
        {applications.map((application) => (
          <li key={application.applicationId}>
            <a class="card" href={`#/application/${application.applicationId}`}>
              <strong>{application.name}</strong>
              <small>
                {Object.keys(application.actuators)
                  .map((type) => t.actuatorNames[type] ?? type)
                  .join(', ') || t.noActuator}
              </small>
            </a>
          </li>
        ))}
      </ul>
      {mayAdminister.value && (
        <Panel title={t.newApplication}>
          <Form onSend={create}>
            <Field label={t.name} required value={name} onInput={(event) => write(event.currentTarget.value)} />
            <button type="submit" disabled={task.busy}>
              {t.create}
            </button>
            <Problem text={task.problem} />
          </Form>
          {secret !== null && <Secret secret={secret} />}
        </Panel>
      )}
    </main>
  )
}

const Secret = ({ secret }: { readonly secret: string }) => (
  <p class="secret" role="status">
    {texts.value.settings.secretOnce}
    <br />
    <code>{secret}</code> <Copy text={secret} />
  </p>
)

export function ApplicationView({ id }: { readonly id: string }) {
  const { found, problem, again } = useRead<Application>(`/applications/${id}`)
  const t = texts.value.settings
  if (found === null)
    return <main>{problem === null ? <Empty>{texts.value.loading}</Empty> : <Problem text={problem} />}</main>
  return (
    <main>
      <a href="#/settings" class="back">
        ← {t.applications}
      </a>
      <h1>{found.name}</h1>
      <div class="columns">
        <General application={found} onSaved={again} />
        <Actuators application={found} />
        <Texts application={found} />
        <Panel title={t.rules}>
          <dl class="plain">
            {Object.entries(found.settings).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{Array.isArray(value) ? value.join(', ') : String(value)}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      </div>
    </main>
  )
}

function General({ application, onSaved }: { readonly application: Application; readonly onSaved: () => void }) {
  const t = texts.value.settings
  const task = useTask()
  const [given, set] = useState({
    name: application.name,
    language: application.language,
    prefixes: application.allowedPrefixes.join(', '),
    deskName: application.fallbackContact?.name ?? '',
    deskPhone: application.fallbackContact?.phone ?? '',
  })
  const [secret, show] = useState<string | null>(null)
  const field = (name: Exclude<keyof typeof given, 'language'>) => ({
    value: given[name],
    onInput: (event: { currentTarget: HTMLInputElement }) => set({ ...given, [name]: event.currentTarget.value }),
  })
  const path = `/applications/${application.applicationId}`
  const save = (): void =>
    void task
      .run(() =>
        call('PATCH', path, {
          name: given.name,
          language: given.language,
          allowedPrefixes: given.prefixes.split(/[\s,]+/).filter(Boolean),
          fallbackContact: given.deskPhone.trim() === '' ? null : { name: given.deskName, phone: given.deskPhone },
        }),
      )
      .then(onSaved)
  return (
    <Panel title={t.general}>
      <Form onSend={save}>
        <fieldset disabled={!mayAdminister.value}>
          <Field label={t.name} required {...field('name')} />
          <Select
            label={texts.value.language}
            value={given.language}
            options={languageNames()}
            onPick={(language) => set({ ...given, language })}
          />
          <Field label={t.prefixes} hint={t.prefixesHint} {...field('prefixes')} />
          <Field label={t.deskName} hint={t.deskHint} {...field('deskName')} />
          <Field label={t.deskPhone} type="tel" {...field('deskPhone')} />
          {mayAdminister.value && (
            <div class="actions">
              <button type="submit" class="main" disabled={task.busy}>
                {texts.value.save}
              </button>
              <button
                type="button"
                disabled={task.busy}
                onClick={() =>
                  void task.run(async () => show((await send<{ secret: string }>(`${path}/secrets`, {})).secret))
                }
              >
                {t.newSecret}
              </button>
            </div>
          )}
        </fieldset>
        <Problem text={task.problem} />
      </Form>
      {secret !== null && <Secret secret={secret} />}
    </Panel>
  )
}

const channelsOf = { emergency_contacts: ['sms', 'voice'], chat: ['chat'], webhook: ['webhook'] } as Readonly<
  Record<string, readonly string[]>
>

/** How this application tells people, and whether that works: each channel has a test. */
function Actuators({ application }: { readonly application: Application }) {
  const t = texts.value.settings
  const task = useTask()
  const [to, write] = useState('')
  const [tested, show] = useState<Tested | null>(null)
  const test = (channel: string): void =>
    void task.run(async () => {
      show(null)
      const target = channel === 'sms' || channel === 'voice' ? { to } : {}
      show(await send<Tested>(`/applications/${application.applicationId}/test`, { channel, ...target }))
    })
  const types = Object.keys(application.actuators)
  const channels = types.flatMap((type) => channelsOf[type] ?? [])
  return (
    <Panel title={t.actuators}>
      {types.length === 0 && <Empty>{t.noActuator}</Empty>}
      <ul>
        {types.map((type) => (
          <li key={type}>✓ {t.actuatorNames[type] ?? type}</li>
        ))}
      </ul>
      {mayAdminister.value && channels.length > 0 && (
        <>
          <Field
            label={t.testTo}
            hint={t.testHint}
            type="tel"
            value={to}
            onInput={(event) => write(event.currentTarget.value)}
          />
          <div class="actions">
            {channels.map((channel) => (
              <button
                key={channel}
                type="button"
                disabled={task.busy || ((channel === 'sms' || channel === 'voice') && to.trim() === '')}
                onClick={() => test(channel)}
              >
                {t.test(texts.value.channels[channel] ?? channel)}
              </button>
            ))}
          </div>
        </>
      )}
      <Problem text={task.problem} />
      {tested !== null && (
        <p role="status" class={`s-${tested.status}`}>
          {texts.value.channels[tested.channel] ?? tested.channel}:{' '}
          {texts.value.statuses[tested.status] ?? tested.status}
          {tested.error !== null && ` (${tested.error})`}
          {tested.warnings.map((warning) => (
            <small key={warning}> {warning}</small>
          ))}
        </p>
      )}
    </Panel>
  )
}

const PREVIEW_AFTER_MS = 400

/** The texts that people get, with what becomes of them and what they cost while they are written. */
function Texts({ application }: { readonly application: Application }) {
  const t = texts.value.settings
  const path = `/applications/${application.applicationId}/texts`
  const [language, pick] = useState(application.language)
  const { found, problem, again } = useRead<{ readonly items: readonly OwnText[] }>(`${path}?language=${language}`)
  const [key, pickKey] = useState('')
  const [written, write] = useState<string | null>(null)
  const [preview, show] = useState<Preview | null>(null)
  const task = useTask()
  const items = (found?.items ?? []).filter((item) => item.language === language)
  const item = items.find((one) => one.key === key) ?? items[0]
  const text = written ?? item?.text ?? ''
  useEffect(() => {
    if (item === undefined || !mayAdminister.value) return
    const timer = setTimeout(() => {
      call<Preview>('POST', `${path}/preview`, { key: item.key, text }).then(show, () => show(null))
    }, PREVIEW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [item?.key, text])
  const save = (saved: string | null): void =>
    void task
      .run(() => call('PUT', path, { language, key: item?.key, text: saved }))
      .then((done) => {
        if (done) write(null)
        again()
      })
  return (
    <Panel title={t.texts}>
      <Problem text={problem} />
      <Select
        label={texts.value.language}
        value={language}
        options={languageNames()}
        onPick={(code) => {
          pick(code)
          write(null)
        }}
      />
      {item !== undefined && (
        <Form onSend={() => save(text)}>
          <Select
            label={t.whichText}
            value={item.key}
            options={items.map((one) => [one.key, one.own ? `${one.key} *` : one.key])}
            onPick={(picked) => {
              pickKey(picked)
              write(null)
            }}
          />
          <label class="field">
            <span>{t.text(item.placeholders.map((name) => `{${name}}`).join(' '))}</span>
            <textarea
              rows={4}
              maxLength={1000}
              readOnly={!mayAdminister.value}
              value={text}
              onInput={(event) => write(event.currentTarget.value)}
            />
          </label>
          {preview !== null && (
            <div class="preview">
              <p>{preview.text}</p>
              <small>
                {t.segments(preview.segments)}, {preview.encoding}
                {preview.warnings.map((warning) => ` · ${warning}`)}
              </small>
            </div>
          )}
          {mayAdminister.value && (
            <div class="actions">
              <button type="submit" class="main" disabled={task.busy || written === null}>
                {texts.value.save}
              </button>
              {item.own && (
                <button type="button" disabled={task.busy} onClick={() => save(null)}>
                  {t.builtIn}
                </button>
              )}
            </div>
          )}
          <Problem text={task.problem} />
        </Form>
      )}
    </Panel>
  )
}
