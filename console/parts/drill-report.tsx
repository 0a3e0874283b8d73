import { useEffect, useState } from 'preact/hooks'
import type { DrillReport } from '../api/types.ts'
import { readable } from '../logic/plain-text.ts'
import { failureText } from '../logic/service-words.ts'
import { texts } from '../state/language.ts'
import { Panel, Problem } from './controls.tsx'
import { Table, useRead } from './listing.tsx'

type Way = DrillReport['integrations'][number]

/** One channel to a contact: how it went, how long it took, and why it failed. */
function WayLine({ way: { channel, status, error, afterSeconds } }: { readonly way: Way }) {
  const t = texts.value
  return (
    <span class={`s-${status}`}>
      {t.labelled(t.channels[channel] ?? channel, t.statuses[status] ?? status)}
      {afterSeconds !== null && `, ${t.drills.after(afterSeconds)}`}
      {error !== null && ` (${failureText(error, t)})`}
    </span>
  )
}

const Ways = ({ ways }: { readonly ways: readonly Way[] }) => (
  <ul>
    {ways.map((way) => (
      <li key={way.channel}>
        <WayLine way={way} />
      </li>
    ))}
  </ul>
)

function answerOf({ answer }: DrillReport['contacts'][number]): string {
  const t = texts.value
  if (answer === null) return t.drills.noAnswer
  return answer === 'coming' ? t.comingIn(0) : (t.responses[answer] ?? answer)
}

/** Answers to an exercise, their delays, and failures. `version`: of the incident; a new one reads the report again. */
export function DrillReportView({ id, version }: { readonly id: string; readonly version: number }) {
  const { drills: t, labelled } = texts.value
  const { found, problem, again } = useRead<DrillReport>(`/drills/${id}`)
  const [reported, reports] = useState(version)
  useEffect(() => {
    if (version === reported) return
    reports(version)
    again()
  }, [version])
  if (found === null) return <Problem text={problem} />
  return (
    <Panel title={t.report} class="wide">
      <p>
        {found.toContacts ? t.toPhones : t.toTheOutbox} · {labelled(t.firstAnswer, t.after(found.firstAnswerSeconds))} ·{' '}
        {labelled(t.failed, found.failed === 0 ? t.nothing : String(found.failed))}
        {found.overtaken && ` · ${t.overtaken}`}
      </p>
      <Table
        label={t.report}
        items={found.contacts}
        columns={[
          [texts.value.history.person, ({ name }) => readable(name) ?? texts.value.somebody],
          [t.answer, answerOf],
          [t.firstAnswer, ({ answer, afterSeconds }) => answer !== null && t.after(afterSeconds)],
          [t.ways, ({ channels }) => <Ways ways={channels} />],
        ]}
      />
      {found.integrations.length > 0 && <Ways ways={found.integrations} />}
    </Panel>
  )
}
