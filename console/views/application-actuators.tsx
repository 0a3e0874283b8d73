import { useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { Application, Tested } from '../api/types.ts'
import { failureText } from '../logic/service-words.ts'
import { Confirm, Empty, Field, Form, Panel, Problem, Select } from '../parts/controls.tsx'
import { useTask } from '../parts/task.ts'
import { allTexts } from '../state/language.ts'
import { mayAct, mayAdminister } from '../state/session.ts'

type Type = 'emergency_contacts' | 'chat' | 'webhook'
const types: readonly Type[] = ['emergency_contacts', 'chat', 'webhook']
/** By the value that the service knows; plain text has a word of each language. */
const formats = {
  ...{ slack: 'Slack', mattermost: 'Mattermost', discord: 'Discord' },
  ...{ teams: 'Microsoft Teams', googlechat: 'Google Chat' },
}

type Target = Readonly<Record<string, unknown>>
type Part = { readonly application: Application; readonly onChanged: () => void }

const channelsOf = (type: Type, target: Target): readonly string[] =>
  type === 'emergency_contacts' ? ['sms', 'voice', ...(target.httpUrl === undefined ? [] : ['http'])] : [type]

/** The channels on which this application alerts people, each with a test. */
export function Actuators({ application, onChanged }: Part) {
  const t = allTexts.value.settings
  return (
    <Panel title={t.actuators}>
      {Object.keys(application.actuators).length === 0 && <Empty>{t.noActuator}</Empty>}
      {types.map((type) => {
        const target = application.actuators[type]
        if (target === undefined && !mayAdminister.value) return null
        return (
          <section key={type} class="actuator" aria-label={t.actuatorNames[type]}>
            <h3>
              {target === undefined ? '○' : '✓'} {t.actuatorNames[type]}
            </h3>
            {mayAdminister.value && (
              <Target application={application} type={type} target={target ?? null} onChanged={onChanged} />
            )}
            {target !== undefined && mayAct.value && (
              <Test application={application} channels={channelsOf(type, target)} />
            )}
          </section>
        )
      })}
    </Panel>
  )
}

/** The target of an actuator. Addresses and secrets are not shown again, so an empty field keeps the stored one. */
function Target({
  application,
  type,
  target,
  onChanged,
}: Part & { readonly type: Type; readonly target: Target | null }) {
  const t = allTexts.value.application
  const task = useTask()
  const [given, set] = useState({ url: '', secret: '', format: String(target?.format ?? 'text') })
  const [removing, remove] = useState(false)
  const path = `/applications/${application.applicationId}/actuators/${type}`
  const field = (name: 'url' | 'secret') => ({
    value: given[name],
    onInput: (event: { currentTarget: HTMLInputElement }) => set({ ...given, [name]: event.currentTarget.value }),
  })
  const now = type === 'emergency_contacts' ? target?.httpUrl : target?.url
  const put = (body: object): void =>
    void task
      .run(() => call('PUT', path, body))
      .then((done) => {
        if (!done) return
        set({ ...given, url: '', secret: '' })
        onChanged()
      })
  const bodyOf = (): object => {
    const url = given.url.trim()
    if (type === 'emergency_contacts') return url === '' ? {} : { httpUrl: url }
    return {
      ...(url !== '' && { url }),
      ...(type === 'chat' && { format: given.format }),
      ...(type === 'webhook' && given.secret !== '' && { secret: given.secret }),
    }
  }
  return (
    <>
      {now !== undefined && (
        <p class="quiet">
          <code>{String(now)}</code>
          {target?.signed === true && ` · ${t.signed}`}
        </p>
      )}
      <details>
        <summary>{target === null ? t.setUp : t.change}</summary>
        <Form onSend={() => put(bodyOf())}>
          <Field
            label={type === 'emergency_contacts' ? t.gateway : t.url}
            hint={now === undefined ? (type === 'emergency_contacts' ? t.gatewayHint : undefined) : t.keepsAddress}
            type="url"
            required={target === null && type !== 'emergency_contacts'}
            placeholder="https://"
            {...field('url')}
          />
          {type === 'chat' && (
            <Select
              label={t.format}
              value={given.format}
              options={[['text', allTexts.value.system.text], ...Object.entries(formats)]}
              onPick={(format) => set({ ...given, format })}
            />
          )}
          {type === 'webhook' && (
            <Field
              label={t.webhookSecret}
              hint={target?.signed === true ? t.keepsSecret : t.webhookSecretHint}
              autocomplete="off"
              {...field('secret')}
            />
          )}
          <div class="actions">
            <button type="submit" class="main" disabled={task.busy}>
              {allTexts.value.save}
            </button>
            {type === 'emergency_contacts' && now !== undefined && (
              <button type="button" disabled={task.busy} onClick={() => put({ httpUrl: null })}>
                {t.noGateway}
              </button>
            )}
            {target?.signed === true && (
              <button type="button" disabled={task.busy} onClick={() => put({ secret: null })}>
                {t.noSecret}
              </button>
            )}
            {target !== null && (
              <button type="button" disabled={task.busy} onClick={() => remove(true)}>
                {t.remove}
              </button>
            )}
          </div>
          <Problem text={task.problem} />
        </Form>
      </details>
      {removing && (
        <Confirm
          title={t.removeAsk(allTexts.value.settings.actuatorNames[type] ?? type)}
          yes={t.remove}
          busy={task.busy}
          onYes={() =>
            void task
              .run(() => call('DELETE', path))
              .then(() => {
                remove(false)
                onChanged()
              })
          }
          onNo={() => remove(false)}
        >
          <p>{type === 'emergency_contacts' ? t.removeContactsMeans : t.removeMeans}</p>
        </Confirm>
      )}
    </>
  )
}

/** A real message on each channel, which says that it is a test. */
function Test({ application, channels }: { readonly application: Application; readonly channels: readonly string[] }) {
  const t = allTexts.value.settings
  const task = useTask()
  const [to, write] = useState('')
  const [tested, show] = useState<Tested | null>(null)
  const needsNumber = (channel: string): boolean => channel !== 'chat' && channel !== 'webhook'
  const test = (channel: string): void =>
    void task.run(async () => {
      show(null)
      const target = needsNumber(channel) ? { to } : {}
      show(await send<Tested>(`/applications/${application.applicationId}/test`, { channel, ...target }))
    })
  return (
    <>
      {channels.some(needsNumber) && (
        <Field
          label={t.testTo}
          hint={t.testHint}
          type="tel"
          value={to}
          onInput={(event) => write(event.currentTarget.value)}
        />
      )}
      <div class="actions">
        {channels.map((channel) => (
          <button
            key={channel}
            type="button"
            disabled={task.busy || (needsNumber(channel) && to.trim() === '')}
            onClick={() => test(channel)}
          >
            {t.test(allTexts.value.channels[channel] ?? channel)}
          </button>
        ))}
      </div>
      <Problem text={task.problem} />
      {tested !== null && (
        <p role="status" class={`s-${tested.status}`}>
          {allTexts.value.channels[tested.channel] ?? tested.channel}:{' '}
          {allTexts.value.statuses[tested.status] ?? tested.status}
          {tested.error !== null && ` (${failureText(tested.error, allTexts.value)})`}
          {tested.warnings.length > 0 && <small> {allTexts.value.healthMeans.other}</small>}
        </p>
      )}
    </>
  )
}
