import { useEffect, useState } from 'preact/hooks'
import { Panel, Problem } from '../../console/parts/blocks.tsx'
import { Qr } from '../../console/parts/qr.tsx'
import { ask } from '../state/api.ts'
import { forgetEnrolment } from '../state/enrolment.ts'
import { texts } from '../state/language.ts'
import { forgetNews } from '../state/news.ts'
import { knowPhones, newPhones, PHONES, type Phone, phones, readPhones } from '../state/phones.ts'
import { shortTime } from '../state/times.ts'
import { Confirm } from './confirm.tsx'
import { useTask } from './task.ts'

/** Rejects where it was not done. */
async function done(method: string, path: string): Promise<unknown> {
  const { status, body } = await ask(method, path)
  if (status < 200 || status > 299) throw new Error(`${status}`)
  return body
}

/** Every phone that can raise an alarm in the person's name. */
export function Devices() {
  const t = texts.value
  const d = t.devices
  const [leaving, setLeaving] = useState<Phone | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const { busy, problem, run } = useTask()
  const isNew = (phone: Phone): boolean => newPhones.value.some(({ id }) => id === phone.id)
  // They are marked until the list is opened again.
  useEffect(() => void readPhones().then(knowPhones), [])
  const changes = (method: string, path: string) => void run(async () => [await done(method, path), await readPhones()])
  const remove = ({ id, isThis }: Phone) => {
    setLeaving(null)
    void run(async () => {
      await done('DELETE', `${PHONES}/${encodeURIComponent(id)}`)
      await (isThis ? forgetNews().finally(forgetEnrolment) : readPhones())
    })
  }
  const invite = () =>
    void run(async () => setLink(((await done('POST', '/v1/sdk/me/invitations')) as { readonly link: string }).link))
  return (
    <Panel title={d.title}>
      <p class="quiet">{d.what}</p>
      {phones.value === undefined && <p class="empty">{t.loading}</p>}
      {phones.value === null && <p class="quiet">{d.unavailable}</p>}
      <ul class="list">
        {phones.value?.map((phone) => (
          <li key={phone.id}>
            <p>
              <strong>{phone.name}</strong> {phone.isThis && `(${d.isThis})`}{' '}
              {isNew(phone) && (
                <>
                  <strong class="unsure">{d.isNew}</strong>
                  <br />
                  <span class="unsure">
                    {d.addedAt(shortTime(phone.enrolledAt))}. {d.namedItself}
                  </span>
                </>
              )}
              <br />
              <span class="quiet">
                {phone.removedFrom !== null
                  ? d.leaves(shortTime(phone.removedFrom))
                  : d.used(shortTime(phone.lastUsedAt ?? phone.enrolledAt))}
              </span>
            </p>
            <div class="actions">
              {phone.removedFrom === null ? (
                <button type="button" class="small" disabled={busy} onClick={() => setLeaving(phone)}>
                  {d.remove}
                  <span class="unseen">: {phone.name}</span>
                </button>
              ) : (
                <button
                  type="button"
                  class="small"
                  disabled={busy}
                  onClick={() => changes('POST', `${PHONES}/${encodeURIComponent(phone.id)}/keep`)}
                >
                  {d.keep}
                  <span class="unseen">: {phone.name}</span>
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      <Problem text={problem} />
      {phones.value != null && link === null && (
        <button type="button" disabled={busy} onClick={invite}>
          {d.add}
        </button>
      )}
      {link !== null && (
        <div class="invitation">
          <p>{d.addText}</p>
          <Qr text={link} label={link} />
          <button type="button" onClick={() => setLink(null)}>
            {t.done}
          </button>
        </div>
      )}
      {leaving !== null && (
        <Confirm
          title={d.removeSure(leaving.name)}
          yes={d.remove}
          onYes={() => remove(leaving)}
          onNo={() => setLeaving(null)}
        >
          <p>{leaving.isThis ? d.removeThis : leaving.leavesAtOnce ? d.removeNew : d.removeOther}</p>
        </Confirm>
      )}
    </Panel>
  )
}
