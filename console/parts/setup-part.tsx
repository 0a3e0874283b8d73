import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { SetupSetting, SiteSetup } from '../api/types.ts'
import { changesOf, type Draft, isOurs } from '../logic/setup-values.ts'
import { texts } from '../state/language.ts'
import { BothProofs } from './both-proofs.tsx'
import { Form, Panel, Problem } from './controls.tsx'
import { refusalOf, SettingField, settingsOf } from './setting-field.tsx'
import { useTask } from './task.ts'

export type SetupProps = { readonly setup: SiteSetup; readonly onChanged: () => void }

/** A part of the setup that is saved as a whole. `extra`: what a field has besides, by its draft. */
export function SetupPart({
  setup,
  onChanged,
  section,
  keys,
  children,
  extra = () => ({}),
}: SetupProps & {
  readonly section: string
  readonly keys: readonly string[]
  readonly children?: ComponentChildren
  readonly extra?: (setting: SetupSetting, typed: string | null | undefined) => { list?: string; note?: string }
}) {
  const t = texts.value.site
  const task = useTask()
  const [draft, write] = useState<Draft>({})
  const [asking, ask] = useState(false)
  const [saved, tell] = useState(false)
  const settings = settingsOf(setup.settings, keys)
  const changes = changesOf(settings, draft)
  const isChanged = Object.keys(changes).length > 0
  const done = (): void => {
    write({})
    tell(true)
    onChanged()
  }
  const path = `/setup/${section}`
  const save = (): void => {
    tell(false)
    if (!isChanged) return
    if (settings.some(({ guarded }) => guarded)) ask(true)
    else void task.run(() => call('PUT', path, { values: changes })).then((ok) => ok && done())
  }
  return (
    <Panel title={t.sections[section] ?? section}>
      <Form onSend={save}>
        {settings.map((setting) => (
          <SettingField
            key={setting.key}
            setting={setting}
            draft={draft}
            onDraft={(next) => {
              tell(false)
              write(next)
            }}
            task={task}
            isTitled={settings.length === 1}
            {...extra(setting, draft[setting.key])}
          />
        ))}
        {children}
        {settings.some(isOurs) && (
          <button type="submit" class="main" disabled={task.busy || !isChanged}>
            {texts.value.save}
          </button>
        )}
        <Problem text={refusalOf(task, keys)} />
        {saved && !isChanged && (
          <p class="good" role="status">
            ✓ {t.saved}
          </p>
        )}
      </Form>
      {asking && (
        <BothProofs
          title={t.changeAsk}
          yes={texts.value.save}
          act={(send) => send('PUT', path, { values: changes })}
          onEnd={(ok, error) => {
            ask(false)
            // What is not about the proofs stands in the form.
            void task.run(() => (error === null ? Promise.resolve() : Promise.reject(error)))
            if (ok) done()
          }}
        >
          <p>{t.changeMeans}</p>
        </BothProofs>
      )}
    </Panel>
  )
}
