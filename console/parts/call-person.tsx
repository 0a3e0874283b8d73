import { Phone } from 'lucide'
import type { Item } from '../api/types.ts'
import { texts } from '../state/language.ts'
import { Icon } from './icon.tsx'
import { PhoneNumber } from './phone-number.tsx'

/** The number of the person, to call it: unless that gives somebody away. */
export function CallPerson({ incident: { silent, person } }: { readonly incident: Item }) {
  const t = texts.value
  if (silent)
    return (
      <p>
        <strong>{t.doNotCall}</strong>
      </p>
    )
  if (person.phone === null) return <p>{t.lacks.phone}</p>
  return (
    <a class="call" href={`tel:${person.phone}`}>
      <span>
        <Icon of={Phone} /> {t.call}
      </span>
      <strong>
        <PhoneNumber number={person.phone} />
      </strong>
    </a>
  )
}
