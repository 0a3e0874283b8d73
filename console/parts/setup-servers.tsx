import { useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { formOf, isServers, NEW_SERVER, type ServerForm, type Servers, serverOf } from '../logic/setup-servers.ts'
import { isOurs, variableOf } from '../logic/setup-values.ts'
import { valueProblem } from '../logic/value-problem.ts'
import { allTexts } from '../state/language.ts'
import { ApplicationPick, useApplications } from './applications.tsx'
import { BothProofs } from './both-proofs.tsx'
import { Empty, Field, Form, Panel, Problem, Select } from './controls.tsx'
import type { SetupProps } from './setup-part.tsx'
import { Small } from './small.tsx'
import { useTask } from './task.ts'

const KEY = 'lorawan.servers'

/** LoRaWAN network servers by name. They are one setting: unchanged values are sent back as shown. */
export function SetupServers({ setup, onChanged }: SetupProps) {
  const t = allTexts.value.site
  const task = useTask()
  const [open, show] = useState<{ name: string | null; form: ServerForm } | null>(null)
  const [asked, ask] = useState<{ servers: Servers; removes: string | null } | null>(null)
  const [saved, tell] = useState(false)
  const applications = useApplications()
  const setting = setup.settings.find(({ key }) => key === KEY)
  if (setting === undefined) return null
  const servers: Servers = isServers(setting.value) ? setting.value : {}
  const mayChange = isOurs(setting)
  const save = (next: Servers, removes: string | null): void => {
    tell(false)
    ask({ servers: next, removes })
  }
  const keep = (): void => {
    if (open === null) return
    const name = open.name ?? open.form.name.trim()
    if (open.name === null && Object.hasOwn(servers, name)) {
      return void task.run(() => {
        throw new ApiError(400, { message: t.lorawan.taken })
      })
    }
    const application = open.form.application || (applications[0]?.applicationId ?? '')
    save({ ...servers, [name]: serverOf({ ...open.form, application }, servers[name] ?? null) }, null)
  }
  const left = (name: string): Servers => Object.fromEntries(Object.entries(servers).filter(([one]) => one !== name))
  return (
    <Panel title={t.sections.lorawan!}>
      {Object.keys(servers).length === 0 && <Empty>{t.lorawan.none}</Empty>}
      <ul class="providers">
        {Object.entries(servers).map(([name, server]) => (
          <li key={name}>
            <div>
              <strong>{name}</strong>
              <br />
              <small>
                {t.lorawan.types[server.type] ?? server.type}
                {' · '}
                {applications.find(({ applicationId }) => applicationId === server.application)?.name ??
                  server.application}
              </small>
            </div>
            {mayChange && open === null && (
              <div class="actions">
                <Small text={t.messages.change} of={name} onClick={() => show({ name, form: formOf(name, server) })} />
                <Small text={t.messages.remove} of={name} onClick={() => save(left(name), name)} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {mayChange ? (
        open === null && (
          <button
            type="button"
            onClick={() => {
              tell(false)
              show({ name: null, form: NEW_SERVER })
            }}
          >
            {t.lorawan.add}
          </button>
        )
      ) : (
        <p>{setting.source === 'file' ? t.inFile(KEY) : t.inEnvironment(variableOf(KEY))}</p>
      )}
      {open !== null && (
        <ServerFields
          form={open.form}
          name={open.name}
          applications={applications}
          errorOf={(field) => errorAt(task.reasons, open.name ?? open.form.name.trim(), field)}
          busy={task.busy}
          onChange={(form) => show({ ...open, form })}
          onSave={keep}
          onCancel={() => show(null)}
        />
      )}
      <Problem text={task.reasons.length > 0 && open !== null ? t.seeFields : task.problem} />
      {saved && (
        <p class="good" role="status">
          ✓ {t.saved}
        </p>
      )}
      {asked !== null && (
        <BothProofs
          title={asked.removes === null ? t.changeAsk : t.lorawan.removeAsk(asked.removes)}
          yes={asked.removes === null ? allTexts.value.save : t.clear}
          act={(send) => send('PUT', '/setup/lorawan', { values: { [KEY]: orNone(asked.servers) } })}
          onEnd={(ok, error) => {
            ask(null)
            void task.run(() => (error === null ? Promise.resolve() : Promise.reject(error)))
            if (!ok) return
            show(null)
            tell(true)
            onChanged()
          }}
        >
          <p>{asked.removes === null ? t.changeMeans : t.lorawan.removeMeans}</p>
        </BothProofs>
      )}
    </Panel>
  )
}

/** As the setting has it. */
const orNone = (servers: Servers): Servers | null => (Object.keys(servers).length === 0 ? null : servers)

/** Why a field of a server was refused; one that the form does not have stands at the name. */
function errorAt(
  reasons: readonly { readonly field: string; readonly message: string }[],
  name: string,
  field: string,
): string | undefined {
  const own = reasons.map(({ field, message }) => ({ at: field.slice(`${KEY}.${name}.`.length), message }))
  const known = ['application', 'token', 'profile', 'mqtt.url', 'mqtt.username', 'mqtt.password']
  const found = own.find(({ at }) => (field === 'name' ? !known.includes(at) : at === field))
  return found && valueProblem(found.message, allTexts.value.site)
}

function ServerFields({
  form,
  name,
  applications,
  errorOf,
  busy,
  onChange,
  onSave,
  onCancel,
}: {
  readonly form: ServerForm
  /** Null: a new one. */
  readonly name: string | null
  readonly applications: ReturnType<typeof useApplications>
  readonly errorOf: (field: string) => string | undefined
  readonly busy: boolean
  readonly onChange: (form: ServerForm) => void
  readonly onSave: () => void
  readonly onCancel: () => void
}) {
  const t = allTexts.value.site.lorawan
  const field = (key: Exclude<keyof ServerForm, 'hasDownlink'>) => ({
    value: form[key],
    autocomplete: 'off',
    autocapitalize: 'none' as const,
    spellcheck: false,
    onInput: (event: { currentTarget: HTMLInputElement }) => onChange({ ...form, [key]: event.currentTarget.value }),
  })
  const kept = name === null ? undefined : t.keepsSecret
  return (
    <Form class="provider-setup" onSend={onSave}>
      <h3>{name === null ? allTexts.value.site.lorawan.add : t.edit(name)}</h3>
      {name === null && (
        <Field label={t.name} hint={t.nameHint} error={errorOf('name')} required maxLength={64} {...field('name')} />
      )}
      {name !== null && <Problem text={errorOf('name') ?? null} />}
      <Select
        label={t.type}
        value={form.type}
        options={Object.entries(t.types)}
        onPick={(type) => onChange({ ...form, type })}
      />
      {applications.length === 0 ? (
        <p class="problem">{t.noApplication}</p>
      ) : (
        <ApplicationPick
          applications={applications}
          value={form.application}
          onPick={(application) => onChange({ ...form, application })}
        />
      )}
      <Field
        label={t.token}
        hint={[t.tokenHint, kept].filter(Boolean).join(' ')}
        error={errorOf('token')}
        {...field('token')}
        type="password"
        autocomplete="new-password"
      />
      <Field label={t.profile} hint={t.profileHint} error={errorOf('profile')} {...field('profile')} />
      {form.type === 'chirpstack' && (
        <>
          <Field label={t.mqttUrl} hint={t.mqttHint} error={errorOf('mqtt.url')} {...field('mqttUrl')} />
          {form.mqttUrl !== '' && (
            <>
              <Field label={t.username} error={errorOf('mqtt.username')} {...field('username')} />
              <Field
                label={t.password}
                hint={kept}
                error={errorOf('mqtt.password')}
                {...field('password')}
                type="password"
                autocomplete="new-password"
              />
            </>
          )}
        </>
      )}
      {form.hasDownlink && <p class="quiet">{t.downlink}</p>}
      <div class="actions">
        <button type="submit" class="main" disabled={busy || applications.length === 0}>
          {allTexts.value.save}
        </button>
        <button type="button" onClick={onCancel}>
          {allTexts.value.cancel}
        </button>
      </div>
    </Form>
  )
}
