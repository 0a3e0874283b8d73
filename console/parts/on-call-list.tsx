import { useMemo, useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { OnCall, Operator } from '../api/types.ts'
import { readable } from '../logic/plain-text.ts'
import { timeZones } from '../logic/time-zones.ts'
import { numberGiven } from '../logic/typed-number.ts'
import { browserNow } from '../state/clock.ts'
import { allTexts, language, locale, texts } from '../state/language.ts'
import { onCallWords } from '../texts/on-call.ts'
import { ComboField } from './combo.tsx'
import { Field, Form, languageNames, Panel, Problem, Select } from './controls.tsx'
import { useRead } from './listing.tsx'
import { moment } from './moment.tsx'
import { useTask } from './task.ts'
import { Unsaved } from './unsaved.tsx'

type List = NonNullable<OnCall['list']>
type Person = Pick<List['people'][number], 'id' | 'name' | 'phone' | 'language' | 'operatorId' | 'told' | 'disabled'>
type Draft = Pick<List, 'afterMinutes' | 'handOverAt' | 'startsOn' | 'everyDays' | 'timeZone' | 'order'> & {
  readonly people: readonly Person[]
}

const LENGTHS = [1, 2, 3, 7, 14, 28]
const WAITS = [1, 2, 3, 5, 10, 15, 30, 60]

/** The day of this device, as `2026-11-30`. */
const today = (): string => {
  const date = new Date(browserNow.peek())
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const draftOf = ({ list }: OnCall): Draft => ({
  afterMinutes: list?.afterMinutes ?? 5,
  handOverAt: list?.handOverAt ?? '08:00',
  startsOn: list?.startsOn ?? today(),
  everyDays: list?.everyDays ?? 7,
  timeZone: list?.timeZone ?? '',
  order: list?.order ?? [],
  people: list?.people ?? [],
})

/** The people on the list and their turns, for administrators: one form with one button. */
export function OnCallList({
  view,
  onChanged,
}: {
  readonly view: OnCall
  readonly onChanged: (view: OnCall | null) => void
}) {
  const words = onCallWords[language.value]
  const task = useTask()
  const [before] = useState(() => draftOf(view))
  const [draft, write] = useState(before)
  const { found: operators } = useRead<{ readonly items: readonly Operator[] }>('/operators')
  const zones = useMemo(() => timeZones(locale.value), [locale.value])
  const { people, order } = draft
  const set = (change: Partial<Draft>): void => write({ ...draft, ...change })
  const setPerson = (id: string, change: Partial<Person>): void =>
    set({ people: people.map((one) => (one.id === id ? { ...one, ...change } : one)) })
  const nameOf = (id: string): string => {
    const { name = '' } = people.find((one) => one.id === id) ?? {}
    return readable(name) ?? name
  }
  const version = view.list?.version ?? 0
  const save = (): void =>
    void task.run(async () => {
      const given = people.map(({ told: _, disabled: __, ...person }) => ({
        ...person,
        phone: numberGiven(person.phone ?? ''),
      }))
      const { timeZone, ...rest } = draft
      const zone = timeZone.trim() === '' ? {} : { timeZone: timeZone.trim() }
      onChanged(await call<OnCall>('PUT', '/on-call', { ...rest, ...zone, people: given, version }))
    })
  const add = (): void => {
    const id = crypto.randomUUID()
    const person = { id, name: '', phone: '', language: language.value, operatorId: null, told: null, disabled: false }
    set({ people: [...people, person], order: [...order, id] })
  }
  return (
    <Form onSend={save}>
      <Unsaved what={JSON.stringify(draft) === JSON.stringify(before) ? '' : words.people} />
      <Panel title={words.people}>
        {people.map(({ id, name, phone, language: spoken, operatorId, told, disabled }) => (
          <fieldset key={id} class="on-call-person on-call-form">
            <legend class="quiet">
              {disabled ? <strong class="warn">{words.disabled}</strong> : told === null ? null : <Told told={told} />}
            </legend>
            <Field
              label={words.name}
              value={name}
              required
              onInput={(event) => setPerson(id, { name: event.currentTarget.value })}
            />
            <Field
              label={words.phone}
              type="tel"
              value={phone ?? ''}
              required
              onInput={(event) => setPerson(id, { phone: event.currentTarget.value })}
            />
            <Select
              label={words.language}
              value={spoken}
              options={languageNames(spoken)}
              onPick={(code) => setPerson(id, { language: code })}
            />
            <Select
              label={words.account}
              value={operatorId ?? ''}
              options={[
                ['', words.noAccount],
                ...(operators?.items ?? []).map((one): readonly [string, string] => [one.id, one.name]),
              ]}
              onPick={(account) => setPerson(id, { operatorId: account === '' ? null : account })}
            />
            <button
              type="button"
              class="small"
              onClick={() =>
                set({ people: people.filter((one) => one.id !== id), order: order.filter((one) => one !== id) })
              }
            >
              {words.remove}
            </button>
          </fieldset>
        ))}
        <p class="quiet">
          {words.phoneHint} {words.accountHint}
        </p>
        <button type="button" onClick={add}>
          {words.add}
        </button>
      </Panel>
      <Panel title={words.turns}>
        <ol class="turns" aria-label={words.order}>
          {order.map((id, n) => (
            // Somebody may have several turns: only the place tells them apart.
            <li key={`${id} ${n}`}>
              <span>{nameOf(id)}</span>
              {n > 0 && (
                <button
                  type="button"
                  class="small"
                  aria-label={words.earlier(nameOf(id))}
                  onClick={() => set({ order: order.toSpliced(n - 1, 2, id, order[n - 1]!) })}
                >
                  ↑
                </button>
              )}
              <button
                type="button"
                class="small"
                aria-label={`${nameOf(id)}: ${words.remove}`}
                onClick={() => set({ order: order.toSpliced(n, 1) })}
              >
                ✕
              </button>
            </li>
          ))}
        </ol>
        <div class="actions">
          {people
            .filter(({ name }) => name.trim() !== '')
            .map(({ id }) => (
              <button key={id} type="button" class="small" onClick={() => set({ order: [...order, id] })}>
                {words.takesTurn(nameOf(id))}
              </button>
            ))}
        </div>
        <div class="filters on-call-form">
          <Select
            label={words.each}
            value={String(draft.everyDays)}
            options={[...new Set([...LENGTHS, draft.everyDays])].map((days) => [
              String(days),
              days === 7 ? words.eachWeek : words.eachDays(days),
            ])}
            onPick={(days) => set({ everyDays: Number(days) })}
          />
          <Field
            label={words.handOverAt}
            type="time"
            required
            value={draft.handOverAt}
            onInput={(event) => set({ handOverAt: event.currentTarget.value })}
          />
          <ComboField
            label={allTexts.value.application.timeZone}
            hint={view.list === null ? allTexts.value.application.timeZoneHint : ''}
            value={draft.timeZone}
            choices={zones}
            onPick={(timeZone) => set({ timeZone })}
          />
          <Field
            label={words.startsOn}
            type="date"
            required
            value={draft.startsOn}
            onInput={(event) => set({ startsOn: event.currentTarget.value })}
          />
          <Select
            label={words.wait}
            value={String(draft.afterMinutes)}
            options={[...new Set([...WAITS, draft.afterMinutes])].map((minutes) => [
              String(minutes),
              words.minutes(minutes),
            ])}
            onPick={(minutes) => set({ afterMinutes: Number(minutes) })}
          />
        </div>
        <div class="actions">
          <button type="submit" class="main" disabled={task.busy}>
            {allTexts.value.save}
          </button>
          {view.findings.some(({ code }) => code === 'on_call_stale') && (
            <button
              type="button"
              disabled={task.busy}
              onClick={() => void task.run(async () => onChanged(await send<OnCall>('/on-call/confirm', { version })))}
            >
              {words.right}
            </button>
          )}
        </div>
        <Problem text={task.problem} />
      </Panel>
    </Form>
  )
}

function Told({ told }: { readonly told: NonNullable<Person['told']> }) {
  const words = onCallWords[language.value]
  return told.accepted ? (
    <span>{texts.value.labelled(words.told, moment(told.at))}</span>
  ) : (
    <strong class="warn">{words.failed}</strong>
  )
}
