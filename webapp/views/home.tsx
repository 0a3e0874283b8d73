import { useState } from 'preact/hooks'
import { CallEmergency } from '../parts/call.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { ErasureNotice } from '../parts/erase-me.tsx'
import { InsecureNotice } from '../parts/insecure.tsx'
import { OpenedInvitation } from '../parts/opened-invitation.tsx'
import { SosButton } from '../parts/sos-button.tsx'
import { connection } from '../state/connection.ts'
import { forgetEnrolment, joining } from '../state/enrolment.ts'
import { texts } from '../state/language.ts'
import { forgetNews } from '../state/news.ts'
import { newPhones } from '../state/phones.ts'
import { linkTo } from '../state/route.ts'
import { press } from '../state/sos.ts'
import { shortTime } from '../state/times.ts'

/** The service no longer knows this phone: an alarm from here would reach nobody. */
function Lost() {
  const t = texts.value.lost
  const [asks, setAsks] = useState(false)
  return (
    <section class="notice bad" role="alert">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      <button type="button" onClick={() => setAsks(true)}>
        {t.leave}
      </button>
      {asks && (
        <Confirm
          title={t.leaveSure}
          yes={t.leave}
          onYes={() => void forgetNews().finally(forgetEnrolment)}
          onNo={() => setAsks(false)}
        />
      )}
    </section>
  )
}

/**
 * Somebody with this phone in hand for a minute can add another: every phone of the person says so. By its time: its
 * name is what that somebody has called it.
 */
function NewPhones() {
  const times = new Set(newPhones.value.map(({ enrolledAt }) => shortTime(enrolledAt)))
  if (times.size === 0) return null
  return (
    <section class="notice bad">
      <p>{texts.value.devices.added([...times].join(', '))}</p>
      <a class="button" href={linkTo('more')}>
        {texts.value.devices.title}
      </a>
    </section>
  )
}

/** The button, always in the same place. It works whatever the look at the connection found. */
export const Home = () => (
  <div class="home">
    <SosButton onPress={() => void press(false)} />
    {joining.value !== null && <OpenedInvitation />}
    {connection.value.kind === 'refused' && <Lost />}
    <NewPhones />
    <ErasureNotice />
    <CallEmergency />
    <InsecureNotice />
  </div>
)
