import { useState } from 'preact/hooks'
import { intervalOf, minutesOf, type Unit, units } from '../logic/interval.ts'
import { allTexts } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'
import { Field, Form, Panel, Problem, Select } from './controls.tsx'
import { useOneSave } from './one-save.tsx'
import { useTask } from './task.ts'

type Mode = 'application' | 'never' | 'after'
const modeOf = (minutes: number | null): Mode => (minutes === null ? 'application' : minutes === 0 ? 'never' : 'after')

/** As people say it. `minutes`: 0 is never. */
function intervalText(minutes: number): string {
  const t = allTexts.value.tracker
  if (minutes === 0) return t.never
  const { count, unit } = intervalOf(minutes)
  return `${count} ${t.units[unit]}`
}

/**
 * After how long without a report a device counts as silent. `minutes`: 0 is never; null is as the application, which
 * only one device can be (`inherited`: what that says).
 */
export function Silence({
  title,
  minutes,
  inherited,
  onSave,
}: {
  readonly title: string
  readonly minutes: number | null
  readonly inherited?: number
  readonly onSave: (minutes: number | null) => Promise<unknown>
}) {
  const t = allTexts.value.tracker
  const task = useTask()
  const before = minutes === null || minutes === 0 ? { count: 12, unit: 'h' as const } : intervalOf(minutes)
  const [mode, pick] = useState(modeOf(minutes))
  const [count, write] = useState(String(before.count))
  const [unit, measure] = useState<Unit>(before.unit)
  const [saved, tell] = useState(false)
  const given = mode === 'application' ? null : mode === 'never' ? 0 : minutesOf(count, unit)
  const isRead = mode !== 'after' || given !== null
  const modes: readonly (readonly [Mode, string])[] = [
    ...(inherited === undefined ? [] : [['application', t.asApplication(intervalText(inherited))] as const]),
    ['never', t.never],
    ['after', inherited === undefined ? t.afterAll : t.after],
  ]
  const save = async (): Promise<void> => {
    if (isRead) tell(await task.run(() => onSave(given)))
  }
  const isSavedAbove = useOneSave(title, given !== minutes, save)
  return (
    <Panel title={title}>
      <p>{t.silenceMeans}</p>
      <Form onSend={() => void save()}>
        <fieldset disabled={!mayAdminister.value}>
          <Select label={t.warn} value={mode} options={modes} onPick={(value) => pick(value as Mode)} />
          {mode === 'after' && (
            <>
              <Field
                label={t.count}
                hint={t.range}
                inputMode="numeric"
                required
                aria-invalid={!isRead}
                value={count}
                onInput={(event) => write(event.currentTarget.value)}
              />
              <Select
                label={t.unit}
                value={unit}
                options={(Object.keys(units) as Unit[]).map((key) => [key, t.units[key]])}
                onPick={(value) => measure(value as Unit)}
              />
            </>
          )}
          {mayAdminister.value && !isSavedAbove && (
            <button type="submit" class="main" disabled={task.busy || !isRead || given === minutes}>
              {allTexts.value.save}
            </button>
          )}
        </fieldset>
        <Problem text={task.problem} />
        {saved && given === minutes && (
          <p class="good" role="status">
            ✓ {allTexts.value.application.saved}
          </p>
        )}
      </Form>
    </Panel>
  )
}
