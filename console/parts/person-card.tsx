import { useState } from 'preact/hooks'
import { cardRows } from '../../src/core/account/card-words.ts'
import { call } from '../api/client.ts'
import type { ShownCard } from '../api/types.ts'
import { language, texts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'
import { Panel, Problem } from './controls.tsx'
import { ago } from './moment.tsx'
import { useTask } from './task.ts'

/** The person's card for helpers. Fetched when somebody presses, because each look is in the audit log. */
export function PersonCard({ incidentId, hasCard }: { readonly incidentId: string; readonly hasCard: boolean }) {
  const t = texts.value.card
  const task = useTask()
  const [shown, show] = useState<ShownCard | null>(null)
  if (!hasCard || !mayAct.value) return null
  const look = (): void =>
    void task.run(async () => show(await call<ShownCard>('POST', `/incidents/${incidentId}/card`, {})))
  return (
    <Panel title={t.title}>
      {shown === null ? (
        <>
          <p class="hint">{t.noted}</p>
          <button type="button" disabled={task.busy} onClick={look}>
            {t.show}
          </button>
        </>
      ) : (
        <>
          <dl class="plain written">
            {cardRows(language.value, shown).map(({ name, label, text }) => (
              <div key={name}>
                <dt>{label}</dt>
                <dd>
                  <bdi>{text}</bdi>
                </dd>
              </div>
            ))}
          </dl>
          <small class="quiet">{t.written(ago(shown.updatedAt))}</small>
        </>
      )}
      <Problem text={task.problem} />
    </Panel>
  )
}
