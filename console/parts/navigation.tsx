import {
  ClipboardCheck,
  History,
  type IconNode,
  Menu,
  PhoneCall,
  Radio,
  Server,
  ShieldCheck,
  Siren,
  SlidersHorizontal,
  Users,
} from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { hashOf, type Route } from '../logic/route.ts'
import { unattended } from '../state/alarm.ts'
import { openCount } from '../state/board.ts'
import { texts } from '../state/language.ts'
import { narrow } from '../state/narrow.ts'
import { route } from '../state/route.ts'
import { mayAct } from '../state/session.ts'
import { Icon } from './icon.tsx'
import { Mark } from './mark.tsx'

type View = Exclude<
  Route['view'],
  'incident' | 'major' | 'user' | 'application' | 'tracker' | 'invitation' | 'setup' | 'token'
>
type Link = readonly [view: View, icon: IconNode]

const watch = [
  ['board', Siren],
  ['history', History],
  ['exercises', ClipboardCheck],
] as const satisfies readonly Link[]
const manage = [
  ['users', Users],
  ['onCall', PhoneCall],
  ['readiness', ShieldCheck],
  ['trackers', Radio],
  ['settings', SlidersHorizontal],
  ['system', Server],
] as const satisfies readonly Link[]

/** The link in the navigation that a view belongs to. */
const homes: Readonly<Record<string, string>> = {
  incident: 'board',
  major: 'board',
  user: 'users',
  tracker: 'trackers',
  application: 'settings',
  site: 'settings',
}

function Links({ links, name, title }: { links: readonly Link[]; name: string; title: string | null }) {
  const here = homes[route.value.view] ?? route.value.view
  return (
    <ul class={name}>
      {title !== null && (
        <li>
          <h2>{title}</h2>
        </li>
      )}
      {links.map(([view, icon]) => (
        <li key={view}>
          <a href={hashOf(view)} aria-current={here === view ? 'page' : undefined}>
            <Icon of={icon} />
            {texts.value.views[view]}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The mark, with the number of open alarms. */
export const Brand = () => {
  const { value: count } = openCount
  const look = count === 0 ? 'none' : unattended.value > 0 ? 'urgent' : ''
  return (
    <a class="brand" href="#/">
      <span class="mark">
        <Mark />
        <span class={`count ${look}`}>{count}</span>
      </span>
      Tocsin
    </a>
  )
}

/** A menu closes once something in it is chosen: it would cover the view. The focus stays where it was opened. */
export function useMenu() {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (menu.current?.contains(document.activeElement)) menu.current.querySelector('summary')?.focus()
    menu.current?.removeAttribute('open')
  }, [route.value])
  return menu
}

/** Two groups: to watch, and to manage. A bar at the bottom of a phone, with the second group in a menu. */
export function Navigation() {
  const t = texts.value
  const menu = useMenu()
  const managed = manage.filter(([view]) => mayAct.value || (view !== 'settings' && view !== 'system'))
  return (
    <nav class="navigation" aria-label={t.navigation}>
      {!narrow.value && <Brand />}
      <Links links={watch} name="watch" title={t.groups.watch} />
      <Links links={managed} name="manage" title={t.groups.manage} />
      <details ref={menu} class="more">
        <summary>
          <Icon of={Menu} />
          {t.groups.manage}
        </summary>
        <Links links={managed} name="manage" title={null} />
      </details>
    </nav>
  )
}
