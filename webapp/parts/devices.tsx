import { useEffect, useState } from 'preact/hooks'
import { Panel, Problem } from '../../console/parts/blocks.tsx'
import { Qr } from '../../console/parts/qr.tsx'
import { ask } from '../state/api.ts'
import { forgetEnrolment } from '../state/enrolment.ts'
import { keep, kept } from '../state/keep.ts'
import { texts } from '../state/language.ts'
import { shortTime } from '../state/times.ts'
import { Confirm } from './confirm.tsx'
import { useTask } from './task.ts'

type Phone = {
  readonly id: string
  readonly name: string
  readonly enrolledAt: string
  readonly lastUsedAt: string | null
  readonly isThis: boolean
  readonly removedFrom: string | null
}

const PATH = '/v1/sdk/me/app-devices'

async function readPhones(): Promise<readonly Phone[] | null> {
  const { status, body } = await ask('GET', PATH)
  return status === 200 ? (body as { readonly devices: readonly Phone[] }).devices : null
}

/** Rejects where it was not done. */
async function done(method: string, path: string): Promise<unknown> {
  const { status, body } = await ask(method, path)
  if (status < 200 || status > 299) throw new Error(`${status}`)
  return body
}

/** Those that this phone did not know at the last look: somebody may have added one. */
async function newOf(phones: readonly Phone[]): Promise<ReadonlySet<string>> {
  const known = await kept<readonly string[]>('phones')
  await keep(
    'phones',
    phones.map(({ id }) => id),
  )
  return new Set(known === undefined ? [] : phones.map(({ id }) => id).filter((id) => !known.includes(id)))
}

/** Every phone that can raise an alarm in the person's name. */
export function Devices() {
  const t = texts.value
  const d = t.devices
  const [phones, setPhones] = useState<readonly Phone[] | null | undefined>(undefined)
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set())
  const [leaving, setLeaving] = useState<Phone | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const { busy, problem, run } = useTask()
  const look = async (): Promise<void> => setPhones(await readPhones())
  useEffect(() => {
    void readPhones().then(async (found) => {
      if (found !== null) setFresh(await newOf(found))
      setPhones(found)
    })
  }, [])
  const changes = (method: string, path: string) => void run(async () => [await done(method, path), await look()])
  const remove = ({ id, isThis }: Phone) => {
    setLeaving(null)
    void run(async () => {
      await done('DELETE', `${PATH}/${encodeURIComponent(id)}`)
      await (isThis ? forgetEnrolment() : look())
    })
  }
  const invite = () =>
    void run(async () => setLink(((await done('POST', '/v1/sdk/me/invitations')) as { readonly link: string }).link))
  return (
    <Panel title={d.title}>
      <p class="quiet">{d.what}</p>
      {phones === undefined && <p class="empty">{t.loading}</p>}
      {phones === null && <p class="quiet">{d.unavailable}</p>}
      <ul class="list">
        {phones?.map((phone) => (
          <li key={phone.id}>
            <p>
              <strong>{phone.name}</strong> {phone.isThis && `(${d.isThis})`}{' '}
              {fresh.has(phone.id) && !phone.isThis && <strong class="unsure">{d.isNew}</strong>}
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
                  onClick={() => changes('POST', `${PATH}/${encodeURIComponent(phone.id)}/keep`)}
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
      {phones != null && link === null && (
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
          <p>{leaving.isThis ? d.removeThis : d.removeOther}</p>
        </Confirm>
      )}
    </Panel>
  )
}
