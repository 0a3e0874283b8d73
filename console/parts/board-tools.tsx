import { type Signal, signal } from '@preact/signals'
import { type IconNode, Map as MapIcon, SlidersHorizontal, Users } from 'lucide'
import { useEffect } from 'preact/hooks'
import { read } from '../api/client.ts'
import type { Application, Item, Items } from '../api/types.ts'
import { isFiltering, NO_FILTER } from '../logic/board-filter.ts'
import { sections } from '../logic/sections.ts'
import { hiddenUrgent, ofOwner, owners } from '../logic/shift.ts'
import { filter, setFilter } from '../state/filter.ts'
import { texts } from '../state/language.ts'
import { narrow } from '../state/narrow.ts'
import { isCompact, setCompact } from '../state/rows.ts'
import { mayAct, me } from '../state/session.ts'
import { shift } from '../state/shift.ts'
import { Select } from './controls.tsx'
import { Icon } from './icon.tsx'

/** On a narrow screen these open on demand: the alarms come first. */
export const isMapOpen = signal(true)
// Also where somebody enlarges the page: it would push every alarm below the fold.
narrow.subscribe((isNarrow) => {
  isMapOpen.value = !isNarrow
})
export const isShiftOpen = signal(false)
const isFilterOpen = signal(false)

type ToggleProps = {
  readonly of: Signal<boolean>
  readonly label: string
  /** In place of the word on a phone. */
  readonly icon: IconNode
  readonly count?: number | undefined
}
const Toggle = ({ of, label, icon, count }: ToggleProps) => (
  <button
    type="button"
    class="small toggle"
    title={label}
    aria-pressed={of.value}
    onClick={() => {
      of.value = !of.value
    }}
  >
    <Icon of={icon} /> <span class={narrow.value ? 'unseen' : undefined}>{label}</span>{' '}
    {count !== undefined && count > 0 && <span class="count">{count}</span>}
  </button>
)

type ToolsProps = { readonly items: readonly Item[]; readonly shown: readonly Item[] }

/** The filter of this screen. It always mentions alarms that it hides. */
export function BoardTools({ items, shown }: ToolsProps) {
  const { desk: t, shift: words } = texts.value
  const hidden = hiddenUrgent(items, shown)
  const notes = shift.value?.notes.length ?? 0
  return (
    <>
      <div class="tools">
        {mayAct.value &&
          owners.map((name) => (
            <button
              key={name}
              type="button"
              class="small"
              aria-pressed={filter.value.owner === name}
              onClick={() => setFilter({ owner: name })}
            >
              {words.owners[name]} <span class="count">{ofOwner(items, name, me.value?.id ?? null).length}</span>
            </button>
          ))}
        <span class="toggles">
          <Toggle of={isFilterOpen} label={t.filter} icon={SlidersHorizontal} />
          <Toggle of={isMapOpen} label={t.showMap} icon={MapIcon} />
          <span class="when-narrow">
            <Toggle of={isShiftOpen} label={words.title} icon={Users} count={notes} />
          </span>
        </span>
      </div>
      {isFilterOpen.value && <Filters items={items} />}
      {isFiltering(filter.value) && shown.length < items.length && (
        <p class="filtered">
          {t.filtered(shown.length, items.length)}{' '}
          {hidden > 0 && (
            <strong class="hides" role="status">
              {words.hidden(hidden)}
            </strong>
          )}{' '}
          <button type="button" class="small" onClick={() => setFilter(NO_FILTER)}>
            {t.showAll}
          </button>
        </p>
      )}
    </>
  )
}

const applications = signal<readonly Pick<Application, 'applicationId' | 'name'>[]>([])

function Filters({ items }: { readonly items: readonly Item[] }) {
  const { desk: t } = texts.value
  useEffect(() => {
    read<Items<Application>>('/applications').then(
      (found) => (applications.value = found.items),
      () => {},
    )
  }, [])
  const { app, group, state, area } = filter.value
  // Also those that this operator may not list, as far as their alarms are known.
  const known = new Map(items.map(({ applicationId, applicationName }) => [applicationId, applicationName]))
  for (const { applicationId, name } of applications.value) known.set(applicationId, name)
  const groups = new Set(items.flatMap(({ person }) => person.groups ?? []))
  if (group !== null) groups.add(group)
  return (
    <div class="board-filters">
      <Select
        label={t.application}
        value={app ?? ''}
        options={[['', t.any], ...[...known].toSorted(([, a], [, b]) => a.localeCompare(b))]}
        onPick={(id) => setFilter({ app: id === '' ? null : id })}
      />
      {groups.size > 0 && (
        <Select
          label={t.group}
          value={group ?? ''}
          options={[
            ['', t.any],
            ...[...groups].toSorted((a, b) => a.localeCompare(b)).map((name) => [name, name] as const),
          ]}
          onPick={(name) => setFilter({ group: name === '' ? null : name })}
        />
      )}
      <Select
        label={t.state}
        value={state ?? ''}
        options={[['', t.any], ...sections.map((name) => [name, t.sections[name]] as const)]}
        onPick={(name) => setFilter({ state: sections.find((section) => section === name) ?? null })}
      />
      <Select
        label={t.rowHeight}
        value={isCompact.value ? 'compact' : 'comfortable'}
        options={[
          ['comfortable', t.comfortable],
          ['compact', t.compact],
        ]}
        onPick={(name) => setCompact(name === 'compact')}
      />
      {area !== null && (
        <button type="button" class="small" onClick={() => setFilter({ area: null })}>
          {t.areaOff}
        </button>
      )}
    </div>
  )
}
