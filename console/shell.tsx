import { effect, signal, untracked } from '@preact/signals'
import { ChevronUp, CircleUserRound, TriangleAlert } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import { stream } from './api/stream.ts'
import { LOST_AFTER_MS } from './logic/alarm.ts'
import { queryOf } from './logic/board-filter.ts'
import { hashOf, type Route } from './logic/route.ts'
import { administration } from './parts/administration-on-demand.ts'
import { AlarmBar } from './parts/alarm-bar.tsx'
import { Problem, Select } from './parts/controls.tsx'
import { useHeightAs } from './parts/height.ts'
import { Icon } from './parts/icon.tsx'
import { Keys, openHelp, SkipLink } from './parts/keys.tsx'
import { moment } from './parts/moment.tsx'
import { Brand, Navigation, useMenu } from './parts/navigation.tsx'
import { onDemand } from './parts/on-demand.tsx'
import { ShiftNewsBar } from './parts/shift-news.tsx'
import { countInTab } from './parts/tab.ts'
import { newsText, personOf, standingText } from './parts/urgency.tsx'
import { soundBlocked } from './sound.ts'
import { armAgain, armed, keepSounding, rings, unattended } from './state/alarm.ts'
import { anyDrill, changedAlarm, keepBoard, open, openCount } from './state/board.ts'
import { keepCases } from './state/cases.ts'
import { browserClockWrong, browserNow } from './state/clock.ts'
import { filter } from './state/filter.ts'
import { firstSteps } from './state/first-steps.ts'
import { ableAdministrators, clockDoubted, outboxOnly, watchHealth } from './state/health.ts'
import { language, languages, speak, texts } from './state/language.ts'
import { narrow } from './state/narrow.ts'
import { route } from './state/route.ts'
import { maySetUp, me, signOut, tokenEndsAt } from './state/session.ts'
import { keepSetupNews, setupNews } from './state/setup-news.ts'
import { keepShift } from './state/shift.ts'
import { keepSending, refused } from './state/written.ts'
import { Board } from './views/board.tsx'
import { History } from './views/history.tsx'
import { Incident } from './views/incident.tsx'
import { Wall } from './views/wall.tsx'

const ApplicationView = onDemand(async () => (await administration()).ApplicationView)
const Account = onDemand(async () => (await administration()).Account)
const Exercises = onDemand(async () => (await administration()).Exercises)
const MajorView = onDemand(async () => (await administration()).MajorView)
const OnCallView = onDemand(async () => (await administration()).OnCallView)
const ReadinessView = onDemand(async () => (await administration()).ReadinessView)
const Settings = onDemand(async () => (await administration()).Settings)
const SetupNewsBar = onDemand(async () => (await administration()).SetupNewsBar, 'section')
const Site = onDemand(async () => (await administration()).Site)
const Start = onDemand(async () => (await administration()).Start)
const System = onDemand(async () => (await administration()).System)
const TrackerView = onDemand(async () => (await administration()).TrackerView)
const Trackers = onDemand(async () => (await administration()).Trackers)
const Users = onDemand(async () => (await administration()).Users)
const UserView = onDemand(async () => (await administration()).UserView)

/** What a wall screen does not need: from the first other view on. Returns a function that stops it. */
function keepDesk(): () => void {
  const ends: (() => void)[] = []
  const begin = effect(() => {
    if (route.value.view !== 'wall' && ends.length === 0) untracked(() => ends.push(keepSetupNews(), keepShift()))
  })
  return () => {
    for (const end of [begin, ...ends]) end()
  }
}

/** Everything behind the sign-in: the views, and the watch over the stream and the sound. */
export function Shell() {
  useEffect(() => {
    const life = new AbortController()
    keepBoard(life.signal)
    armAgain()
    const ends = [
      keepSounding(),
      watchHealth(),
      keepSending(),
      keepCases(),
      keepDesk(),
      effect(() => countInTab(openCount.value, unattended.value, texts.value.title)),
    ]
    return () => {
      life.abort()
      for (const end of ends) end()
    }
  }, [])
  const head = useHeightAs<HTMLDivElement>('--head')
  const { value: at } = route
  const isWall = at.view === 'wall'
  return (
    <div class={isWall ? 'shell on-wall' : 'shell'}>
      {!isWall && <SkipLink />}
      {!isWall && <Keys />}
      {!isWall && <Navigation />}
      <div ref={head} class="head">
        {!isWall && <Top />}
        {(isWall || narrow.value) && <Banners />}
        {!isWall && maySetUp.value && setupNews.value.length > 0 && <SetupNewsBar />}
        {!isWall && <ShiftNewsBar />}
      </div>
      <Announcement />
      {isWall ? <Wall /> : <View at={at} />}
    </div>
  )
}

function View({ at }: { readonly at: Route }) {
  switch (at.view) {
    case 'incident':
      return <Incident key={at.id} id={at.id} />
    case 'major':
      return <MajorView key={at.id} id={at.id} />
    case 'history':
      return <History />
    case 'exercises':
      return <Exercises />
    case 'users':
      return <Users />
    case 'user':
      return <UserView key={at.id} id={at.id} />
    case 'readiness':
      return <ReadinessView key={at.app} app={at.app} />
    case 'onCall':
      return <OnCallView />
    case 'trackers':
      return <Trackers />
    case 'tracker':
      return <TrackerView key={`${at.applicationId} ${at.hardwareId}`} {...at} />
    case 'settings':
      return <Settings />
    case 'site':
      return <Site />
    case 'application':
      return <ApplicationView key={at.id} id={at.id} />
    case 'system':
      return <System />
    case 'account':
      return <Account />
    case 'start':
      return <Start />
    default:
      return <Board />
  }
}

/** Above every view: warnings, sound, and who is signed in. */
function Top() {
  const t = texts.value
  const menu = useMenu()
  const [isStillIn, tell] = useState(false)
  return (
    <header class="top">
      {narrow.value ? <Brand /> : <Banners />}
      <AlarmBar />
      <details ref={menu} class="account">
        <summary>
          <Icon of={CircleUserRound} />
          <span class={narrow.value ? 'unseen' : undefined}>{me.value?.name}</span>
        </summary>
        <div class="menu">
          <p class="quiet">{t.roles[me.value?.role ?? 'viewer']}</p>
          <Select
            label={t.language}
            value={language.value}
            options={languages.map((code) => [
              code,
              new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code,
            ])}
            onPick={(code) => void speak(code as typeof language.value)}
          />
          <a href="#/account">{t.views.account}</a>
          <a href={`#/wall${queryOf(filter.value)}`}>{t.views.wall}</a>
          <button type="button" onClick={openHelp}>
            {t.desk.keys.title}
          </button>
          {maySetUp.value && firstSteps.value?.done !== true && <a href="#/start">{t.views.start}</a>}
          <button type="button" onClick={() => void signOut().then((isOut) => tell(!isOut))}>
            {t.signOut}
          </button>
          <Problem text={isStillIn ? t.notSignedOut : null} />
        </div>
      </details>
    </header>
  )
}

/** A connection that takes longer than this is mentioned. */
const SLOW_MS = 2000

/** The people whose alarms have notes that the service refused. */
const refusedOf = (): string =>
  [...new Set(refused.value.map(({ incidentId }) => incidentId))]
    .map((id) => {
      const item = open.value.find(({ incidentId }) => incidentId === id)
      return item === undefined ? id.slice(0, 8) : personOf(item)
    })
    .join(', ')

/** With the next step of an operator who cannot set up a provider. */
function outboxText(): string {
  const t = texts.value.banner
  return maySetUp.value ? t.outboxOnly : `${t.outboxOnly} ${t.askAdministrator(ableAdministrators.value.join(', '))}`
}

type Warning = {
  readonly name: 'bad now' | 'bad' | 'warn' | 'drill'
  readonly text: string
  /** Once somebody has read it. Absent: it stays as long as it lasts. */
  readonly short?: string
  readonly leads?: boolean
}

/** Everything that endangers alarms, most dangerous first. */
function warnings(): readonly Warning[] {
  const { banner: t, short } = texts.value
  const { live, lastHeardAt } = stream.value
  const silentMs = lastHeardAt === null ? 0 : browserNow.value - lastHeardAt
  const all: readonly (Warning | false)[] = [
    silentMs > (live ? LOST_AFTER_MS : SLOW_MS) && { name: 'bad now', text: t.lost(Math.floor(silentMs / 1000)) },
    armed.value && soundBlocked.value && { name: 'bad now', text: t.soundBlocked },
    outboxOnly.value && { name: 'bad', text: outboxText(), short: short.outboxOnly, leads: maySetUp.value },
    clockDoubted.value && { name: 'warn', text: t.clockDoubted, short: short.clockDoubted },
    browserClockWrong.value && { name: 'warn', text: t.browserClock, short: short.browserClock },
    tokenEndsAt.value !== null && {
      name: 'warn',
      text: t.tokenEnds(moment(tokenEndsAt.value)),
      short: short.token,
    },
    refused.value.length > 0 && { name: 'bad', text: texts.value.notSavedOf(refusedOf()), short: short.refused },
    anyDrill.value && { name: 'drill', text: t.drill, short: short.drill },
  ]
  return all.filter((warning) => warning !== false)
}

/** Warnings that somebody has folded (on a phone: unfolded), by their text: another text is another warning. */
const turned = signal<ReadonlySet<string>>(new Set())
const toggle = (text: string): void => {
  const next = new Set(turned.peek())
  if (!next.delete(text)) next.add(text)
  turned.value = next
}

/** A wall screen has nobody who would fold or unfold anything; a phone has no room for more than the short form. */
function Banners() {
  const t = texts.value
  const isWall = route.value.view === 'wall'
  const isFoldedFirst = narrow.value && !isWall
  return (
    <aside class="banners" aria-label={t.warnings}>
      {warnings().map(({ name, text, short, leads = false }) =>
        short !== undefined && turned.value.has(text) !== isFoldedFirst ? (
          <button key={text} type="button" class={`pill ${name}`} title={text} onClick={() => toggle(text)}>
            <Icon of={TriangleAlert} />
            {short}
          </button>
        ) : (
          <p key={text} class={`banner ${name}`}>
            <span>
              {text} {leads && <a href={hashOf('site')}>{t.banner.setUp}</a>}
            </span>
            {short !== undefined && !isWall && (
              <button
                type="button"
                class="fold"
                aria-label={t.short.fold}
                title={t.short.fold}
                onClick={() => toggle(text)}
              >
                <Icon of={ChevronUp} />
              </button>
            )}
          </p>
        ),
      )}
    </aside>
  )
}

/** The one assertive region: only what must be announced now. */
function Announcement() {
  const t = texts.value
  const item = changedAlarm.value
  const said =
    rings.value === 'lost'
      ? t.banner.lostShort
      : rings.value === 'alarm' && item !== null && (item.urgency <= 2 || item.news !== undefined)
        ? `${newsText(item) ?? standingText(item)}: ${personOf(item)}`
        : ''
  return (
    <p class="unseen" aria-live="assertive" role="alert">
      {said}
    </p>
  )
}
