import { Empty, Panel, Problem } from '../../console/parts/blocks.tsx'
import { ContactForm } from '../parts/contact-form.tsx'
import { ContactList } from '../parts/contact-list.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { texts } from '../state/language.ts'
import { sdk } from '../state/sos.ts'

export function Contacts() {
  const t = texts.value
  const { value, failed, again } = useLoaded(() => sdk().contacts.list())
  return (
    <>
      <Panel title={t.contacts.title}>
        {value === null && !failed && <Empty>{t.loading}</Empty>}
        {failed && <Problem text={t.line.none} />}
        {value?.length === 0 && <p class="notice bad">{t.contacts.none}</p>}
        {value !== null && value.length > 0 && (
          <>
            <p class="quiet">{t.contacts.what}</p>
            <ContactList contacts={value} onChange={again} />
          </>
        )}
      </Panel>
      <Panel title={t.contacts.add}>
        <ContactForm onAdded={() => void again()} />
      </Panel>
    </>
  )
}
