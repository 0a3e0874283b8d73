import { useId, useMemo, useState } from 'preact/hooks'
import type { SetupSetting } from '../api/types.ts'
import { choicesOf, type Draft, isOurs, kindOf, typedOf, variableOf } from '../logic/setup-values.ts'
import { timeZones } from '../logic/time-zones.ts'
import { valueProblem } from '../logic/value-problem.ts'
import { allTexts, locale } from '../state/language.ts'
import { Combo } from './combo.tsx'
import { moment } from './moment.tsx'
import { Small } from './small.tsx'
import type { Task } from './task.ts'

/** The source of a value, as a sentence. */
function whenceOf({ key, source, changedAt, changedBy, overridden }: SetupSetting): string {
  const t = allTexts.value.site
  const kept = overridden ? ` ${t.overridden(changedBy ?? allTexts.value.somebody)}` : ''
  switch (source) {
    case 'file':
      return `${t.inFile(key)}${kept}`
    case 'environment':
      return `${t.inEnvironment(variableOf(key))}${kept}`
    case 'console':
      return changedAt === null ? '' : t.setBy(changedBy ?? allTexts.value.somebody, moment(changedAt))
    case 'default':
      return ''
    default:
      return source satisfies never
  }
}

type Drafting = {
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  readonly task: Pick<Task, 'reasons'>
}

/** Why the service refuses the value of a key, in the language of the page. */
export const problemIn = ({ reasons }: Pick<Task, 'reasons'>, key: string): string | undefined => {
  const found = reasons.find(({ field }) => field === key || field.startsWith(`${key}.`) || field.startsWith(`${key}[`))
  if (found === undefined) return undefined
  const why = valueProblem(found.message, allTexts.value.site)
  // Of a mapping: where in it.
  return found.field.startsWith(`${key}.`) ? `${found.field.slice(key.length + 1)}: ${why}` : why
}

/** Secrets without which a way to send works, too. */
const OPTIONAL = ['gateway.headers', 'gateway.template']

/** One setting: its value, where that comes from, and why it was refused. A secret is never shown. */
export function SettingField({
  setting,
  draft,
  onDraft,
  task,
  list,
  note,
  isTitled = false,
}: Drafting & {
  readonly setting: SetupSetting
  /** The id of a datalist. */
  readonly list?: string
  readonly note?: string
  /** The title above says what it is. */
  readonly isTitled?: boolean
}) {
  const t = allTexts.value.site
  const id = useId()
  const { key, secret, set, problem } = setting
  const [replaces, replace] = useState(false)
  const given = draft[key]
  const isOwn = isOurs(setting)
  const isHidden = secret && (!isOwn || (set && given == null && !replaces))
  const write = (typed: string | null): void => onDraft({ ...draft, [key]: typed })
  const keep = (): void => {
    const { [key]: _, ...rest } = draft
    replace(false)
    onDraft(rest)
  }
  const error = problemIn(task, key)
  const hints = [
    isOwn && !isHidden && t.hints[key],
    note,
    problem !== null && t.notInForce(valueProblem(problem, t)),
    whenceOf(setting),
  ]
  const hint = hints.filter(Boolean).join(' ')
  const described = [error !== undefined && `${id}-error`, hint !== '' && `${id}-hint`].filter(Boolean).join(' ')
  const about = { id, 'aria-describedby': described || undefined }
  const label = t.labels[key] ?? key
  const below = (
    <>
      {error !== undefined && (
        <small id={`${id}-error`} class="problem">
          {error}
        </small>
      )}
      {hint !== '' && (
        <small id={`${id}-hint`} class="quiet">
          {hint}
        </small>
      )}
    </>
  )
  if (isHidden) {
    return (
      <fieldset class="field" {...about}>
        <legend>{label}</legend>
        <span class="kept">
          {isOwn && given === null ? t.cleared : t.secretSet}
          {isOwn && given === null && <Small text={t.keep} of={label} onClick={keep} />}
          {isOwn && given !== null && <Small text={t.replace} of={label} onClick={() => replace(true)} />}
          {isOwn && given !== null && OPTIONAL.includes(key) && (
            <Small text={t.clear} of={label} onClick={() => write(null)} />
          )}
        </span>
        {below}
      </fieldset>
    )
  }
  return (
    <div class="field">
      <label id={`${id}-label`} for={id} class={isTitled ? 'unseen' : undefined}>
        {label}
      </label>
      <Typed setting={setting} given={given} write={write} list={list} about={about} isWrong={error !== undefined} />
      {secret && set && (
        <span>
          <Small text={t.keep} of={label} onClick={keep} />
        </span>
      )}
      {below}
    </div>
  )
}

const Zone = (about: Omit<Parameters<typeof Combo>[0], 'choices'>) => (
  <Combo {...about} choices={useMemo(() => timeZones(locale.value), [locale.value])} />
)

function Typed({
  setting,
  given,
  write,
  list,
  about,
  isWrong,
}: {
  readonly setting: SetupSetting
  readonly given: string | null | undefined
  readonly write: (typed: string) => void
  readonly list: string | undefined
  readonly about: { readonly id: string; readonly 'aria-describedby': string | undefined }
  readonly isWrong: boolean
}) {
  const t = allTexts.value.site
  const { key, value, secret } = setting
  const kind = kindOf(key)
  const isOwn = isOurs(setting)
  const shown = given ?? (secret ? '' : typedOf(value, kind))
  const common = { ...about, 'aria-invalid': isWrong, value: shown }
  const typing = {
    ...common,
    readOnly: !isOwn,
    // A password manager would offer to store it as this site's.
    autocomplete: secret ? 'new-password' : 'off',
    autocapitalize: 'none' as const,
    spellcheck: false,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => write(event.currentTarget.value),
  }
  switch (kind) {
    case 'choice':
      return (
        <select {...common} disabled={!isOwn} onChange={(event) => write(event.currentTarget.value)}>
          {choicesOf[key]!.map((choice) => (
            <option key={choice} value={choice}>
              {t.choices[choice] ?? choice}
            </option>
          ))}
        </select>
      )
    case 'zone':
      return <Zone {...about} aria-invalid={isWrong} readOnly={!isOwn} value={shown} onPick={write} />
    case 'yaml':
      return <textarea {...typing} rows={10} class="code" />
    case 'lines':
    case 'headers':
    case 'numbers':
    case 'long':
      return <textarea {...typing} rows={3} />
    case 'number':
      return <input {...typing} inputMode="decimal" />
    case 'text':
      // An address is typed better where it is seen.
      if (secret && key !== 'gateway.url') return <input {...typing} type="password" />
      return list === undefined ? <input {...typing} /> : <input {...typing} type="text" list={list} />
    default:
      return kind satisfies never
  }
}

/** The settings of some keys, in their order. */
export const settingsOf = (settings: readonly SetupSetting[], keys: readonly string[]): readonly SetupSetting[] =>
  keys.flatMap((key) => settings.filter((setting) => setting.key === key))

/** The refusals of a settings form: each reason stands at its field. */
export function refusalOf(task: Pick<Task, 'problem' | 'reasons'>, keys: readonly string[]): string | null {
  const { problem, reasons } = task
  const isShown = reasons.length > 0 && reasons.every(({ field }) => keys.some((key) => field.startsWith(key)))
  return isShown ? allTexts.value.site.seeFields : problem
}
