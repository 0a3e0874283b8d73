import { useEffect, useState } from 'preact/hooks'
import type { Listed, UserReadiness } from '../api/types.ts'
import { allTexts, language } from '../state/language.ts'
import { Panel, Problem } from './controls.tsx'
import { useRead } from './listing.tsx'

const shapes = { ready: '✓', attention: '▲', not_ready: '✕' } as const
const looks = { ready: 'good', attention: 'attention', not_ready: 'not-ready' } as const

export const Readiness = ({ status }: Pick<UserReadiness, 'status'>) => (
  <strong class={looks[status]}>
    <span aria-hidden="true">{shapes[status]}</span> {allTexts.value.readiness.statuses[status]}
  </strong>
)

/** The findings, the worst first, each with the advice that the person reads. */
export const Findings = ({ findings }: Pick<UserReadiness, 'findings'>) => (
  <ul class="findings">
    {findings.map(({ code, contactId, blocking, text, remedy }) => (
      <li key={`${code}${contactId}`} class={blocking ? 'not-ready' : ''}>
        <span aria-hidden="true">{blocking ? '✕' : '▲'}</span> {text} <small>{remedy}</small>
      </li>
    ))}
  </ul>
)

/** Of one person. Read again in another language, which the service speaks. */
export function PersonReadiness({ id }: { readonly id: string }) {
  const t = allTexts.value.readiness
  const { found, problem, again } = useRead<UserReadiness>(`/users/${id}/readiness`)
  const [spoken, speaks] = useState(language.value)
  useEffect(() => {
    if (spoken === language.value) return
    speaks(language.value)
    again()
  }, [language.value])
  if (found === null) return <Problem text={problem} />
  return (
    <>
      <p>
        <Readiness status={found.status} />
      </p>
      <Findings findings={found.findings} />
      {found.findings.length > 0 && <p class="quiet">{t.inTheirWords}</p>}
    </>
  )
}

/** Maximum number of users in one summary: each takes some reads. */
const LOOKED_AT = 50

/** The number of an application's users who could not be helped. */
export function ApplicationReadiness({ id }: { readonly id: string }) {
  const t = allTexts.value.readiness
  const { found, problem } = useRead<Listed<UserReadiness>>(`/readiness?app=${id}&limit=${LOOKED_AT}`)
  const count = (status: UserReadiness['status']): number =>
    found?.items.filter((one) => one.status === status).length ?? 0
  return (
    <Panel title={t.title}>
      <Problem text={problem} />
      {found !== null && (
        <dl class="plain">
          {(['not_ready', 'attention', 'ready'] as const).map((status) => (
            <div key={status}>
              <dt>
                <Readiness status={status} />
              </dt>
              <dd>{count(status)}</dd>
            </div>
          ))}
        </dl>
      )}
      {found?.hasMore === true && <p class="quiet">{t.ofFirst(found.items.length)}</p>}
      <p>
        <a href={`#/readiness/${id}`}>{t.heading}</a>
      </p>
    </Panel>
  )
}
