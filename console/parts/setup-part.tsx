import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { SetupSetting, SiteSetup } from '../api/types.ts'
import { changesOf, type Draft, isOurs } from '../logic/setup-values.ts'
import { allTexts } from '../state/language.ts'
import type { Children } from './blocks.tsx'
import { BothProofs } from './both-proofs.tsx'
import { Form, Panel, Problem } from './controls.tsx'
import { refusalOf, SettingField, settingsOf } from './setting-field.tsx'
import { useTask } from './task.ts'

export type SetupProps = { readonly setup: SiteSetup; readonly onChanged: () => void }

/** The draft of a part of the setup, and the progress of saving it. */
export function useSetupForm() {
  const task = useTask()
  const [draft, set] = useState<Draft>({})
  const [asking, ask] = useState(false)
  const [saved, tell] = useState(false)
  const [missing, miss] = useState<string | null>(null)
  const write = (next: Draft): void => {
    tell(false)
    miss(null)
    set(next)
  }
  return { task, draft, write, asking, ask, saved, tell, missing, miss }
}
type SetupFormState = ReturnType<typeof useSetupForm>

/** One setting of a form. */
export const FormField = ({
  form: { task, draft, write },
  ...about
}: { readonly form: SetupFormState } & Omit<Parameters<typeof SettingField>[0], 'task' | 'draft' | 'onDraft'>) => (
  <SettingField {...about} task={task} draft={draft} onDraft={write} />
)

/** A form of settings that is saved as a whole, with both proofs where one of them is guarded. */
export function SetupForm({
  form,
  section,
  settings,
  keys,
  values,
  lacking = null,
  beside,
  said,
  class: name,
  onDone,
  children,
}: Children & {
  readonly form: SetupFormState
  readonly section: string
  readonly settings: readonly SetupSetting[]
  /** Of the fields that are shown: their refusals stand there. */
  readonly keys: readonly string[]
  /** The values for the service. */
  readonly values: Readonly<Record<string, unknown>>
  /** The step that is missing before it can be saved. */
  readonly lacking?: string | null
  /** A refusal that is about another part. */
  readonly beside?: string | undefined
  readonly said?: string
  readonly class?: string
  readonly onDone: () => void
}) {
  const t = allTexts.value.site
  const { task, asking, ask, saved, tell, missing, miss, write } = form
  const isChanged = Object.keys(values).length > 0
  const path = `/setup/${section}`
  const done = (): void => {
    write({})
    tell(true)
    onDone()
  }
  const save = (): void => {
    tell(false)
    miss(lacking)
    if (lacking !== null || !isChanged) return
    if (settings.some(({ guarded }) => guarded)) ask(true)
    else void task.run(() => call('PUT', path, { values })).then((ok) => ok && done())
  }
  return (
    <>
      <Form {...(name !== undefined && { class: name })} onSend={save}>
        {children}
        {settings.some(isOurs) && (
          <button type="submit" class="main" disabled={task.busy || (!isChanged && lacking === null)}>
            {allTexts.value.save}
          </button>
        )}
        <Problem text={missing ?? beside ?? refusalOf(task, keys)} />
        {saved && !isChanged && (
          <p class="good" role="status">
            ✓ {said ?? t.saved}
          </p>
        )}
      </Form>
      {asking && (
        <BothProofs
          title={t.changeAsk}
          yes={allTexts.value.save}
          act={(send) => send('PUT', path, { values })}
          onEnd={(ok, error) => {
            ask(false)
            // Problems with anything but the proofs stand in the form.
            void task.run(() => (error === null ? Promise.resolve() : Promise.reject(error)))
            if (ok) done()
          }}
        >
          <p>{t.changeMeans}</p>
        </BothProofs>
      )}
    </>
  )
}

/** A part of the setup whose fields are all shown. `extra`: further parts of a field, by its draft. */
export function SetupPart({
  setup,
  onChanged,
  section,
  keys,
  children,
  extra = () => ({}),
}: SetupProps &
  Children & {
    readonly section: string
    readonly keys: readonly string[]
    readonly extra?: (setting: SetupSetting, typed: string | null | undefined) => { list?: string; note?: string }
  }) {
  const form = useSetupForm()
  const settings = settingsOf(setup.settings, keys)
  const values = changesOf(settings, form.draft)
  return (
    <Panel title={allTexts.value.site.sections[section] ?? section}>
      <SetupForm {...{ form, section, settings, keys, values }} onDone={onChanged}>
        {settings.map((setting) => (
          <FormField
            key={setting.key}
            form={form}
            setting={setting}
            isTitled={settings.length === 1}
            {...extra(setting, form.draft[setting.key])}
          />
        ))}
        {children}
      </SetupForm>
    </Panel>
  )
}
