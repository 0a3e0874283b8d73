import type { Case } from '../api/types.ts'
import { texts } from '../state/language.ts'
import { Panel } from './controls.tsx'
import { PhoneNumber } from './phone-number.tsx'
import { worded } from './wording.ts'

/** The person's entries on file. */
export function Profile({ found: { profile } }: { readonly found: Case }) {
  const t = texts.value
  const facts = Object.entries(profile ?? {}).filter(([, value]) => value !== null && String(value) !== '')
  if (facts.length === 0) return null
  return (
    <Panel title={t.profile.title}>
      <dl class="plain">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{worded(t.profile.fields, name)}</dt>
            <dd class="lines">
              {name === 'phone' ? (
                <PhoneNumber number={String(value)} />
              ) : Array.isArray(value) ? (
                value.join(', ')
              ) : (
                String(value)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
