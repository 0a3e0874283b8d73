import { useEffect, useState } from 'preact/hooks'
import { Field, Form, Problem } from '../../console/parts/blocks.tsx'
import { About } from '../parts/about.tsx'
import { CallEmergency } from '../parts/call.tsx'
import { LanguagePicker } from '../parts/language-picker.tsx'
import { OpenedInvitation } from '../parts/opened-invitation.tsx'
import { useTask } from '../parts/task.ts'
import { ask } from '../state/api.ts'
import {
  type Application,
  enrolment,
  isReplacing,
  type Joining,
  keepEnrolment,
  stopJoining,
} from '../state/enrolment.ts'
import { texts } from '../state/language.ts'
import { forgetNews } from '../state/news.ts'

type Seen = { readonly application: Application; readonly kind: 'person' | 'poster' | 'contact' | 'device' }
type Enrolled = {
  readonly appId: string
  readonly userId: string
  readonly deviceId: string
  readonly credential: string
  readonly proposedContact?: { readonly name: string; readonly phone: string } | null
}

/** Until an invitation is opened, there is nobody to alarm anyone for. */
export const NotJoined = () => (
  <main>
    <h1>SOS</h1>
    <p>{texts.value.join.notJoined}</p>
    <p>
      <CallEmergency />
    </p>
    <LanguagePicker />
  </main>
)

/** Before anything is stored: the inviter, and what the app is and is not. */
export function Join({ invitation, key }: Joining) {
  const t = texts.value
  const j = t.join
  const [seen, setSeen] = useState<Seen | null | undefined>(undefined)
  const [name, setName] = useState(j.deviceDefault)
  const isSetUp = enrolment.value != null
  const { busy, problem, run, setProblem } = useTask()
  const look = async (): Promise<void> => {
    setProblem(null)
    const { status, body } = await ask('POST', '/v1/app/invitations/look', { invitation })
    if (status === 200) setSeen(body as Seen)
    else if (status === 404 || status === 400) setSeen(null)
    else setProblem(status === 0 ? t.noAnswer : t.failed)
  }
  useEffect(() => void look(), [])
  const enrol = () =>
    void run(async () => {
      // Asked for on a user gesture, so that the browser keeps the storage.
      void navigator.storage?.persist?.()
      const { status, body, retryAfterS } = await ask('POST', '/v1/app/enrolments', {
        invitation,
        key,
        deviceName: name.trim() || j.deviceDefault,
      })
      if (status === 429) return setProblem(j.busy(Math.max(1, Math.ceil(retryAfterS / 60))))
      if (status === 404) return setSeen(null)
      if (status === 409) return setProblem(j.tooMany)
      if (status !== 201 && status !== 200) return setProblem(status === 0 ? t.noAnswer : t.failed)
      const { appId, userId, deviceId, credential, proposedContact: proposed = null } = body as Enrolled
      const { application, kind } = seen!
      // A further phone of somebody who is set up needs neither name nor contacts.
      const setUp = kind === 'device' ? ('position' as const) : ('you' as const)
      if (!(await keepEnrolment({ appId, userId, deviceId, credential, application, proposed, setUp })))
        return setProblem(j.notKept)
      await stopJoining()
      // The person set up here before may have wanted it.
      await forgetNews().catch(() => {})
    })

  if (seen === null)
    return (
      <main>
        <h1>SOS</h1>
        <p class="notice bad">{j.unknown}</p>
        <button type="button" onClick={() => void stopJoining()}>
          {t.cancel}
        </button>
      </main>
    )
  return (
    <main>
      <h1>{seen === undefined ? 'SOS' : j.title(seen.application.name)}</h1>
      <About />
      {seen === undefined && problem === null && <p class="empty">{t.loading}</p>}
      {seen === undefined && problem !== null && (
        <>
          <Problem text={problem} />
          <button type="button" onClick={() => void look()}>
            {t.next}
          </button>
        </>
      )}
      {isSetUp && !isReplacing.value && <OpenedInvitation />}
      {seen !== undefined && (!isSetUp || isReplacing.value) && (
        <Form onSend={enrol}>
          {seen.kind === 'device' && <p class="notice bad">{j.isFurther}</p>}
          <Field
            label={j.device}
            hint={j.deviceHint}
            value={name}
            required
            maxLength={60}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <Problem text={problem} />
          <button type="submit" class="main wide" disabled={busy}>
            {j.begin}
          </button>
        </Form>
      )}
      {isReplacing.value && (
        <button type="button" onClick={() => void stopJoining()}>
          {t.cancel}
        </button>
      )}
      <p>
        <CallEmergency />
      </p>
      <LanguagePicker />
    </main>
  )
}
