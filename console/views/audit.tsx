import { useState } from 'preact/hooks'
import type { AuditRow, Listed, Operator } from '../api/types.ts'
import { useApplications } from '../parts/applications.tsx'
import { Field, Form, Panel, Select } from '../parts/controls.tsx'
import { Listing, useRead } from '../parts/listing.tsx'
import { Moment } from '../parts/moment.tsx'
import { allTexts } from '../state/language.ts'

/** The prefixes of actions, and the actions searched for individually. */
const kinds = [
  'incident.',
  'incident.view',
  'application.',
  'actuator.',
  'user.',
  'device.',
  'operator.',
  'token.',
  'session.',
  'session.refused',
  'node.',
  'clock.',
  'backup.',
] as const

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

const detailsOf = ({ subject, details }: AuditRow): string =>
  [subject, ...Object.entries(details).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)]
    .filter(Boolean)
    .join(' · ')

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
        <Select label={t.what} options={[all, ...kinds.map((kind) => [kind, kind] as const)]} {...pick('action')} />
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
          [t.who, ({ actor }) => actor.name ?? actor.kind],
          [t.what, ({ action }) => <code>{action}</code>],
          [t.about, (row) => detailsOf(row)],
          [t.address, ({ address }) => address],
        ]}
      />
    </Panel>
  )
}
