import { Ellipsis, type IconNode, ShieldCheck, Siren, Timer, Users } from 'lucide'
import { useEffect } from 'preact/hooks'
import { Icon } from '../console/parts/icon.tsx'
import { AppName } from './parts/app-name.tsx'
import { CallEmergency } from './parts/call.tsx'
import { ConnectionLine } from './parts/connection-line.tsx'
import { watchConnection } from './state/connection.ts'
import { lookAtBattery, lookAtPermission } from './state/device.ts'
import { enrolment, isReplacing, joining, readEnrolment } from './state/enrolment.ts'
import { language, texts } from './state/language.ts'
import { linkTo, view, views } from './state/route.ts'
import { isAlarmShown, isIdle } from './state/sos.ts'
import { keepOffline } from './state/worker.ts'
import { AlarmView } from './views/alarm.tsx'
import { Contacts } from './views/contacts.tsx'
import { Home } from './views/home.tsx'
import { Join, NotJoined } from './views/join.tsx'
import { More } from './views/more.tsx'
import { Ready } from './views/ready.tsx'
import { SetUp } from './views/set-up.tsx'
import { Timers } from './views/timers.tsx'

/** The colour, manifest and icons of the application. */
function dress(): void {
  const application = enrolment.value?.application
  const { head, documentElement } = document
  documentElement.style.setProperty('--brand', application?.colour ?? 'transparent')
  if (application === undefined) return
  document.title = application.name
  for (const [rel, file] of [
    ['manifest', 'manifest.webmanifest'],
    ['icon', 'icon.svg'],
    ['apple-touch-icon', 'icon-180.png'],
  ] as const) {
    const link = head.querySelector<HTMLLinkElement>(`link[rel="${rel}"]`) ?? document.createElement('link')
    link.rel = rel
    link.href = `/app/${file}?app=${encodeURIComponent(application.id)}`
    head.append(link)
  }
}

const viewOf = { home: Home, timers: Timers, contacts: Contacts, ready: Ready, more: More }
const iconOf: Readonly<Record<keyof typeof viewOf, IconNode>> = {
  ...{ home: Siren, timers: Timer, contacts: Users, ready: ShieldCheck, more: Ellipsis },
}

function Frame() {
  const t = texts.value
  const View = viewOf[view.value]
  return (
    <>
      <header>
        <AppName />
      </header>
      <main>
        <View />
      </main>
      <footer>
        <ConnectionLine />
        <nav aria-label={t.navigation}>
          {views.map((one) => (
            <a key={one} href={linkTo(one)} aria-current={one === view.value ? 'page' : undefined}>
              <Icon of={iconOf[one]} />
              {t.views[one]}
            </a>
          ))}
        </nav>
      </footer>
    </>
  )
}

/** An alarm has the screen before everything else. */
export function App() {
  useEffect(() => {
    void readEnrolment().then(watchConnection)
    void lookAtPermission()
    void lookAtBattery()
    keepOffline(isIdle)
  }, [])
  useEffect(() => {
    document.documentElement.lang = language.value
  }, [language.value])
  useEffect(dress, [enrolment.value?.application])
  const own = enrolment.value
  // A browser whose storage hangs never gets further.
  if (own === undefined)
    return (
      <main>
        <p class="empty">{texts.value.loading}</p>
        <CallEmergency />
      </main>
    )
  if (own !== null && isAlarmShown.value) return <AlarmView />
  // A link that somebody sends must not take the button away: a phone that is set up asks beside it.
  if (joining.value !== null && (own?.setUp !== null || isReplacing.value)) return <Join {...joining.value} />
  if (own === null) return <NotJoined />
  return own.setUp === null ? <Frame /> : <SetUp step={own.setUp} />
}
