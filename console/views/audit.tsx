import { useId, useState } from 'preact/hooks'
import type { AuditRow, Listed, Operator } from '../api/types.ts'
import { type AuditGroup, auditGroupOf, auditGroups } from '../logic/audit-groups.ts'
import { named } from '../logic/choice.ts'
import { countries } from '../logic/countries.ts'
import { userHash } from '../logic/route.ts'
import { useApplications } from '../parts/applications.tsx'
import { Field, Form, languageName, Panel, Select } from '../parts/controls.tsx'
import { fieldNames } from '../parts/field-problems.ts'
import { Listing, useRead } from '../parts/listing.tsx'
import { Moment, moment } from '../parts/moment.tsx'
import { allTexts, language, locale, texts } from '../state/language.ts'

/** As the service names them (`core/operator/audit.ts`). */
const COMMAND = 'command line'
const OWN_APP = "the user's app"

const NOTHING = { text: '', actor: '', action: '', app: '', from: '', to: '' }
type Asked = typeof NOTHING

/** Days in the local time zone; `to` includes the whole day. */
function queryOf({ from, to, ...words }: Asked): string {
  const end = to === '' ? null : new Date(`${to}T00:00`)
  end?.setDate(end.getDate() + 1)
  const given = {
    ...words,
    from: from === '' ? '' : new Date(`${from}T00:00`).toISOString(),
    to: end?.toISOString() ?? '',
  }
  return Object.entries(given)
    .filter(([, value]) => value.trim() !== '')
    .map(([name, value]) => `&${name}=${encodeURIComponent(value.trim())}`)
    .join('')
}

/** What was done in words, with its name in the API below. */
function Done({ action }: Pick<AuditRow, 'action'>) {
  const words: Readonly<Record<string, string>> = allTexts.value.audited.actions
  return Object.hasOwn(words, action) ? (
    <>
      {words[action]}
      <br />
      <small class="quiet">
        <code>{action}</code>
      </small>
    </>
  ) : (
    <code>{action}</code>
  )
}

/** Who did it: the service names programs in English. */
function actorOf({ actor: { kind, name } }: AuditRow): string {
  const { audit: t, audited } = allTexts.value
  if (kind !== 'command') return name
  return name === OWN_APP ? audited.ownApp : name === COMMAND ? t.command : name
}

/** One value of a detail in words, as far as it has any. */
function wordOf(name: string, value: unknown): string {
  const t = allTexts.value
  const text = String(value)
  if (value === false) return t.audited.no
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return moment(value)
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    ...{
      fields: { ...t.audited.details, ...fieldNames(), ...t.site.labels },
      section: t.site.sections,
      channel: t.channels,
    },
    ...{ role: t.roles, kind: t.invitations.kinds, for: t.audited.actions },
  }
  const ofName = words[name] ?? t.audited.values
  const key = text.replaceAll(' ', '_')
  return (
    (Object.hasOwn(ofName, key) ? ofName[key] : undefined) ??
    (name === 'language'
      ? languageName(text, language.value)
      : name === 'country'
        ? (named(countries(locale.value), text)?.name ?? text)
        : text)
  )
}

/** Whatever else a row says. Of a switch that is on, its name says all. */
const detailsOf = ({ subject, details }: AuditRow): string =>
  [
    subject,
    ...Object.entries(details).map(([name, value]) => {
      const said = allTexts.value.audited.details[name] ?? name
      if (value === true) return said
      const values = [value].flat().map((one) => (one === null ? '–' : wordOf(name, one)))
      return name === 'change' ? values.join(', ') : texts.value.labelled(said, values.join(', '))
    }),
  ]
    .filter(Boolean)
    .join(' · ')

/** What was done: a whole group of actions, or one. */
function Action({ value, onPick }: { readonly value: string; readonly onPick: (value: string) => void }) {
  const { system, audit: t, audited } = allTexts.value
  const id = useId()
  const actions = Object.entries(audited.actions)
  return (
    <div class="field">
      <label for={id}>{system.what}</label>
      <select id={id} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        <option value="">{t.all}</option>
        {(Object.keys(auditGroups) as AuditGroup[]).map((group) => (
          <optgroup key={group} label={audited.groups[group]}>
            <option value={auditGroups[group].join(',')}>{audited.all(audited.groups[group])}</option>
            {actions
              .filter(([action]) => auditGroupOf(action) === group)
              .map(([action, words]) => (
                <option key={action} value={action}>
                  {words}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </div>
  )
}

/** The audit log, filtered by person, action, application, day and text. */
export function Audit() {
  const t = allTexts.value.system
  const own = allTexts.value.audit
  const operators = useRead<Listed<Operator>>('/operators').found?.items ?? []
  const applications = useApplications()
  const [given, set] = useState<Asked>(NOTHING)
  const [asked, ask] = useState<Asked>(NOTHING)
  const field = (name: keyof Asked) => ({
    value: given[name],
    onInput: (event: { currentTarget: HTMLInputElement }) => set({ ...given, [name]: event.currentTarget.value }),
  })
  const pick = (name: keyof Asked) => ({
    value: given[name],
    onPick: (value: string) => set({ ...given, [name]: value }),
  })
  const all = ['', own.all] as const
  return (
    <Panel title={t.audit}>
      <Form class="filters" onSend={() => ask(given)}>
        <Field label={own.text} type="search" {...field('text')} />
        <Select
          label={t.who}
          options={[
            all,
            ...operators.map(({ id, name }) => [id, name] as const),
            ['command', own.command],
            ['stranger', own.stranger],
          ]}
          {...pick('actor')}
        />
        <Action {...pick('action')} />
        <Select
          label={allTexts.value.settings.application}
          options={[all, ...applications.map(({ applicationId, name }) => [applicationId, name] as const)]}
          {...pick('app')}
        />
        <Field label={allTexts.value.history.from} type="date" {...field('from')} />
        <Field label={allTexts.value.history.to} type="date" {...field('to')} />
        <button type="submit" class="main">
          {allTexts.value.search}
        </button>
      </Form>
      <Listing<AuditRow>
        path={`/audit?limit=50${queryOf(asked)}`}
        label={t.audit}
        columns={[
          [t.at, ({ at }) => <Moment at={at} />],
          [t.who, actorOf],
          [t.what, Done],
          [
            t.about,
            (row) => (
              // Not the title of its card on a phone.
              <span>
                {row.userId !== null && <a href={userHash(row.userId)}>{allTexts.value.audited.person}</a>}{' '}
                {detailsOf(row)}
              </span>
            ),
          ],
          [t.address, ({ address }) => address],
        ]}
      />
    </Panel>
  )
}
