import { useState } from 'preact/hooks'
import type { Item } from '../api/types.ts'
import { language, texts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'
import { administration } from './administration-on-demand.ts'
import { hour } from './moment.tsx'
import { onDemand } from './on-demand.tsx'

const MajorPart = onDemand(async () => (await administration()).MajorPart, 'section')

/** The way to its major incident or, by hand, into one. */
export function MajorLink({ item }: { readonly item: Item }) {
  const [asking, ask] = useState(false)
  const { title, since } = texts.value.desk.major
  if (item.major !== undefined) return <a href={`#/major/${item.major.id}`}>{since(hour(item.major.startedAt))}</a>
  if (!mayAct.value || item.closedAt !== null) return null
  return (
    <>
      <button type="button" class="small" onClick={() => ask(true)}>
        {title}
      </button>
      {asking && <MajorPart item={item} onDone={() => ask(false)} />}
    </>
  )
}

/** Exports: the report, and the trail in three forms. */
export function Exports({ incident }: { readonly incident: Item }) {
  const t = texts.value
  if (!mayAct.value) return null
  const forms = [
    [`report?language=${language.value}`, t.report],
    ['trail.gpx', 'GPX'],
    ['trail.csv', 'CSV'],
    ['export.json', 'JSON'],
  ] as const
  return (
    <p class="exports">
      {forms.map(([path, label]) => (
        <a key={path} href={`/v1/operator/incidents/${incident.incidentId}/${path}`} target="_blank" rel="noreferrer">
          {label}
        </a>
      ))}
    </p>
  )
}
