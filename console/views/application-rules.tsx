import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { Application } from '../api/types.ts'
import { Field, Form, Panel, Problem } from '../parts/controls.tsx'
import { useOneSave } from '../parts/one-save.tsx'
import { useTask } from '../parts/task.ts'
import { allTexts } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'

type Value = number | boolean | readonly number[]
type Settings = Readonly<Record<string, Value>>

/** Typed text as a value of its kind. Null: invalid. */
function parsed(before: Value, typed: string | boolean): Value | null {
  if (typeof typed === 'boolean') return typed
  const numbers = typed
    .split(/[\s;]+|,\s+/)
    .filter(Boolean)
    .map((text) => Number(text.replace(',', '.')))
  if (numbers.length === 0 || numbers.some(Number.isNaN)) return null
  if (Array.isArray(before)) return numbers
  return numbers.length === 1 ? numbers[0]! : null
}

const shown = (value: Value): string | boolean =>
  typeof value === 'boolean' ? value : Array.isArray(value) ? value.join('; ') : String(value)

/** In the order in which they come into play. */
const sections = {
  messages: ['graceSeconds', 'contactIntervalSeconds'],
  calls: ['voice', 'ackTimeoutSeconds', 'voiceAttempts', 'voiceRetrySeconds'],
  unanswered: ['rounds', 'persistHours', 'realarmSeconds'],
  helped: ['watchMinutes', 'tellOthers'],
  end: ['allClear', 'autoResolveHours'],
} as const

/** Settings of no other section, also of a newer service. */
const others = (settings: Settings): readonly string[] => {
  const known = Object.values(sections).flat() as readonly string[]
  return Object.keys(settings).filter((name) => !known.includes(name))
}

const unitOf = (name: string): 's' | 'min' | 'h' | null =>
  name.endsWith('Seconds') ? 's' : name.endsWith('Minutes') ? 'min' : name.endsWith('Hours') ? 'h' : null

/** A value's meaning, as a sentence; nothing if it is not a number. */
function meansOf(name: string, value: Value | null): string | undefined {
  const { means, never } = allTexts.value.ruled
  if (value === null || typeof value === 'boolean') return undefined
  if (value === 0 && never[name] !== undefined) return never[name]
  return means[name]?.(Array.isArray(value) ? value.join(', ') : String(value))
}

/** The rules of escalation of this application, each with its origin. */
export function Rules({ application, onSaved }: { readonly application: Application; readonly onSaved: () => void }) {
  const t = allTexts.value.application
  const settings = application.settings as Settings
  const own = application.ownSettings
  const task = useTask()
  const [given, set] = useState<Readonly<Record<string, string | boolean>>>({})
  const [saved, tell] = useState(false)
  const changes = Object.entries(given).flatMap(([name, typed]) => {
    const value = parsed(settings[name]!, typed)
    return JSON.stringify(value) === JSON.stringify(settings[name]) ? [] : [[name, value] as const]
  })
  const bad = changes.filter(([, value]) => value === null).map(([name]) => t.rules[name] ?? name)
  const write = (name: string, typed: string | boolean): void => {
    tell(false)
    set({ ...given, [name]: typed })
  }
  const mayChange = mayAdminister.value && application.actuators.emergency_contacts !== undefined
  const save = async (): Promise<void> => {
    if (bad.length > 0) return
    await task
      .run(() =>
        call('PUT', `/applications/${application.applicationId}/actuators/emergency_contacts`, {
          settings: Object.fromEntries(changes),
        }),
      )
      .then((done) => {
        tell(done)
        if (!done) return
        set({})
        onSaved()
      })
  }
  useOneSave(allTexts.value.settings.rules, changes.length > 0, save)
  const rule = (name: string) => {
    const value = settings[name]!
    const label = t.rules[name] ?? name
    const typed = given[name] ?? shown(value)
    if (typeof typed === 'boolean') {
      return (
        <label key={name} class="check">
          <input type="checkbox" checked={typed} onChange={(event) => write(name, event.currentTarget.checked)} />{' '}
          {label}
        </label>
      )
    }
    const unit = unitOf(name)
    const hints = [meansOf(name, parsed(value, typed)), name in own && `${t.ownRule}.`]
    return (
      <Field
        key={name}
        label={label}
        unit={unit === null ? undefined : allTexts.value.units[unit]}
        hint={hints.filter(Boolean).join(' ') || undefined}
        inputmode="decimal"
        required
        value={typed}
        onInput={(event) => write(name, event.currentTarget.value)}
      />
    )
  }
  return (
    <Panel title={allTexts.value.settings.rules}>
      <p class="quiet">{t.rulesMean}</p>
      <Form onSend={() => void save()}>
        <fieldset disabled={!mayChange}>
          {[...Object.entries(sections), ['machines', others(settings)] as const].map(([section, names]) => (
            <fieldset key={section} class="section">
              <legend>{allTexts.value.ruled.sections[section as keyof typeof sections]}</legend>
              {names.filter((name) => name in settings).map(rule)}
            </fieldset>
          ))}
        </fieldset>
        <Problem text={bad.length > 0 ? t.notANumber(bad.join(', ')) : task.problem} />
        {saved && (
          <p class="good" role="status">
            ✓ {t.saved}
          </p>
        )}
      </Form>
    </Panel>
  )
}
