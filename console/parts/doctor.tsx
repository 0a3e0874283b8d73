import { useState } from 'preact/hooks'
import { read } from '../api/client.ts'
import type { Doctor } from '../api/types.ts'
import { allTexts } from '../state/language.ts'
import { Panel, Problem } from './controls.tsx'
import { Moment } from './moment.tsx'
import { useTask } from './task.ts'

const marks = { fine: '✓', attention: '!', failed: '✕' } as const
const classes = { fine: 'good', attention: '', failed: 'error' } as const

/** The findings of `tocsin doctor`. Only on request: it writes to the disk and connects to the providers. */
export function DoctorPanel() {
  const t = allTexts.value.doctor
  const [found, set] = useState<Doctor | null>(null)
  const task = useTask()
  const examine = (): void => void task.run(async () => set(await read<Doctor>('/doctor')))
  return (
    <Panel title={t.title}>
      <p>{t.explained}</p>
      <button type="button" disabled={task.busy} onClick={examine}>
        {task.busy ? t.busy : t.examine}
      </button>
      <Problem text={task.problem} />
      {found !== null && (
        <div role="status">
          <p class={classes[found.level]}>
            {marks[found.level]} {t.levels[found.level]} (<Moment at={found.examinedAt} />)
          </p>
          <ul class="lacks">
            {found.rows.map(({ id, title, level, says, remedy }) => (
              <li key={`${id} ${says}`}>
                <strong class={classes[level]}>
                  {marks[level]} {t.probes[id] ?? title}
                </strong>
                <br />
                <small class="quiet" lang="en">
                  {says}
                  {remedy !== null && (
                    <>
                      <br />→ {remedy}
                    </>
                  )}
                </small>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  )
}
